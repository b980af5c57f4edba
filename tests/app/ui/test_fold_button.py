"""A line that folds: by mouse and keyboard, named by what it says."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.fold_button import FoldButton


@pytest.fixture
def button(qtbot: QtBot) -> Iterator[FoldButton]:
    host = QWidget()
    qtbot.addWidget(host)
    QLineEdit(host).setFocus()
    button = FoldButton(host)
    button.set_title("Thought for 12 s")
    button.resize(button.sizeHint())
    host.show()
    yield button
    host.hide()


def picture(button: FoldButton) -> QImage:
    return button.grab().toImage()


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_keys_toggle_it(button: FoldButton, key: Qt.Key) -> None:
    for unfolded in (True, False):
        QTest.keyClick(button, key)
        assert button.isChecked() is unfolded


def test_a_click_toggles_it_and_leaves_the_focus_where_it_is(button: FoldButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.isChecked()
    assert not button.hasFocus()
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_it_is_named_by_what_it_says_and_as_wide_as_that(button: FoldButton) -> None:
    assert button.accessibleName() == "Thought for 12 s"
    wide = button.sizeHint().width()
    button.set_title("Thought")
    assert button.accessibleName() == "Thought"
    assert button.sizeHint().width() < wide


def test_its_mark_shows_whether_it_is_folded_and_its_ground_whether_it_has_the_focus(
    qtbot: QtBot, button: FoldButton
) -> None:
    folded = picture(button)
    button.setChecked(True)
    assert picture(button) != folded
    button.setChecked(False)
    button.window().activateWindow()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    middle = folded.width() - 4, folded.height() // 2
    assert QColor(picture(button).pixel(*middle)) != QColor(folded.pixel(*middle))
