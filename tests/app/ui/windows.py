"""A window with tabs, and what its menus do."""

from PySide6.QtGui import QAction, QKeySequence

from app.ui.main_window import MainWindow
from tests.app.ui.fake_session import FakeSession


def opened(window: MainWindow, *titles: str) -> list[FakeSession]:
    """A tab for each title, the first in front."""
    sessions = [FakeSession(title) for title in titles]
    for session in sessions:
        window.add_tab(session, focus=False)  # type: ignore[arg-type]
    return sessions


def front(window: MainWindow) -> str:
    """The title of the tab in front."""
    return window.tabs.tabToolTip(window.tabs.currentIndex())


def actions(window: MainWindow) -> dict[str, QAction]:
    """Every shortcut of the menus, in portable text."""
    found: dict[str, QAction] = {}
    for menu in window.menuBar().actions():
        for action in menu.menu().actions():  # type: ignore[attr-defined]
            for shortcut in action.shortcuts():
                found[shortcut.toString(QKeySequence.SequenceFormat.PortableText)] = action
    return found


def press(window: MainWindow, keys: str) -> None:
    """Does what a shortcut of the menus does."""
    action = actions(window)[keys]
    if action.isEnabled() and action.isVisible():
        action.trigger()
