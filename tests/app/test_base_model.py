"""A model without a working chat template, on the real engine and in the real window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from qasync import QEventLoop

from app.application import Application
from app.driver import Driver
from app.paths import Paths
from app.records import MessageState
from app.settings import Settings, save_settings
from engine import open_model
from tests.tiny import make_tiny

Until = Callable[[Callable[[], object]], None]


def application(loop: QEventLoop, paths: Paths, model: Path) -> Application:
    async def start() -> Application:
        application = Application(paths, model, open_model)
        await application.start()
        return application

    save_settings(paths.settings, Settings(seed=1, max_tokens=12))
    return loop.run_until_complete(start())


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        (None, "base is a base model: it has no chat template."),
        ("{% for m in messages %}{{ m.content }", "The chat template of base is broken (line 1: "),
        ("a\nb\n{{ messages[0].content.foo.bar }}", "The chat template of base is broken (line 3: "),
    ],
)
def test_t01_t07_the_notice_comes_with_the_model_and_a_choice_makes_it_answer(
    loop: QEventLoop, paths: Paths, tmp_path: Path, until: Until, template: str | None, sentence: str
) -> None:
    running = application(loop, paths, make_tiny(tmp_path / "base", chat_template=template))
    driver = Driver(running)
    notice = driver.tab.template_bar
    driver.type("the quick brown fox")
    until(notice.isVisible)
    assert notice.label.text().startswith(sentence)
    driver.press_return()
    assert driver.tab.composer.draft.text == "the quick brown fox"
    notice.buttons["plain"].click()
    driver.press_return()
    until(lambda: driver.session.messages and not driver.session.busy)
    question, answer = driver.session.messages
    assert question.text == "the quick brown fox"
    assert answer.state is MessageState.COMPLETE
    assert answer.tokens or answer.text
    loop.run_until_complete(running.close())
