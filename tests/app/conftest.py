"""An event loop over Qt for the tests of the app, and the tools a session works with."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from app.bridge import Bridge
from app.chat.engine_slot import EngineSlot
from app.chat.pace import Pace
from app.chat.tools import Tools
from app.jobs import Jobs
from app.settings import Settings
from tests.fake_engine import MemoryArchive, ScriptedEngine
from tests.fakes import FakeClock

WAIT = 20.0


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    loop = QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    yield loop
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def until(loop: QEventLoop) -> Callable[[Callable[[], object]], None]:
    """Runs the loop until a condition holds."""

    async def wait(condition: Callable[[], object]) -> None:
        async with asyncio.timeout(WAIT):
            while not condition():
                await asyncio.sleep(0.005)

    def run(condition: Callable[[], object]) -> None:
        loop.run_until_complete(wait(condition))

    return run


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
def archive() -> MemoryArchive:
    return MemoryArchive()


@pytest.fixture
def tools(
    loop: QEventLoop, engine: ScriptedEngine, archive: MemoryArchive, clock: FakeClock
) -> Iterator[Tools]:
    """Tools over the scripted engine, whose model is being opened."""
    jobs, bridge = Jobs(), Bridge(loop, deliver_every=0.0)
    engines = EngineSlot(lambda path, cancelled: engine, jobs)
    tools = Tools(archive, engines, bridge, jobs, Settings, Pace(), clock)

    async def choose() -> None:
        engines.choose(Path("/models/fake-model"))

    loop.run_until_complete(choose())
    yield tools
    bridge.close()
    loop.run_until_complete(engines.close())
    jobs.close()
