"""The chosen model: loading, ready, failed, replaced."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from qasync import QEventLoop

from app.chat.engine_slot import EngineSlot, SlotState
from app.jobs import Jobs
from app.problems import explain
from engine.api import Engine, Sharing
from engine.errors import LoadCancelled, ModelMissing
from tests.fake_engine import ScriptedEngine

Until = Callable[[Callable[[], object]], None]


class Opener:
    """Opens a scripted engine for a path when the test says so."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.engines: dict[str, ScriptedEngine] = {}
        self.given_up: list[str] = []

    def __call__(self, path: Path, cancelled: Callable[[], bool]) -> Engine:
        while not self.go_on.wait(0.005):
            if cancelled():
                self.given_up.append(path.name)
                raise LoadCancelled("Loading was cancelled.")
        if path.name == "missing":
            raise ModelMissing("There is no model at /missing.")
        return self.engines.setdefault(path.name, ScriptedEngine(path.name))


@pytest.fixture
def opener() -> Opener:
    return Opener()


@pytest.fixture
def slot(loop: QEventLoop, opener: Opener) -> Iterator[EngineSlot]:
    jobs = Jobs()
    slot = EngineSlot(opener, jobs)
    yield slot
    opener.go_on.set()
    loop.run_until_complete(slot.close())
    jobs.close()


def choose(loop: QEventLoop, slot: EngineSlot, name: str) -> None:
    async def run() -> None:
        slot.choose(Path("/models") / name)

    loop.run_until_complete(run())


def test_a_model_loads_and_is_told(loop: QEventLoop, slot: EngineSlot, opener: Opener) -> None:
    told: list[SlotState] = []
    slot.changed.connect(told.append)
    choose(loop, slot, "one")
    assert not slot.ready
    opener.go_on.set()
    engine = loop.run_until_complete(slot.engine())
    assert engine is opener.engines["one"]
    assert told == [SlotState("one", "loading"), SlotState("one", "ready", sharing=str(Sharing("rows", 8)))]
    assert slot.ready


def test_a_failed_load_is_told_to_the_window_and_to_whoever_asks(
    loop: QEventLoop, slot: EngineSlot, opener: Opener
) -> None:
    told: list[SlotState] = []
    slot.changed.connect(told.append)
    choose(loop, slot, "missing")
    opener.go_on.set()
    with pytest.raises(ModelMissing):
        loop.run_until_complete(slot.engine())
    assert told[-1] == SlotState("missing", "failed", explain(ModelMissing("There is no model at /missing.")))


def test_choosing_another_model_closes_the_one_before(
    loop: QEventLoop, slot: EngineSlot, opener: Opener
) -> None:
    opener.go_on.set()
    choose(loop, slot, "one")
    loop.run_until_complete(slot.engine())
    choose(loop, slot, "two")
    assert loop.run_until_complete(slot.engine()) is opener.engines["two"]
    assert opener.engines["one"].closed
    assert not opener.engines["two"].closed


def test_who_waits_for_a_model_that_is_replaced_gets_the_new_one(
    loop: QEventLoop, slot: EngineSlot, opener: Opener, until: Until
) -> None:
    choose(loop, slot, "one")
    waiting = asyncio.ensure_future(slot.engine(), loop=loop)
    choose(loop, slot, "two")
    until(lambda: opener.given_up == ["one"])
    opener.go_on.set()
    assert loop.run_until_complete(waiting) is opener.engines["two"]


def test_c07_closing_while_loading_gives_the_load_up(
    loop: QEventLoop, slot: EngineSlot, opener: Opener
) -> None:
    choose(loop, slot, "one")
    loop.run_until_complete(slot.close())
    assert opener.given_up == ["one"]


def test_closing_closes_the_engine(loop: QEventLoop, slot: EngineSlot, opener: Opener) -> None:
    opener.go_on.set()
    choose(loop, slot, "one")
    loop.run_until_complete(slot.engine())
    loop.run_until_complete(slot.close())
    assert opener.engines["one"].closed
