"""The text of a message as a widget."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.message_text import MessageText
from app.ui.theme import Theme
from tests.app.ui.palettes import dark, light


@pytest.fixture
def text(qtbot: QtBot) -> MessageText:
    text = MessageText()
    qtbot.addWidget(text)
    text.resize(400, 100)
    text.show()
    return text


def test_it_is_as_high_as_its_text(text: MessageText) -> None:
    text.setPlainText("one line")
    text.fit()
    low = text.height()
    text.setPlainText("line\n" * 20)
    text.fit()
    assert text.height() > 10 * low
    assert text.verticalScrollBar().maximum() == 0


def test_it_grows_when_it_gets_narrower(qtbot: QtBot, text: MessageText) -> None:
    text.setPlainText("some words " * 40)
    text.fit()
    high = text.height()
    text.resize(150, text.height())
    qtbot.waitUntil(lambda: text.height() > 2 * high)


def test_u04_nothing_is_ever_loaded(text: MessageText) -> None:
    kind = QTextDocument.ResourceType.ImageResource.value
    for address in ("http://127.0.0.1:9/a.png", "file:///etc/passwd", "data:image/svg+xml,<svg/>"):
        assert not text.document().resource(kind, QUrl(address))
    assert not text.openLinks()
    assert not text.openExternalLinks()


def test_it_is_read_only_and_leaves_scrolling_to_the_transcript(qtbot: QtBot, text: MessageText) -> None:
    text.setPlainText("words")
    QTest.keyClicks(text, "typed")
    assert text.toPlainText() == "words"
    wheel = QWheelEvent(
        QPointF(),
        QPointF(),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(text.viewport(), wheel)
    assert not wheel.isAccepted()


def test_selection_survives_a_change_of_what_follows(text: MessageText) -> None:
    text.setPlainText("select this and more")
    cursor = text.textCursor()
    cursor.setPosition(7)
    cursor.setPosition(11, cursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    selection = text.keep_selection()
    text.setPlainText("select this or less")
    text.restore_selection(selection)
    assert text.textCursor().selectedText() == "this"


def test_selection_ends_where_the_text_ends(text: MessageText) -> None:
    text.setPlainText("short")
    text.restore_selection((3, 40))
    assert text.textCursor().selectedText() == "rt"


def test_u25_it_follows_the_palette_while_running(qtbot: QtBot, text: MessageText) -> None:
    before = QApplication.palette()
    try:
        QApplication.setPalette(light())
        qtbot.waitUntil(lambda: text.text_style.theme == Theme.of(light()))
        with qtbot.waitSignal(text.restyled):
            QApplication.setPalette(dark())
        assert text.text_style.theme.dark
        assert text.palette().highlight().color() == text.text_style.theme.selection
    finally:
        QApplication.setPalette(before)
