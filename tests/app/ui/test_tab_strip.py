"""The tabs of a window."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.records import Progress
from app.ui.glyph_button import GlyphButton
from app.ui.main_window import MainWindow
from tests.app.ui.fake_session import reply
from tests.app.ui.windows import front, opened, press


def test_tabs_stand_in_order_and_the_first_is_in_front(window: MainWindow) -> None:
    sessions = opened(window, "one", "two")
    assert window.tab_order() == [session.conversation.id for session in sessions]
    assert front(window) == "one"
    assert window.pages.currentWidget() is window.tabs


def test_a_conversation_has_one_tab(qtbot: QtBot, window: MainWindow) -> None:
    one, _ = opened(window, "one", "two")
    window.focus_tab(window.tab_order()[1])
    with qtbot.waitSignal(window.tab_focused) as signal:
        window.add_tab(one, focus=True)  # type: ignore[arg-type]
    assert signal.args == [one.conversation.id]
    assert window.tabs.count() == 2


def test_a_focused_tab_is_ready_to_type_in(qtbot: QtBot, window: MainWindow) -> None:
    opened(window, "one", "two")
    window.focus_tab(window.tab_order()[1])
    tab = window.tabs.tab(1)
    qtbot.waitUntil(lambda: window.focusWidget() is tab.composer.edit)


def test_a_clicked_tab_is_ready_to_type_in(qtbot: QtBot, window: MainWindow) -> None:
    opened(window, "one", "two")
    bar = window.tabs.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(1).center())
    assert front(window) == "two"
    tab = window.tabs.tab(1)
    qtbot.waitUntil(lambda: window.focusWidget() is tab.composer.edit)


def test_closing_asks_and_removing_leaves_the_session_alone(qtbot: QtBot, window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    one.move(Progress("replying", tokens=3))
    with qtbot.waitSignal(window.close_tab_requested) as signal:
        press(window, "Ctrl+W")
    assert signal.args == [one.conversation.id]
    assert window.tabs.count() == 2
    window.remove_tab(one.conversation.id)
    window.remove_tab("unknown")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    one.move(Progress())
    one.message_changed.emit(reply("end"))
    assert one.stops == 0
    assert window.tab_order() == [two.conversation.id]


def test_the_cross_of_a_tab_closes_that_tab(qtbot: QtBot, window: MainWindow) -> None:
    _, two = opened(window, "one", "two")
    bar = window.tabs.tabBar()
    crosses = [bar.tabButton(1, side) for side in (bar.ButtonPosition.LeftSide, bar.ButtonPosition.RightSide)]
    (cross,) = (button for button in crosses if isinstance(button, GlyphButton))
    with qtbot.waitSignal(window.close_tab_requested) as signal:
        cross.click()
    assert signal.args == [two.conversation.id]


def test_a_new_title_shows_on_the_tab_and_in_the_menu(window: MainWindow) -> None:
    (one,) = opened(window, "New chat")
    one.rename("Salt & pepper")
    assert window.tabs.tabText(0) == "Salt && pepper"
    assert window.menus.tabs[0].text() == "Salt && pepper"


def test_a_tab_is_marked_while_busy_and_when_a_reply_came(window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    bar = window.tabs.tabBar()

    def mark() -> tuple[bool, str]:
        return not window.tabs.tabIcon(1).isNull(), bar.accessibleTabName(1)

    assert mark() == (False, "two")
    two.move(Progress("replying", tokens=1))
    assert mark() == (True, "two, busy")
    two.message_changed.emit(reply("end"))
    two.move(Progress())
    assert mark() == (True, "two, new reply")
    window.focus_tab(two.conversation.id)
    assert mark() == (False, "two")
    two.message_changed.emit(reply("end"))
    assert mark() == (False, "two")
    assert one.stops == two.stops == 0


def test_tabs_can_be_moved_and_the_order_is_told(qtbot: QtBot, window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    assert window.tabs.isMovable()
    with qtbot.waitSignal(window.tabs_changed):
        window.tabs.tabBar().moveTab(0, 1)
    assert window.tab_order() == [two.conversation.id, one.conversation.id]


def test_u16_switching_tabs_saves_each_draft_in_its_own_chat(qtbot: QtBot, window: MainWindow) -> None:
    one, two = opened(window, "one", "two")
    QTest.keyClicks(window.tabs.tab(0).composer.edit, "for one")
    window.focus_tab(two.conversation.id)
    assert one.draft.text == "for one"
    QTest.keyClicks(window.tabs.tab(1).composer.edit, "for two")
    window.focus_tab(one.conversation.id)
    assert two.draft.text == "for two"
    assert window.tabs.tab(0).composer.draft.text == "for one"
