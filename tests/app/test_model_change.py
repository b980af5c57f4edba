"""Another model is chosen while a reply streams: two tiny models, the real engine, the real window."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from qasync import QEventLoop

from app.application import Application
from app.driver import Driver
from app.paths import Paths
from app.records import MessageState
from app.settings import Settings, save_settings
from engine import Engine, Request, open_model
from engine.errors import LaneClosed
from tests.tiny import make_tiny

Until = Callable[[Callable[[], object]], None]

CHAT = [{"role": "user", "content": "the quick brown fox"}]


class Models:
    """Opens models and counts the lanes that there are when it begins to.

    Attributes: `opened`, the engines in order; `lanes`, how many lanes lived before each.
    """

    def __init__(self) -> None:
        self.opened: list[Engine] = []
        self.lanes: list[int] = []

    def __call__(self, path: Path, cancelled: Callable[[], bool]) -> Engine:
        self.lanes.append(sum(thread.name.startswith("lane") for thread in threading.enumerate()))
        self.opened.append(open_model(path, cancelled))
        return self.opened[-1]


def test_c09_a_reply_of_the_model_before_ends_with_its_text_and_its_memory_is_free(
    loop: QEventLoop, paths: Paths, tmp_path: Path, until: Until
) -> None:
    first, second = (
        make_tiny(tmp_path / name, seed=seed, eos=None, context=4000)
        for seed, name in enumerate(("one", "two"))
    )
    save_settings(paths.settings, Settings(model=str(first), seed=1))
    models = Models()

    async def start() -> Application:
        application = Application(paths, first, models)
        await application.start()
        return application

    application = loop.run_until_complete(start())
    driver = Driver(application)
    session = driver.session
    driver.type("the quick brown fox")
    driver.press_return()
    until(lambda: session.messages and len(session.messages[-1].text) > 20)
    application.window.model_chosen.emit(str(second))
    until(lambda: not session.busy)
    reply = session.messages[-1]
    assert reply.state is MessageState.STOPPED
    assert reply.note == "Stopped: the model was changed or closed."
    assert len(reply.text) > 20
    until(lambda: len(models.opened) == 2)
    assert models.lanes == [0, 0], "a model was loaded while another was"
    driver.type("over the lazy dog")
    driver.press_return()
    until(lambda: session.progress.tokens > 3)
    assert session.messages[1] == reply
    loop.run_until_complete(application.close())


def test_c09_a_closed_engine_still_counts_and_refuses_the_rest(tmp_path: Path) -> None:
    engine = open_model(make_tiny(tmp_path / "one"))
    before = engine.prompt(CHAT)
    engine.close()
    assert engine.prompt(CHAT) == before
    with pytest.raises(LaneClosed):
        engine.submit(Request(prompt=before.tokens), print)
