"""The menu bar: every action of the window and its shortcuts. "Ctrl" is Command on a Mac, "Meta" Control."""

import sys
from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

__all__ = ["Menus"]

_CONTROL = "Meta" if sys.platform == "darwin" else "Ctrl"


class Menus:
    """Attributes: one QAction for each thing the window does."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        bar = window.menuBar()
        self._fill_file(bar.addMenu("&File"))
        self._fill_edit(bar.addMenu("&Edit"))
        self._fill_view(bar.addMenu("&View"))
        self._fill_window(bar.addMenu("&Window"))
        help_menu = bar.addMenu("&Help")
        self.about = self._action(help_menu, "About Interlace", role=QAction.MenuRole.AboutRole)

    def set_tabs(self, titles: Sequence[str], current: int) -> None:
        """Lists the first eight tabs by number."""
        for place, action in enumerate(self.tabs):
            action.setVisible(place < len(titles))
            action.setChecked(place == current)
            if place < len(titles):
                action.setText(titles[place].replace("&", "&&"))
        for action in (self.last_tab, self.next_tab, self.previous_tab, self.close_tab):
            action.setEnabled(bool(titles))

    def _fill_file(self, menu: QMenu) -> None:
        self.new_chat = self._action(menu, "New Chat", "Ctrl+T", "Ctrl+N")
        self.reopen = self._action(menu, "Reopen Closed Chat", "Ctrl+Shift+T")
        menu.addSeparator()
        self.open_file = self._action(menu, "Open Model File…", "Ctrl+O")
        self.open_folder = self._action(menu, "Open Model Folder…", "Ctrl+Shift+O")
        menu.addSeparator()
        self.close_tab = self._action(menu, "Close Tab", "Ctrl+W")
        self.close_window = self._action(menu, "Close Window", "Ctrl+Shift+W")
        menu.addSeparator()
        self.quit = self._action(menu, "Quit Interlace", "Ctrl+Q", role=QAction.MenuRole.QuitRole)

    def _fill_edit(self, menu: QMenu) -> None:
        keys = QKeySequence.StandardKey
        for text, method, key in (
            ("Undo", "undo", keys.Undo),
            ("Redo", "redo", keys.Redo),
            ("", "", None),
            ("Cut", "cut", keys.Cut),
            ("Copy", "copy", keys.Copy),
            ("Paste", "paste", keys.Paste),
            ("Select All", "selectAll", keys.SelectAll),
        ):
            if key is None:
                menu.addSeparator()
                continue
            action = self._action(menu, text)
            action.setShortcuts(key)
            action.triggered.connect(_on_focused(method))

    def _fill_view(self, menu: QMenu) -> None:
        self.sidebar = self._action(menu, "Show Sidebar", "Ctrl+B")
        self.sidebar.setCheckable(True)
        self.sidebar.setChecked(True)
        self.lane = self._action(menu, "Show Lane", "Ctrl+Shift+L")
        self.lane.setCheckable(True)
        menu.addSeparator()
        self.stop = self._action(menu, "Stop Reply", "Ctrl+.", "Esc")

    def _fill_window(self, menu: QMenu) -> None:
        self.minimise = self._action(menu, "Minimise", "Ctrl+M")
        menu.addSeparator()
        self.next_tab = self._action(menu, "Show Next Tab", "Ctrl+Shift+]", "Ctrl+}", f"{_CONTROL}+Tab")
        self.previous_tab = self._action(
            menu, "Show Previous Tab", "Ctrl+Shift+[", "Ctrl+{", f"{_CONTROL}+Shift+Tab"
        )
        menu.addSeparator()
        self.last_tab = self._action(menu, "Last Tab", "Ctrl+9")
        self.tabs = [self._action(menu, "Tab", f"Ctrl+{number}") for number in range(1, 9)]
        for action in self.tabs:
            action.setCheckable(True)

    def _action(
        self, menu: QMenu, text: str, *keys: str, role: QAction.MenuRole = QAction.MenuRole.NoRole
    ) -> QAction:
        action = QAction(text, self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setMenuRole(role)
        menu.addAction(action)
        return action


def _on_focused(method: str) -> Callable[[], None]:
    """Calls an editing method of the widget with the keyboard, where it has it."""

    def call() -> None:
        act = getattr(QApplication.focusWidget(), method, None)
        if act is not None:
            act()

    return call
