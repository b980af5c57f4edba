"""The composer's text field."""

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.composer_edit import LARGEST_PASTE, LONGEST_LINE, MOST_LINES, ComposerEdit, is_large


@pytest.fixture
def edit(qtbot: QtBot) -> ComposerEdit:
    edit = ComposerEdit()
    qtbot.addWidget(edit)
    edit.resize(300, edit.height())
    edit.show()
    return edit


def press(edit: ComposerEdit, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    modifiers = modifier or Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(edit, QKeyEvent(QEvent.Type.KeyPress, key, modifiers, "\r"))


def pasted(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def compose(edit: ComposerEdit, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(edit, event)


def test_u10_return_that_confirms_a_candidate_does_not_send(edit: ComposerEdit) -> None:
    sent: list[str] = []
    edit.submitted.connect(lambda: sent.append(edit.typed_text()))
    compose(edit, "にほn")
    press(edit, Qt.Key.Key_Return)
    assert sent == []
    compose(edit, "", "日本")
    press(edit, Qt.Key.Key_Return)
    assert sent == []
    QApplication.processEvents()
    press(edit, Qt.Key.Key_Return)
    assert sent == ["日本"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_sends_and_leaves_the_text_alone(qtbot: QtBot, edit: ComposerEdit, key: Qt.Key) -> None:
    QTest.keyClicks(edit, "one")
    with qtbot.waitSignal(edit.submitted):
        press(edit, key)
    assert edit.typed_text() == "one"


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier])
def test_shift_return_is_a_line_end(qtbot: QtBot, edit: ComposerEdit, modifier: Qt.KeyboardModifier) -> None:
    QTest.keyClicks(edit, "one")
    with qtbot.assertNotEmitted(edit.submitted):
        press(edit, Qt.Key.Key_Return, modifier)
    QTest.keyClicks(edit, "two")
    assert edit.typed_text() == "one\ntwo"


def test_up_recalls_in_an_empty_field_only(qtbot: QtBot, edit: ComposerEdit) -> None:
    with qtbot.waitSignal(edit.recalled):
        press(edit, Qt.Key.Key_Up)
    QTest.keyClicks(edit, "x")
    with qtbot.assertNotEmitted(edit.recalled):
        press(edit, Qt.Key.Key_Up)


def test_up_moves_between_candidates_while_composing(qtbot: QtBot, edit: ComposerEdit) -> None:
    compose(edit, "にほn")
    with qtbot.assertNotEmitted(edit.recalled):
        press(edit, Qt.Key.Key_Up)


@pytest.mark.parametrize(
    "text", ["a\u00a0b", "  indented\n\n\ttab ", "zero\u200bwidth", "line\u2028end", "👩‍👩‍👧"]
)
def test_no_character_is_changed(edit: ComposerEdit, text: str) -> None:
    edit.insertFromMimeData(pasted(text))
    assert edit.typed_text() == text


def test_a_paste_is_plain_text(edit: ComposerEdit) -> None:
    data = pasted("plain")
    data.setHtml("<b>rich</b>")
    edit.insertFromMimeData(data)
    assert edit.typed_text() == "plain"
    assert edit.currentCharFormat().fontWeight() != 700


def test_files_are_not_pasted_as_their_addresses(edit: ComposerEdit) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/etc/passwd")])
    assert not edit.canInsertFromMimeData(data)


@pytest.mark.parametrize(
    ("text", "large"),
    [
        ("x" * LONGEST_LINE, False),
        ("x" * (LONGEST_LINE + 1), True),
        ("line\n" * (LARGEST_PASTE // 5), False),
        ("line\n" * (LARGEST_PASTE // 5) + "x", True),
        ("äöüß\n" * (LARGEST_PASTE // 8), True),
        ("", False),
    ],
)
def test_u11_what_counts_as_large(text: str, large: bool) -> None:
    assert is_large(text) is large


@pytest.mark.parametrize(
    "text",
    [
        "some words\r\n" * 80_000,
        "words " * 170_000,
        "x" * 300_000,
        "12:00 log\n" * 1_000_000,
        "a\x00" * 20_000,
    ],
    ids=["lines", "one-line", "no-space", "log", "nul"],
)
def test_u11_a_large_paste_is_told_exactly_and_not_inserted(
    qtbot: QtBot, edit: ComposerEdit, text: str
) -> None:
    QTest.keyClicks(edit, "typed")
    with qtbot.waitSignal(edit.large_paste) as signal:
        edit.insertFromMimeData(pasted(text))
    assert signal.args == [text]
    assert edit.typed_text() == "typed"


def test_it_grows_with_its_lines_up_to_a_limit(qtbot: QtBot, edit: ComposerEdit) -> None:
    heights = []
    for count in (1, 2, 5, MOST_LINES, 3 * MOST_LINES):
        edit.setPlainText("\n".join(["line"] * count))
        heights.append(edit.height())
    assert heights[0] < heights[1] < heights[2] < heights[3] == heights[4]
    assert edit.verticalScrollBar().maximum() > 0
