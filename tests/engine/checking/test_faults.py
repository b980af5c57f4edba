"""Faults planted into a real tiny model's backend, and the law that finds each."""

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx

from engine import rounds
from engine.backend import Cap
from engine.checking import models
from engine.checking.comparison import Tally
from engine.checking.laws import LAWS, tried
from engine.checking.models import check_model
from engine.checking.trial import CAPS, Plan, Trial
from engine.fill import plan_cuts
from engine.mlx import backend, decoding, rows, sampling
from engine.mlx.backend import MlxBackend
from engine.mlx.load import LoadedModel, load
from engine.mlx.tiny_families import make_tiny_family
from engine.sharing import Sharing

SMALL = Plan((36, 23, 30, 1), 4, 1, (2,))

Plant = Callable[[pytest.MonkeyPatch], None]


@cache
def loaded(family: str) -> LoadedModel:
    with TemporaryDirectory() as parent:
        return load(make_tiny_family(Path(parent, family), family))


def tally(family: str, law: str) -> Tally:
    model = loaded(family)
    trial = Trial(lambda: MlxBackend(model, Sharing("rows", 8), CAPS), model.vocabulary, SMALL)
    assert trial.lively()
    (result,) = tried(trial, {law: LAWS[law]})
    return result


def swapped_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows.shared_step
    monkeypatch.setattr(decoding, "shared_step", lambda *arguments: plain(*arguments)[::-1])


def states_handed_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows._hand_back
    monkeypatch.setattr(rows, "_hand_back", lambda own, joined: plain(own[::-1], joined))


def offset_off_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows._Positions.of

    def late(self: Any, offsets: list[int], batch: int) -> mx.array:
        return plain(self, [offset + 1 for offset in offsets], batch)

    monkeypatch.setattr(rows._Positions, "of", late)


def trimmed_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "append_only", lambda caches: True)
    monkeypatch.setattr(backend, "trimmed", lambda caches, tokens: caches)


def state_still_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "copied", lambda caches: caches)


def draws_keyed_by_a_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()
    monkeypatch.setattr(sampling, "_mixed", lambda seed, position: next(calls))


def chunks_that_move_with_load(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = MlxBackend.prefill_step

    def prefill_step(self: MlxBackend, id: int, end: int) -> None:
        middle = (self._rows[id].at + end) // 2
        if len(self._rows) > 1 and middle > self._rows[id].at:
            plain(self, id, middle)
        plain(self, id, end)

    monkeypatch.setattr(MlxBackend, "prefill_step", prefill_step)


def restored_one_position_late(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = MlxBackend.open

    def late(self: MlxBackend, id: int, prompt: Sequence[int], *others: Any) -> int:
        at = plain(self, id, prompt, *others)
        if at:
            self._model(mx.array([list(prompt[at : at + 1])]), cache=self._rows[id].caches)
        return at

    monkeypatch.setattr(MlxBackend, "open", late)


@pytest.mark.parametrize(
    ("plant", "family", "law"),
    [
        (swapped_rows, "minimax_m3", "shared"),
        (states_handed_to_another, "nemotron_h", "shared"),
        (offset_off_by_one, "gemma4", "shared"),
        (trimmed_state, "qwen3_5", "resumed"),
        (state_still_written_to, "lfm2_moe", "resumed"),
        (draws_keyed_by_a_counter, "lfm2_moe", "stepped"),
        (chunks_that_move_with_load, "lfm2_moe", "interleaved"),
        (chunks_that_move_with_load, "gemma4", "between"),
        (restored_one_position_late, "nemotron_h", "cancelled"),
    ],
)
def test_a_planted_fault_breaks_its_law(
    monkeypatch: pytest.MonkeyPatch, plant: Plant, family: str, law: str
) -> None:
    sound = tally(family, law)
    assert sound.identical == sound.compared > 0
    plant(monkeypatch)
    found = tally(family, law)
    assert found.identical < found.compared
    assert found.first


def test_chunks_of_a_lane_that_move_with_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    admitted = itertools.count()

    def cuts(total: int, caps: Sequence[Cap]) -> tuple[int, ...]:
        return plan_cuts(total, [Cap(0, 8)] if next(admitted) else caps)

    monkeypatch.setattr(rounds, "plan_cuts", cuts)
    monkeypatch.setattr(models, "LAWS", {})
    folder = make_tiny_family(tmp_path / "lfm2_moe", "lfm2_moe")
    checked = check_model(folder, SMALL, lambda what: None)
    assert checked.problem.startswith("lfm2_moe breaks the law “lane” (")
    assert "chunks end at [8, 16, 2" in checked.problem
