"""A template is fetched alone, from a server on this machine that stands for the hub."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.store.template_file import FILE_NAME, LARGEST, NotFetched, fetch_template, repository_of

TEMPLATE = "{% for message in messages %}{{ message['content'] }} ünï {% endfor %}".encode()


@dataclass
class Hub:
    """Attributes: `files`, by path; `asked`, the paths; `broken`, whether it refuses to answer."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    broken: bool = False


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    hub = Hub()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append(self.path)
            data = hub.files.get(self.path)
            self.send_response(403 if hub.broken else 404 if data is None else 200)
            if data is None and not hub.broken:
                known = any(path.startswith("/".join(self.path.split("/")[:3])) for path in hub.files)
                self.send_header("X-Error-Code", "EntryNotFound" if known else "RepoNotFound")
            self.send_header("X-Repo-Commit", "a" * 40)
            self.send_header("ETag", '"1"')
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data or b"")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    hub.address = f"http://127.0.0.1:{server.server_port}"
    hub.files["/org/name/resolve/main/chat_template.jinja"] = TEMPLATE
    hub.files["/org/bare/resolve/main/config.json"] = b"{}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    return folder


def test_t02_the_template_is_fetched_and_nothing_else(hub: Hub, folder: Path) -> None:
    path = fetch_template(folder, "org/name", hub.address)
    assert path == folder / FILE_NAME
    assert path.read_bytes() == TEMPLATE
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]
    assert {path for path in hub.asked if "resolve" in path} == {"/org/name/resolve/main/chat_template.jinja"}


def test_t02_a_repository_without_one_says_so_and_changes_nothing(hub: Hub, folder: Path) -> None:
    (folder / FILE_NAME).write_text("old")
    with pytest.raises(NotFetched, match=f"org/bare has no file {FILE_NAME}"):
        fetch_template(folder, "org/bare", hub.address)
    assert (folder / FILE_NAME).read_text() == "old"


def test_a_repository_that_is_not_there_is_named(hub: Hub, folder: Path) -> None:
    with pytest.raises(NotFetched, match="no repository other/model"):
        fetch_template(folder, "other/model", hub.address)


def test_a_name_that_is_none_is_refused_before_anything_is_asked(hub: Hub, folder: Path) -> None:
    with pytest.raises(NotFetched, match="ORG/NAME"):
        fetch_template(folder, "../../etc/passwd", hub.address)
    assert hub.asked == []


def test_a_hub_that_cannot_be_reached_is_told(hub: Hub, folder: Path) -> None:
    hub.broken = True
    with pytest.raises(NotFetched, match="could not be reached"):
        fetch_template(folder, "org/name", hub.address)


def test_a_file_too_large_to_be_a_template_is_not_kept(hub: Hub, folder: Path) -> None:
    hub.files["/org/name/resolve/main/chat_template.jinja"] = b"x" * (LARGEST + 1)
    with pytest.raises(NotFetched, match="no template"):
        fetch_template(folder, "org/name", hub.address)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_told(hub: Hub, folder: Path) -> None:
    with pytest.raises(NotFetched, match="cannot be written"):
        fetch_template(folder / "gone", "org/name", hub.address)


@pytest.mark.parametrize(
    ("path", "repository"),
    [
        ("hub/models--Qwen--Qwen3-0.6B/snapshots/abc", "Qwen/Qwen3-0.6B"),
        ("hub/models--gpt2/snapshots/abc", "gpt2"),
        ("hub/datasets--Qwen--Qwen3/snapshots/abc", None),
        ("hub/models--Qwen--Qwen3/blobs/abc", None),
        ("hub/models--/snapshots/abc", None),
        ("models/Qwen3-0.6B", None),
        ("snapshots", None),
    ],
)
def test_the_hubs_cache_tells_the_repository(tmp_path: Path, path: str, repository: str | None) -> None:
    assert repository_of(tmp_path / path) == repository
