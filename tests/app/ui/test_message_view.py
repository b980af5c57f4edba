"""A reply as it streams."""

import time
from functools import partial
from itertools import pairwise

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.records import Message, MessageState
from app.ui.live_text import UPDATE_MS
from app.ui.message_view import ReplyView
from app.ui.reply_document import ReplyDocument
from app.ui.theme import Theme
from tests.app.ui.documents import fragments
from tests.app.ui.fake_session import reply
from tests.app.ui.palettes import dark, light

STREAMING = reply("", MessageState.STREAMING)


def ended(text: str, state: MessageState = MessageState.COMPLETE, note: str = "") -> Message:
    return Message(STREAMING.id, "c", "assistant", text, 0.0, state, note=note)


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When a document was brought up to date."""
    times: list[float] = []
    update = ReplyDocument.update

    def counted(document: ReplyDocument) -> bool:
        times.append(time.monotonic())
        return update(document)

    monkeypatch.setattr(ReplyDocument, "update", counted)
    return times


@pytest.fixture
def view(qtbot: QtBot) -> ReplyView:
    view = ReplyView(STREAMING, "SmolLM2")
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show()
    return view


def says(view: ReplyView, text: str) -> bool:
    """Whether that is what a reply shows, white space at the ends aside."""
    return view.text.toPlainText().strip() == text.strip()


def test_pieces_become_the_text(qtbot: QtBot, view: ReplyView) -> None:
    for piece in ("Hel", "lo **wo", "rld**"):
        view.append(piece)
    qtbot.waitUntil(lambda: view.text.toPlainText() == "Hello world")


def test_u01_pieces_that_come_together_are_laid_out_together(
    qtbot: QtBot, view: ReplyView, updates: list[float]
) -> None:
    updates.clear()
    for _ in range(100):
        view.append("word ")
    assert updates == []
    qtbot.waitUntil(lambda: "word" in view.text.toPlainText())
    assert len(updates) == 1
    assert view.text.toPlainText().count("word") == 100


def test_u01_updates_keep_their_distance(qtbot: QtBot, view: ReplyView, updates: list[float]) -> None:
    updates.clear()
    for count in range(1, 5):
        view.append("word ")
        qtbot.waitUntil(partial(says, view, "word " * count))
    assert all(later - earlier > 0.9 * UPDATE_MS / 1_000 for earlier, later in pairwise(updates))


def running(view: ReplyView) -> bool:
    """Whether any timer of the view's runs."""
    return any(timer.isActive() for timer in view.findChildren(QTimer))


def test_nothing_is_laid_out_while_hidden(qtbot: QtBot, view: ReplyView, updates: list[float]) -> None:
    view.hide()
    updates.clear()
    view.append("came while hidden")
    assert not running(view)
    assert updates == []
    view.show()
    assert view.text.toPlainText() == "came while hidden"


def test_text_that_waits_when_the_view_is_hidden_goes_on_waiting(
    qtbot: QtBot, view: ReplyView, updates: list[float]
) -> None:
    view.append("nearly shown")
    view.hide()
    updates.clear()
    qtbot.waitUntil(lambda: not running(view))
    assert updates == []
    view.show()
    assert view.text.toPlainText() == "nearly shown"


def test_no_timer_runs_once_the_text_is_shown(qtbot: QtBot, view: ReplyView) -> None:
    view.append("all of it")
    assert running(view)
    qtbot.waitUntil(lambda: view.text.toPlainText() == "all of it")
    assert not running(view)


def test_a_selection_survives_what_comes_after_it(qtbot: QtBot, view: ReplyView) -> None:
    view.append("First paragraph.\n\nSecond **one")
    qtbot.waitUntil(lambda: "Second" in view.text.toPlainText())
    for first, last in ((6, 15), (19, 23)):
        cursor = view.text.textCursor()
        cursor.setPosition(first)
        cursor.setPosition(last, cursor.MoveMode.KeepAnchor)
        view.text.setTextCursor(cursor)
        selected = cursor.selectedText()
        before = view.text.toPlainText()
        view.append(" and more")
        qtbot.waitUntil(partial(says, view, before + " and more"))
        assert view.text.textCursor().selectedText() == selected


def test_one_reply_is_one_accessible_item_with_its_text(qtbot: QtBot, view: ReplyView) -> None:
    assert view.text.accessibleName() == "SmolLM2"
    view.append("Hello")
    view.show_message(ended("Hello"))
    assert view.text.accessibleDescription() == "Hello"


def test_a_stored_end_that_goes_on_adds_the_rest(qtbot: QtBot, view: ReplyView) -> None:
    view.append("Hel")
    view.show_message(ended("Hello"))
    qtbot.waitUntil(lambda: view.text.toPlainText() == "Hello")


def test_a_stored_end_that_differs_wins(qtbot: QtBot, view: ReplyView) -> None:
    view.append("one\n\ntwo")
    qtbot.waitUntil(lambda: "two" in view.text.toPlainText())
    view.show_message(ended("three"))
    qtbot.waitUntil(lambda: view.text.toPlainText() == "three")


@pytest.mark.parametrize("state", [MessageState.STOPPED, MessageState.FAILED])
def test_a_note_says_how_it_ended(view: ReplyView, state: MessageState) -> None:
    view.append("Half")
    view.show_message(ended("Half", state, "Stopped."))
    assert view.note.text() == "Stopped."
    assert view.note.isVisible()
    theme = Theme.of(view.note.palette())
    color = view.note.palette().windowText().color()
    assert color == (theme.caution if state is MessageState.FAILED else theme.quiet)


def test_a_reply_that_failed_before_its_first_word_is_only_its_note(view: ReplyView) -> None:
    view.show_message(ended("", MessageState.FAILED, "It failed."))
    assert view.text.isHidden()
    assert view.note.isVisible()


def test_u25_shown_text_changes_its_colours_with_the_system(qtbot: QtBot) -> None:
    before = QApplication.palette()
    try:
        QApplication.setPalette(light())
        view = ReplyView(reply("Text [link](https://a.b)\n\n```py\ncode\n```\n"), "SmolLM2")
        host = QWidget()
        qtbot.addWidget(host)
        QVBoxLayout(host).addWidget(view)
        host.show()
        height = view.text.height()
        QApplication.setPalette(dark())
        theme = Theme.of(dark())
        wanted = {theme.text.name(), theme.link.name()}

        def colors() -> set[str]:
            return {look.foreground().color().name() for _, look in fragments(view.text.document())}

        qtbot.waitUntil(lambda: colors() == wanted)
        assert view.text.height() == height
    finally:
        QApplication.setPalette(before)


def test_line_ends_of_other_systems_end_lines(qtbot: QtBot, view: ReplyView) -> None:
    view.append("```py\r\na = 1\rb = 2\r\n```\r\nafter")
    qtbot.waitUntil(lambda: view.text.toPlainText().endswith("after"))
    assert view.text.toPlainText().split("\n")[-3:] == ["a = 1", "b = 2", "after"]
