"""What shortcuts, menus and the sidebar do."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.records import Conversation
from app.ui.empty_state import EmptyState
from app.ui.main_window import MainWindow
from tests.app.ui.windows import front, opened, press


def test_the_last_closed_tab_is_reopened_first(qtbot: QtBot, window: MainWindow) -> None:
    sessions = opened(window, "one", "two", "three")
    window.close_tab_requested.connect(window.remove_tab)
    for _ in range(2):
        press(window, "Ctrl+W")
    wanted: list[str] = []
    window.open_conversation_requested.connect(wanted.append)
    for _ in range(3):
        press(window, "Ctrl+Shift+T")
    assert wanted == [sessions[1].conversation.id, sessions[0].conversation.id]


def test_a_tab_that_came_back_otherwise_is_not_reopened(qtbot: QtBot, window: MainWindow) -> None:
    (one,) = opened(window, "one")
    window.close_tab_requested.connect(window.remove_tab)
    press(window, "Ctrl+W")
    window.add_tab(one, focus=True)  # type: ignore[arg-type]
    with qtbot.assertNotEmitted(window.open_conversation_requested):
        press(window, "Ctrl+Shift+T")


def test_a_deleted_conversation_is_not_reopened(qtbot: QtBot, window: MainWindow) -> None:
    (one,) = opened(window, "one")
    window.close_tab_requested.connect(window.remove_tab)
    press(window, "Ctrl+W")
    with qtbot.waitSignal(window.delete_requested):
        window.sidebar.deleted.emit(one.conversation.id)
    with qtbot.assertNotEmitted(window.open_conversation_requested):
        press(window, "Ctrl+Shift+T")


def test_without_tabs_the_greeting_comes_back(window: MainWindow) -> None:
    (one,) = opened(window, "one")
    window.remove_tab(one.conversation.id)
    assert isinstance(window.pages.currentWidget(), EmptyState)
    press(window, "Ctrl+W")
    press(window, "Ctrl+Shift+]")
    press(window, "Esc")


def test_numbers_pick_tabs_and_nine_the_last(window: MainWindow) -> None:
    opened(window, *(f"tab {number}" for number in range(1, 12)))
    for keys, title in (("Ctrl+3", "tab 3"), ("Ctrl+8", "tab 8"), ("Ctrl+9", "tab 11"), ("Ctrl+1", "tab 1")):
        press(window, keys)
        assert front(window) == title


def test_numbers_without_a_tab_do_nothing(window: MainWindow) -> None:
    opened(window, "one", "two")
    press(window, "Ctrl+3")
    assert front(window) == "one"
    press(window, "Ctrl+9")
    assert front(window) == "two"


@pytest.mark.parametrize(("forward", "back"), [("Ctrl+Shift+]", "Ctrl+Shift+["), ("Ctrl+}", "Ctrl+{")])
def test_brackets_cycle(window: MainWindow, forward: str, back: str) -> None:
    opened(window, "one", "two", "three")
    press(window, back)
    assert front(window) == "three"
    press(window, forward)
    press(window, forward)
    assert front(window) == "two"


@pytest.mark.parametrize("keys", ["Esc", "Ctrl+."])
def test_stop_ends_the_reply_of_the_tab_in_front(window: MainWindow, keys: str) -> None:
    one, two = opened(window, "one", "two")
    window.focus_tab(two.conversation.id)
    press(window, keys)
    assert (one.stops, two.stops) == (0, 1)


@pytest.mark.parametrize("keys", ["Ctrl+T", "Ctrl+N"])
def test_new_chat_shortcuts(qtbot: QtBot, window: MainWindow, keys: str) -> None:
    with qtbot.waitSignal(window.new_chat_requested):
        press(window, keys)


def test_a_shortcut_works_from_the_composer(qtbot: QtBot, window: MainWindow) -> None:
    (one,) = opened(window, "one")
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.tabs.tab(0).composer.edit)
    QTest.keyClick(window.tabs.tab(0).composer.edit, Qt.Key.Key_Escape)
    assert one.stops == 1


def test_quit_and_close(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.quit_requested):
        press(window, "Ctrl+Q")
    with qtbot.waitSignal(window.closed):
        press(window, "Ctrl+Shift+W")
    assert not window.isVisible()


def test_sidebar_shortcut_hides_and_shows(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.sidebar_toggled) as signal:
        press(window, "Ctrl+B")
    assert signal.args == [False]
    assert not window.sidebar.isVisible()
    with qtbot.waitSignal(window.sidebar_toggled):
        window.show_sidebar(True)
    assert window.sidebar.isVisible()
    assert window.menus.sidebar.isChecked()


def test_sidebar_opens_a_conversation_or_its_tab(qtbot: QtBot, window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    window.set_conversations([one.conversation, two.conversation, Conversation("x", "Other", 0, 0)])
    with qtbot.assertNotEmitted(window.open_conversation_requested):
        window.sidebar.opened.emit(two.conversation.id)
    assert front(window) == "two"
    with qtbot.waitSignal(window.open_conversation_requested) as signal:
        window.sidebar.opened.emit("x")
    assert signal.args == ["x"]


def test_sidebar_marks_the_tab_in_front(window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    window.set_conversations([one.conversation, two.conversation])
    assert window.sidebar.list.currentItem().text() == "one"
    window.focus_tab(two.conversation.id)
    assert window.sidebar.list.currentItem().text() == "two"
