"""The list of conversations."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.records import Conversation
from app.ui.sidebar import Sidebar

CONVERSATIONS = [
    Conversation("a", "Apples & pears", 0, updated=1),
    Conversation("b", "<b>Bread</b>", 0, updated=3),
    Conversation("c", "Cake", 0, updated=2),
]


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    sidebar = Sidebar()
    qtbot.addWidget(sidebar)
    sidebar.resize(200, 300)
    sidebar.set_conversations(CONVERSATIONS)
    sidebar.show()
    return sidebar


def titles(sidebar: Sidebar) -> list[str]:
    return [sidebar.list.item(row).text() for row in range(sidebar.list.count())]


def place(sidebar: Sidebar, row: int) -> QPoint:
    return sidebar.list.visualItemRect(sidebar.list.item(row)).center()


def choose_action(sidebar: Sidebar, row: int, text: str) -> None:
    """Picks from a row's context menu."""
    sidebar.list.customContextMenuRequested.emit(place(sidebar, row))
    menu = sidebar.findChild(QMenu)
    assert menu is not None
    next(action for action in menu.actions() if action.text() == text).trigger()
    menu.close()


def test_newest_first(sidebar: Sidebar) -> None:
    assert titles(sidebar) == ["<b>Bread</b>", "Cake", "Apples & pears"]


def test_a_click_opens(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.waitSignal(sidebar.opened) as signal:
        QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place(sidebar, 1))
    assert signal.args == ["c"]


def test_the_front_one_is_marked_and_stays_so(sidebar: Sidebar) -> None:
    sidebar.choose("a")
    assert sidebar.list.currentItem().text() == "Apples & pears"
    sidebar.set_conversations([*CONVERSATIONS, Conversation("d", "Dates", 0, updated=9)])
    assert sidebar.list.currentItem().text() == "Apples & pears"
    sidebar.choose("unknown")
    assert sidebar.list.currentItem() is None


def test_rename_in_place(qtbot: QtBot, sidebar: Sidebar) -> None:
    choose_action(sidebar, 1, "Rename")
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("  Cheese \n cake ")
    with qtbot.waitSignal(sidebar.renamed) as signal:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert signal.args == ["c", "Cheese cake"]


def test_an_emptied_title_comes_back(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.assertNotEmitted(sidebar.renamed):
        sidebar.list.item(1).setText("   ")
    assert titles(sidebar)[1] == "Cake"


def answer(qtbot: QtBot, sidebar: Sidebar, text: str) -> None:
    box = sidebar.findChild(QMessageBox)
    assert box is not None
    assert box.text() == "Delete “<b>Bread</b>”?"
    assert box.textFormat() == Qt.TextFormat.PlainText
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()


def test_delete_asks_first(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.assertNotEmitted(sidebar.deleted):
        choose_action(sidebar, 0, "Delete…")
    with qtbot.waitSignal(sidebar.deleted) as signal:
        answer(qtbot, sidebar, "Delete")
    assert signal.args == ["b"]


def test_a_declined_delete_does_nothing(qtbot: QtBot, sidebar: Sidebar) -> None:
    choose_action(sidebar, 0, "Delete…")
    with qtbot.assertNotEmitted(sidebar.deleted):
        answer(qtbot, sidebar, "Cancel")


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_no_key_deletes(qtbot: QtBot, sidebar: Sidebar, key: Qt.Key) -> None:
    sidebar.choose("b")
    with qtbot.assertNotEmitted(sidebar.deleted):
        QTest.keyClick(sidebar.list, key)
    assert sidebar.findChild(QMessageBox) is None


def test_new_chat(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.waitSignal(sidebar.new_requested):
        sidebar.new_button.click()
