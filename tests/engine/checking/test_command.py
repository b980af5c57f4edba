"""`python -m engine check` as a user of a terminal sees it."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import engine.mlx  # noqa: F401
from engine.__main__ import main
from engine.checking import command, models
from engine.checking.comparison import Tally
from engine.checking.models import Checked
from engine.checking.trial import FULL, Plan
from engine.mlx.tiny_families import FAMILIES
from engine.sharing import TURNS, Sharing
from tests.tiny import make_tiny

ROWS = Sharing("rows", 8)


def ended_with(*arguments: str) -> int:
    """The exit code of a run on a thread of its own: the command leaves no MLX behind on its thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(main, ["check", *arguments]).result()


def finds(monkeypatch: pytest.MonkeyPatch, *found: Checked) -> list[tuple[Path, Plan | None]]:
    """The models are found to be so, whatever they are. Returns: what was asked, as it is asked."""
    results = iter(found)
    asked: list[tuple[Path, Plan | None]] = []

    def check_model(path: Path, plan: Plan | None, tell: object) -> Checked:
        assert path.is_dir()
        asked.append((path, plan))
        return next(results)

    monkeypatch.setattr(models, "check_model", check_model)
    return asked


def sound(name: str, sharing: Sharing = ROWS) -> Checked:
    return Checked(name, sharing, 0.5, 12.34, [Tally("stepped", 9, 9), Tally("shared", 51, 51)])


def test_a_model_is_checked_and_the_command_ends_cleanly(tmp_path: Path) -> None:
    """On the main thread of its own process: a destructor that came late would abort it."""
    model, result = make_tiny(tmp_path / "tiny"), tmp_path / "new" / "result.json"
    ended = subprocess.run(
        [sys.executable, "-m", "engine", "check", str(model), "--json", str(result)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    told = json.loads(result.read_text(encoding="utf-8"))
    assert set(told) == {"device", "mlx", "mlx_lm", "compared", "identical", "models"}
    (checked,) = told["models"]
    assert (checked["model"], checked["rows"] >= 4, checked["problem"]) == ("tiny", True, "")
    assert told["identical"] == told["compared"] == sum(law["compared"] for law in checked["laws"].values())
    assert min(law["compared"] for law in checked["laws"].values()) > 0
    first, head, row, last = ended.stdout.splitlines()
    assert first.startswith(
        f"Replies run together in one pass, up to {checked['rows']} at a time (checked in "
    )
    assert head.split() == [*checked["laws"], "sharing", "seconds"]
    assert row.split()[0] == "tiny"
    assert last == f"{told['compared']} of {told['compared']} replies are identical."


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (Sharing("rows", 6), "Replies run together in one pass, up to 6 at a time (checked in 0.5 s).\n"),
        (
            Sharing("padded", 4),
            "Replies run together in one pass that always has 4 rows (checked in 0.5 s).\n",
        ),
        (TURNS, f"{TURNS} (checked in 0.5 s).\n"),
    ],
)
def test_quick_tells_one_plain_sentence(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    chosen: Sharing,
    sentence: str,
) -> None:
    asked = finds(monkeypatch, Checked("tiny", chosen, 0.5))
    assert ended_with(str(tmp_path), "--quick") == 0
    assert capsys.readouterr().out == sentence
    assert asked == [(tmp_path, None)]


def test_the_families_are_a_row_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "families.json"
    asked = finds(monkeypatch, *map(sound, FAMILIES))
    options = ("--hidden", "256", "--dtype", "bfloat16", "--bits", "4")
    assert ended_with("--families", *options, "--json", str(result)) == 0
    assert [(path.name, plan) for path, plan in asked] == [(family, FULL) for family in FAMILIES]
    head, *rows, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["stepped", "shared", "sharing", "seconds"]
    assert [row.split() for row in rows] == [[f, "9/9", "51/51", "rows", "8", "12.3"] for f in FAMILIES]
    assert last == "300 of 300 replies are identical."
    told = json.loads(result.read_text(encoding="utf-8"))
    assert (told["hidden"], told["dtype"], told["bits"]) == (256, "bfloat16", 4)
    assert len(told["models"]) == 5


def test_a_difference_is_named_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = sound("tiny")
    broken.laws[1] = Tally("shared", 51, 50, "greedy: position 2 is 9, not 2")
    broken.problem = "tiny breaks the law “shared” (greedy: position 2 is 9, not 2)."
    finds(monkeypatch, broken)
    assert ended_with(str(tmp_path)) == 1
    printed = capsys.readouterr()
    assert "50/51" in printed.out
    assert printed.out.endswith("59 of 60 replies are identical.\n")
    assert printed.err.splitlines() == [broken.problem, command.REPORT]


def test_a_family_that_takes_turns_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finds(monkeypatch, *(sound(family, TURNS if family == "gemma4" else ROWS) for family in FAMILIES))
    assert ended_with("--families") == 1
    first, _ = capsys.readouterr().err.splitlines()
    assert first == f"gemma4 must share 4 rows in one pass. {TURNS}."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "There is nothing to check."),
        (["model", "--families"], "There is nothing to check."),
        (["--families", "--hidden", "96"], "The families cannot be 96 wide."),
        (["--families", "--hidden", "0"], "The families cannot be 0 wide."),
        (["nowhere"], "There is no model at nowhere."),
    ],
)
def test_what_cannot_be_checked_is_one_sentence_and_one_action(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_with(*arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    first, action = printed.err.splitlines()
    assert (first, action.endswith(".")) == (sentence, True)


def test_a_result_that_cannot_be_written_is_one_sentence_and_one_action(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finds(monkeypatch, sound("tiny"))
    assert ended_with(str(tmp_path), "--json", str(tmp_path)) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
