"""`python -m engine template` tells what there is, and asks the hub only when told to."""

import shutil
from pathlib import Path

import pytest

from engine.__main__ import main
from tests.tiny import CHATML, make_tiny

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The repositories that the hub was asked for; its template is ChatML."""
    asked: list[str] = []

    def download(repository: str, name: str, *, local_dir: Path, endpoint: str | None) -> str:
        asked.append(repository)
        path = Path(local_dir, name)
        path.write_text(CHATML)
        return str(path)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    return asked


def test_t07_a_template_that_works_is_told(tmp_path: Path, capsys: Printed, asked: list[str]) -> None:
    assert main(["template", str(make_tiny(tmp_path / "tiny"))]) == 0
    assert capsys.readouterr().out == "The chat template of tiny can be used.\n"
    assert asked == []


def test_t07_a_broken_one_is_told_with_its_line(tmp_path: Path, capsys: Printed) -> None:
    model = make_tiny(tmp_path / "tiny", chat_template="a\n{% for m in messages %}{{ m.content }")
    assert main(["template", str(model)]) == 0
    assert "broken (line 2: " in capsys.readouterr().out


def test_t02_a_missing_template_is_fetched_from_where_the_path_says(
    tmp_path: Path, capsys: Printed, asked: list[str]
) -> None:
    model = tmp_path / "models--org--name" / "snapshots" / "abc"
    shutil.copytree(make_tiny(tmp_path / "tiny", chat_template=None), model)
    assert main(["template", str(model)]) == 0
    printed = capsys.readouterr().out
    assert "abc is a base model: it has no chat template." in printed
    assert "Its repository is org/name; --fetch gets the template from there." in printed
    assert asked == []
    assert main(["template", str(model), "--fetch"]) == 0
    assert capsys.readouterr().out.endswith("The chat template of abc can be used.\n")
    assert asked == ["org/name"]


def test_t02_the_repository_can_be_named(tmp_path: Path, asked: list[str]) -> None:
    model = make_tiny(tmp_path / "tiny", chat_template=None)
    assert main(["template", str(model), "--fetch", "--repository", "org/other"]) == 0
    assert asked == ["org/other"]


def test_a_repository_that_is_not_known_is_asked_for(
    tmp_path: Path, capsys: Printed, asked: list[str]
) -> None:
    assert main(["template", str(make_tiny(tmp_path / "tiny")), "--fetch"]) == 1
    assert "Name it with --repository ORG/NAME." in capsys.readouterr().err
    assert asked == []


def test_a_file_has_its_template_inside(tmp_path: Path, capsys: Printed, asked: list[str]) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    assert main(["template", str(path), "--fetch", "--repository", "org/name"]) == 1
    assert "model.gguf is no folder." in capsys.readouterr().err
    assert asked == []


def test_a_model_that_is_not_there_is_told(tmp_path: Path, capsys: Printed) -> None:
    assert main(["template", str(tmp_path / "nowhere")]) == 1
    assert "There is no model at" in capsys.readouterr().err
