"""The parts together: a real window, a real database and files, and an engine that is told what to say."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from qasync import QEventLoop

from app.application import Application
from app.driver import Driver
from app.paths import Paths
from app.records import MessageState
from app.settings import load_settings
from app.storage.errors import StorageUnavailable
from engine.api import Engine, Filling, Sharing
from engine.errors import ModelMissing, NoChatTemplate
from tests.fake_engine import ScriptedEngine

Until = Callable[[Callable[[], object]], None]


class Models:
    """Opens a scripted engine for each path but `missing`; `base` has no chat template."""

    def __init__(self) -> None:
        self.opened: dict[str, ScriptedEngine] = {}

    def __call__(self, path: Path, cancelled: Callable[[], bool]) -> Engine:
        if path.name == "missing":
            raise ModelMissing("There is no model at /missing.")
        problem = NoChatTemplate("base is a base model: it has no chat template.")
        engine = ScriptedEngine(path.name, template_problem=problem if path.name == "base" else None)
        return self.opened.setdefault(path.name, engine)


@contextmanager
def running(loop: QEventLoop, paths: Paths, models: Models) -> Iterator[tuple[Application, Driver]]:
    async def start() -> Application:
        application = Application(paths, Path("/models/default"), models)
        await application.start()
        return application

    application = loop.run_until_complete(start())
    try:
        yield application, Driver(application)
    finally:
        loop.run_until_complete(application.close())


def asked(driver: Driver, models: Models, until: Until) -> ScriptedEngine:
    """Sends a message in the tab that is shown and waits until the default model was asked."""
    driver.type("hello")
    driver.press_return()
    until(lambda: models.opened and models.opened["default"].asked)
    return models.opened["default"]


@pytest.fixture
def models() -> Models:
    return Models()


def test_the_first_start_shows_an_empty_chat_and_loads_the_default_model(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, _):
        assert len(application.window.tab_order()) == 1
        until(lambda: "default" in models.opened and "ready" in application.window.model_button.text())


def test_tabs_texts_drafts_and_the_focus_come_back(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        first = driver.session
        engine = asked(driver, models, until)
        engine.say(1, "Hello yourself")
        engine.finish(1)
        until(lambda: not first.busy)
        loop.run_until_complete(driver.new_tab())
        driver.type("not sent yet")
        driver.focus(first)
        order = application.window.tab_order()
    with running(loop, paths, models) as (application, driver):
        assert application.window.tab_order() == order
        assert [message.text for message in driver.session.messages] == ["hello", "Hello yourself"]
        assert driver.session.conversation.title == "hello"
        application.window.focus_tab(order[1])
        assert driver.tab.composer.draft.text == "not sent yet"


def test_u16_a_draft_stays_in_its_own_chat_through_tabs_and_models(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        first = driver.session
        driver.type("mine")
        second = loop.run_until_complete(driver.new_tab())
        assert driver.tab.composer.draft.text == ""
        application.window.model_chosen.emit("/models/other")
        until(lambda: "other" in models.opened)
        driver.focus(first)
        assert driver.tab.composer.draft.text == "mine"
        assert (first.draft.text, second.draft.text) == ("mine", "")


def test_quitting_keeps_what_a_reply_has_written(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (_, driver):
        session = driver.session
        engine = asked(driver, models, until)
        engine.say(1, "Once upon")
        until(lambda: session.messages[-1].id and session.progress.phase == "replying")
    with running(loop, paths, models) as (_, driver):
        reply = driver.session.messages[-1]
        assert (reply.text, reply.state) == ("Once upon", MessageState.STOPPED)


def test_a_model_that_cannot_be_opened_is_told_and_another_one_works(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        application.window.model_chosen.emit("/models/missing")
        until(lambda: "not available" in application.window.model_button.text())
        assert "There is no model at /missing." in application.window.banner.label.text()
        driver.type("hello")
        driver.press_return()
        until(lambda: not driver.session.busy)
        assert driver.session.messages[-1].state is MessageState.FAILED
        application.window.model_chosen.emit("/models/good")
        driver.try_again()
        until(lambda: "good" in models.opened and models.opened["good"].asked)
    assert load_settings(paths.settings)[0].model == "/models/good"


def test_changing_the_model_ends_its_replies_and_keeps_their_text(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        session = driver.session
        engine = asked(driver, models, until)
        engine.say(1, "partly")
        application.window.model_chosen.emit("/models/other")
        until(lambda: not session.busy)
        assert engine.closed
        reply = session.messages[-1]
        assert (reply.text, reply.note) == ("partly", "Stopped: the model was changed or closed.")


def test_t01_a_base_model_is_used_as_was_chosen_also_after_a_relaunch(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        driver.type("typed before")
        application.window.model_chosen.emit("/models/base")
        until(lambda: driver.tab.template_bar.isVisible())
        driver.press_return()
        assert driver.tab.composer.draft.text == "typed before"
        assert not driver.session.busy
        driver.tab.template_bar.buttons["chatml"].click()
        driver.press_return()
        until(lambda: models.opened["base"].asked)
        assert models.opened["base"].templates == ["chatml"]
    assert load_settings(paths.settings)[0].templates == {"/models/base": "chatml"}
    with running(loop, paths, models) as (application, driver):
        until(lambda: driver.tab.template_bar.label.text() == "Using ChatML.")
        driver.tab.template_bar.change.click()
        assert driver.tab.template_bar.buttons["plain"].isVisible()
    assert load_settings(paths.settings)[0].templates == {}


def test_deleting_a_conversation_closes_its_tab_and_forgets_it(
    loop: QEventLoop, paths: Paths, models: Models
) -> None:
    with running(loop, paths, models) as (application, driver):
        gone = driver.session.conversation.id
        kept = loop.run_until_complete(driver.new_tab()).conversation.id
        application.window.delete_requested.emit(gone)
        assert application.window.tab_order() == [kept]
    with running(loop, paths, models) as (application, _):
        assert application.window.tab_order() == [kept]


def test_a_closed_tab_opens_again_from_the_list(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    with running(loop, paths, models) as (application, driver):
        session = driver.session
        engine = asked(driver, models, until)
        loop.run_until_complete(driver.new_tab())
        application.window.close_tab_requested.emit(session.conversation.id)
        engine.say(1, "written unseen")
        engine.finish(1)
        until(lambda: not session.busy)
        application.window.open_conversation_requested.emit(session.conversation.id)
        until(lambda: session.conversation.id in application.window.tab_order())
        assert driver.session.messages[-1].text == "written unseen"


def test_storage_that_fails_is_told_and_chatting_goes_on(
    loop: QEventLoop, paths: Paths, models: Models, until: Until
) -> None:
    paths.database.write_bytes(b"this is no database" * 100)
    with running(loop, paths, models) as (application, driver):
        assert application.window.banner.label.text()
        engine = asked(driver, models, until)
        engine.say(1, "still here")
        engine.finish(1)
        until(lambda: not driver.session.busy)
        assert driver.session.messages[-1].text == "still here"


def test_asking_to_quit_ends_the_wait(loop: QEventLoop, paths: Paths, models: Models) -> None:
    with running(loop, paths, models) as (application, _):
        waiting = asyncio.ensure_future(application.quit(), loop=loop)
        application.window.menus.quit.trigger()
        loop.run_until_complete(asyncio.wait_for(waiting, 10))
        assert waiting.done()


def test_tabs_that_could_not_be_read_are_not_forgotten(
    loop: QEventLoop, paths: Paths, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(loop, paths, models) as (application, driver):
        driver.type("a draft")
        loop.run_until_complete(driver.new_tab())
        order = application.window.tab_order()
    with monkeypatch.context() as broken:

        async def fail(archive: object) -> None:
            raise StorageUnavailable(paths.database, "no access")

        broken.setattr("app.storage.archive.DatabaseArchive.recover", fail)
        with running(loop, paths, models) as (application, _):
            assert "cannot read" in application.window.banner.label.text()
    with running(loop, paths, models) as (application, _):
        assert application.window.tab_order() == order


def test_the_lane_panel_tells_what_runs(loop: QEventLoop, paths: Paths, models: Models, until: Until) -> None:
    with running(loop, paths, models) as (application, driver):
        engine = asked(driver, models, until)
        application.window.menus.lane.trigger()
        lane = application.window.lane
        until(lambda: lane.model.text() == "default")
        assert lane.sharing.text() == str(Sharing("rows", 8))
        until(lambda: [title for title, _ in lane.replies] == ["hello"])
        engine.emit(Filling(1, 5, 10, 0))
        until(lambda: lane.replies[0][1].startswith("Reading 50%"))
        engine.finish(1, "stop")
        until(lambda: lane.replies == [])
