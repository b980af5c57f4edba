"""The menu bar itself."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.ui.main_window import MainWindow
from tests.app.ui.windows import opened, press


def test_every_action_has_its_menu_role(window: MainWindow) -> None:
    roles = {
        action.text(): action.menuRole()
        for menu in window.menuBar().actions()
        for action in menu.menu().actions()  # type: ignore[attr-defined]
        if not action.isSeparator()
    }
    special = {text: role for text, role in roles.items() if role != QAction.MenuRole.NoRole}
    assert special == {
        "About Interlace": QAction.MenuRole.AboutRole,
        "Quit Interlace": QAction.MenuRole.QuitRole,
    }


def test_no_two_actions_share_a_shortcut(window: MainWindow) -> None:
    taken = [
        shortcut.toString()
        for menu in window.menuBar().actions()
        for action in menu.menu().actions()  # type: ignore[attr-defined]
        for shortcut in action.shortcuts()
    ]
    assert len(taken) == len(set(taken))


def test_edit_menu_acts_on_the_focused_text(qtbot: QtBot, window: MainWindow) -> None:
    opened(window, "one")
    edit = window.tabs.tab(0).composer.edit
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is edit)
    edit.setPlainText("words")
    press(window, "Ctrl+A")
    press(window, "Ctrl+X")
    assert edit.typed_text() == ""
    press(window, "Ctrl+V")
    assert edit.typed_text() == "words"


def test_about_opens_without_blocking(window: MainWindow) -> None:
    window.menus.about.trigger()
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "Interlace" in box.text()
    box.close()
