"""Chips and their preview."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.chip import Chip
from app.ui.glyph_button import GlyphButton
from app.ui.preview import LONGEST_LINE, MOST_CHARACTERS, Preview, beginning
from app.ui.quiet_label import QuietLabel
from tests.app.ui.fake_session import attachment


def test_a_click_shows_the_beginning_and_the_window_stays_usable(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    chip = Chip(attachment("first line\nsecond"), removable=False, parent=window)
    window.show()
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    preview = window.findChild(Preview)
    assert preview is not None
    assert preview.text.toPlainText() == "first line\nsecond"
    assert preview.text.isReadOnly()
    assert not preview.isModal()


def test_its_cross_removes_it_and_only_that(qtbot: QtBot) -> None:
    document = attachment()
    chip = Chip(document, removable=True)
    qtbot.addWidget(chip)
    chip.resize(chip.sizeHint())
    chip.show()
    (cross,) = chip.findChildren(GlyphButton)
    assert cross.accessibleName() == "Remove Pasted text"
    with qtbot.waitSignal(chip.removed) as removed, qtbot.assertNotEmitted(chip.clicked):
        QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert removed.args == [document]


def test_u11_a_preview_is_limited_and_says_so(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    preview = Preview(attachment("x" * 300_000), parent)
    shown = preview.text.toPlainText()
    assert len(shown.replace("\n", "")) == MOST_CHARACTERS
    assert max(map(len, shown.split("\n"))) == LONGEST_LINE
    caption = preview.findChild(QuietLabel)
    assert caption is not None
    assert caption.text() == "300 KB · the first 50,000 of 300,000 characters; the model reads all of it"


def test_a_short_text_is_previewed_whole() -> None:
    assert beginning("a\n\nb\n") == "a\n\nb\n"
