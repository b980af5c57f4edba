"""`python -m engine` as a user of a terminal sees it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import main
from tests.tiny import make_tiny


def test_chat_streams_a_reply_and_tells_what_it_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make_tiny(tmp_path / "tiny")
    assert main(["chat", str(model), "the fox", "--system", "Be brief.", "--max-tokens", "5"]) == 0
    printed = capsys.readouterr()
    assert printed.out
    assert re.search(r"\[length: \d+ tokens read, 0 reused, 5 generated in \d+\.\d s\]", printed.err)


def test_an_error_is_one_sentence_and_one_action(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", str(tmp_path / "nowhere"), "hello"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 2
    assert "nowhere" in printed.err


def test_the_process_ends_cleanly(tmp_path: Path) -> None:
    """The lane's thread ends before the interpreter does; a destructor that came late would abort it."""
    model = make_tiny(tmp_path / "tiny")
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-m", "engine", "chat", str(model), "hi", "--max-tokens", "3"],
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "arguments", [["   "], ["hi", "--temperature", "-1"], ["hi", "--max-tokens", "0"]], ids=str
)
def test_a_wrong_request_is_refused_before_the_model_is_loaded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setattr("engine.__main__.open_model", lambda path: pytest.fail("the model was opened"))
    assert main(["chat", "model", *arguments]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 2


def test_a_script_that_never_closes_its_engine_ends(tmp_path: Path) -> None:
    model = make_tiny(tmp_path / "tiny")
    script = (
        "import sys; from engine import open_model, Request\n"
        "engine = open_model(sys.argv[1])\n"
        "engine.submit(Request(prompt=[5] * 40, max_tokens=50), lambda event: None)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(model)], timeout=60, check=False)
    assert ended.returncode == 0
