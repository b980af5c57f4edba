"""One model, loaded and tried: how its replies share it, and whether each law holds."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import engine.mlx  # noqa: F401  (before MLX: it decides which BLAS is used)
from engine.api import Priority, Request
from engine.checking.comparison import Tally
from engine.checking.lane_law import Expected, in_lane
from engine.checking.laws import LAWS, tried
from engine.checking.trial import CAPS, Plan, Trial
from engine.fill import plan_cuts
from engine.local import open_local
from engine.mlx.backend import MlxBackend
from engine.mlx.load import LoadedModel, load
from engine.mlx.row_check import check_rows
from engine.sharing import Sharing

__all__ = ["Checked", "check_model"]

IN_LANE = 4
"""Requests that meet in a lane."""


@dataclass(slots=True)
class Checked:
    """What was found out about one model.

    Attributes:
        sharing: what the row check chose.
        check_seconds: of the row check.
        seconds: of everything but loading it first.
        laws: as far as they were tried.
        problem: one sentence; empty where all is well.
    """

    model: str
    sharing: Sharing
    check_seconds: float
    seconds: float = 0.0
    laws: list[Tally] = field(default_factory=list)
    problem: str = ""


def check_model(path: Path, plan: Plan | None, tell: Callable[[str], None]) -> Checked:
    """Tries the model at `path`; belongs to the calling thread.

    Args:
        plan: how much; None for the row check alone.
        tell: is told what is tried next.

    Raises:
        EngineError: the model cannot be loaded, or a reply failed.
    """
    loaded = load(path)
    started = time.perf_counter()
    tell(f"{loaded.name}: sharing")
    sharing = check_rows(loaded.model, loaded.vocabulary)
    checked = Checked(loaded.name, sharing, time.perf_counter() - started)
    if plan is not None:
        lane = _try_alone(loaded, checked, plan, tell)
        stop_tokens = loaded.stop_tokens
        # Room for the lane's own.
        del loaded
        if lane:
            tell(f"{checked.model}: lane")
            checked.laws.append(_try_lane(path, lane, stop_tokens))
    first = next((tally for tally in checked.laws if tally.first), None)
    if first is not None:
        checked.problem = f"{checked.model} breaks the law “{first.law}” ({first.first})."
    checked.seconds = time.perf_counter() - started
    return checked


def _try_alone(
    loaded: LoadedModel, checked: Checked, plan: Plan, tell: Callable[[str], None]
) -> dict[Request, Expected]:
    """Every law without a lane. Returns: what a lane must give; empty where that would show nothing."""
    trial = Trial(lambda: MlxBackend(loaded, checked.sharing, CAPS), loaded.vocabulary, plan)
    tell(f"{checked.model}: alone")
    if not trial.lively():
        checked.problem = (
            f"{checked.model} says nearly the same whatever it reads: comparing it shows nothing."
        )
        return {}
    for name, law in LAWS.items():
        tell(f"{checked.model}: {name}")
        checked.laws += tried(trial, {name: law})
    return _for_lane(loaded, checked.sharing, trial)


def _for_lane(loaded: LoadedModel, sharing: Sharing, trial: Trial) -> dict[Request, Expected]:
    """What is alone with the chunks that a lane has on this machine."""
    caps = MlxBackend(loaded, sharing).facts.caps
    own = Trial(lambda: MlxBackend(loaded, sharing), loaded.vocabulary, trial.plan)
    requests = [
        replace(request, priority=Priority(place % len(Priority)))
        for mix in own.mixes
        for place, request in enumerate(mix[:IN_LANE])
    ]
    return {
        request: Expected(own.alone(request), plan_cuts(len(request.prompt or ()) - 1, caps))
        for request in requests
    }


def _try_lane(path: Path, expected: dict[Request, Expected], stop_tokens: frozenset[int]) -> Tally:
    tally = Tally("lane")
    engine = open_local(path)
    try:
        for comparison in in_lane(engine, expected, stop_tokens):
            tally.add(comparison)
    finally:
        engine.close()
    return tally
