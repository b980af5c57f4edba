"""`python -m engine check` as a user of a terminal sees it."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import engine.mlx  # noqa: F401
from engine.__main__ import main
from engine.mlx import row_check
from engine.sharing import TURNS, Sharing
from tests.tiny import make_tiny


def ended_with(*arguments: str) -> int:
    """The exit code of a run on a thread of its own: the command leaves no MLX behind on its thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(main, ["check", *arguments]).result()


def test_check_tells_how_streams_share_and_ends_cleanly(tmp_path: Path) -> None:
    """On the main thread of its own process: a destructor that came late would abort it."""
    model, result = make_tiny(tmp_path / "tiny"), tmp_path / "result.json"
    ended = subprocess.run(
        [sys.executable, "-m", "engine", "check", str(model), "--json", str(result)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("Replies run together in one pass")
    told = json.loads(result.read_text(encoding="utf-8"))
    assert set(told) == {"model", "mode", "rows", "seconds", "device", "mlx", "mlx_lm"}
    assert (told["model"], told["mode"] in ("rows", "padded"), told["rows"] >= 4) == ("tiny", True, True)
    assert f"{told['rows']}" in ended.stdout
    assert f"{told['seconds']:.1f} s" in ended.stdout


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (Sharing("rows", 6), "Replies run together in one pass, up to 6 at a time ("),
        (Sharing("padded", 4), "Replies run together in one pass that always has 4 rows ("),
        (TURNS, "Replies take turns: "),
    ],
)
def test_each_outcome_is_one_plain_sentence(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    chosen: Sharing,
    sentence: str,
) -> None:
    monkeypatch.setattr(row_check, "check_rows", lambda model, vocabulary: chosen)
    assert ended_with(str(make_tiny(tmp_path / "tiny"))) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(sentence)
    assert printed.endswith(" s).\n")
    assert printed.count("\n") == 1


def test_a_missing_model_is_one_sentence_and_one_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_with(str(tmp_path / "nowhere")) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 2
    assert "nowhere" in printed.err


def test_a_result_that_cannot_be_written_is_one_sentence_and_one_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make_tiny(tmp_path / "tiny")
    assert ended_with(str(model), "--json", str(tmp_path / "nowhere" / "result.json")) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
