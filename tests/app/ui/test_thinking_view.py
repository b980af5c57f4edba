"""Thinking is one line above the answer, and its text when asked for."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.records import Message, MessageState
from app.ui.message_view import ReplyView
from app.ui.theme import Theme
from tests.app.ui.documents import fragments
from tests.app.ui.fake_session import reply
from tests.app.ui.palettes import dark, light

STREAMING = reply("", MessageState.STREAMING)


@pytest.fixture
def view(qtbot: QtBot) -> ReplyView:
    return shown(qtbot, STREAMING)


def shown(qtbot: QtBot, message: Message) -> ReplyView:
    view = ReplyView(message, "Qwen3")
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show()
    return view


def test_a_reply_without_thinking_has_no_line(view: ReplyView) -> None:
    view.append("four")
    assert view.thinking.isHidden()


def test_s09_the_line_says_what_goes_on_and_the_answer_stays_empty(view: ReplyView) -> None:
    view.think("plan", 0.0)
    assert view.thinking.isVisible()
    assert view.thinking.fold.text() == "Thinking…"
    assert view.thinking.text.isHidden()
    assert view.text.isHidden()
    view.think("ning", 12.3)
    view.append("four")
    assert view.thinking.fold.text() == view.thinking.fold.accessibleName() == "Thought for 12 s"


@pytest.mark.parametrize(
    ("seconds", "title"),
    [(0.0, "Thought"), (0.4, "Thought"), (1.2, "Thought for 1 s"), (125.0, "Thought for 2 min 5 s")],
)
def test_a_stored_reply_says_how_long_it_was_thought_about(qtbot: QtBot, seconds: float, title: str) -> None:
    view = shown(qtbot, reply("four", thinking="plan", thought=seconds))
    assert view.thinking.fold.text() == title


def test_s09_a_reply_that_ended_while_thinking_is_its_line_and_its_note(
    qtbot: QtBot, view: ReplyView
) -> None:
    view.think("plan", 3.0)
    view.show_message(
        replace(STREAMING, thinking="planning", thought=3.0, state=MessageState.STOPPED, note="Stopped.")
    )
    assert view.thinking.fold.text() == "Thought for 3 s"
    assert view.note.isVisible()
    view.thinking.fold.click()
    qtbot.waitUntil(lambda: view.thinking.text.toPlainText() == "planning")
    assert view.text.isHidden()


def test_nothing_is_laid_out_while_it_is_folded(qtbot: QtBot, view: ReplyView) -> None:
    view.think("one\n\ntwo", 0.0)
    view.append("four")
    qtbot.waitUntil(lambda: view.text.toPlainText() == "four")
    assert view.thinking.text.toPlainText() == ""
    view.thinking.fold.click()
    assert view.thinking.text.toPlainText() == "one\ntwo"
    view.thinking.fold.click()
    assert view.thinking.text.isHidden()


def test_unfolded_it_grows_with_what_is_thought(qtbot: QtBot, view: ReplyView) -> None:
    view.think("one ", 0.0)
    view.thinking.fold.click()
    height = view.thinking.text.height()
    view.think("two\n\nthree", 0.5)
    qtbot.waitUntil(lambda: view.thinking.text.toPlainText() == "one two\nthree")
    assert view.thinking.text.height() > height


def test_what_came_while_the_tab_was_hidden_is_there_when_it_is_shown(view: ReplyView) -> None:
    view.think("one ", 0.0)
    view.thinking.fold.click()
    view.hide()
    view.think("two", 0.5)
    view.show()
    assert view.thinking.text.toPlainText() == "one two"


def test_its_text_is_an_accessible_item_and_the_line_says_what_a_click_does(qtbot: QtBot) -> None:
    view = shown(qtbot, reply("four", thinking="plan"))
    assert view.thinking.text.accessibleName() == "Thinking"
    assert view.thinking.text.accessibleDescription() == "plan"
    assert view.thinking.fold.accessibleDescription() == "Shows what was thought"
    view.thinking.fold.click()
    assert view.thinking.fold.accessibleDescription() == "Hides what was thought"


def test_u25_it_is_quieter_than_the_answer_in_light_and_dark(qtbot: QtBot) -> None:
    before = QApplication.palette()
    try:
        QApplication.setPalette(light())
        view = shown(qtbot, reply("four", thinking="plan"))
        view.thinking.fold.click()

        def colors() -> set[str]:
            return {look.foreground().color().name() for _, look in fragments(view.thinking.text.document())}

        assert colors() == {Theme.of(light()).quiet.name()}
        QApplication.setPalette(dark())
        qtbot.waitUntil(lambda: colors() == {Theme.of(dark()).quiet.name()})
        small, large = view.thinking.text.text_style.font, view.text.text_style.font
        assert small.pointSizeF() < large.pointSizeF()
    finally:
        QApplication.setPalette(before)
