"""A whole model: its row check, every law and its lane; dull ones are no proof."""

from pathlib import Path

import pytest

import engine.mlx  # noqa: F401
from engine.checking import models
from engine.checking.laws import LAWS
from engine.checking.models import check_model
from engine.checking.trial import Plan
from engine.mlx.tiny_families import FAMILIES, make_tiny_family
from engine.sharing import TURNS
from tests.tiny import make_tiny

SMALL = Plan((36, 23, 30, 1), 4, 1, (2,))


@pytest.mark.parametrize("family", ["llama", *FAMILIES])
def test_every_family_keeps_every_law(family: str, tmp_path: Path) -> None:
    folder = tmp_path / family
    if family == "llama":
        make_tiny(folder)
    else:
        make_tiny_family(folder, family)
    told: list[str] = []
    checked = check_model(folder, SMALL, told.append)
    assert [tally.law for tally in checked.laws] == [*LAWS, "lane"]
    assert all(tally.identical == tally.compared > 0 for tally in checked.laws)
    assert (checked.model, checked.problem) == (family, "")
    assert checked.sharing.rows >= 4
    assert checked.seconds > checked.check_seconds > 0
    assert told == [f"{family}: {stage}" for stage in ("sharing", "alone", *LAWS, "lane")]


def test_a_dull_model_shows_nothing(tmp_path: Path) -> None:
    checked = check_model(make_tiny(tmp_path / "dull", scale=0.001), SMALL, lambda what: None)
    assert checked.laws == []
    assert checked.problem.startswith("dull says nearly the same whatever it reads")


def test_without_a_plan_only_sharing_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "check_rows", lambda model, vocabulary: TURNS)
    checked = check_model(make_tiny(tmp_path / "tiny"), None, lambda what: None)
    assert (checked.sharing, checked.laws, checked.problem) == (TURNS, [], "")


def test_turns_keep_every_law_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "check_rows", lambda model, vocabulary: TURNS)
    checked = check_model(make_tiny(tmp_path / "tiny"), SMALL, lambda what: None)
    assert all(tally.identical == tally.compared > 0 for tally in checked.laws if tally.law != "lane")
