"""`python -m app` from outside."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ran(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_the_version_is_the_packages() -> None:
    assert ran("--version").stdout == f"Interlace {version('interlace')}\n"


def test_the_self_test_runs_two_streams_and_stops_one() -> None:
    ended = ran("--self-test")
    assert ended.stdout == "self-test passed: two streams, one stopped\n"
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_data_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    ended = ran("--data-dir", str(tmp_path / "file"))
    assert ended.returncode == 1
    assert len(ended.stderr.strip().splitlines()) == 1
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("arguments", [["--demo"], ["--demo", "x", "--self-test"]])
def test_wrong_arguments_are_explained(arguments: list[str]) -> None:
    ended = ran(*arguments)
    assert ended.returncode == 2
    assert "usage:" in ended.stderr
