"""What the menus, shortcuts and the sidebar do to the tabs of a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMessageBox

if TYPE_CHECKING:
    from app.ui.main_window import MainWindow

__all__ = ["WindowCommands"]


class WindowCommands(QObject):
    """Belongs to one window; remembers which of its tabs were closed, the last one first."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._closed: list[str] = []
        self._connect_menus()
        self._connect_parts()
        self._show_tabs()

    def open(self, id: str) -> None:
        """Brings a conversation to the front, in the tab it has or in a new one."""
        if self._window.tabs.place_of(id) >= 0:
            self._window.focus_tab(id)
        else:
            self._window.open_conversation_requested.emit(id)

    def close(self, id: str) -> None:
        """Closes a tab; it can be reopened."""
        self._closed.append(id)
        self._window.close_tab_requested.emit(id)

    def forget(self, id: str) -> None:
        """A conversation that is gone cannot be reopened."""
        self._closed = [closed for closed in self._closed if closed != id]

    def _connect_menus(self) -> None:
        window, menus = self._window, self._window.menus
        menus.new_chat.triggered.connect(window.new_chat_requested)
        menus.reopen.triggered.connect(self._reopen)
        menus.open_file.triggered.connect(window.model_button.choose_file)
        menus.open_folder.triggered.connect(window.model_button.choose_folder)
        menus.close_tab.triggered.connect(self._close_current)
        menus.close_window.triggered.connect(window.close)
        menus.quit.triggered.connect(window.quit_requested)
        menus.sidebar.toggled.connect(window.show_sidebar)
        menus.lane.toggled.connect(window.lane.setVisible)
        menus.stop.triggered.connect(self._stop)
        menus.minimise.triggered.connect(window.showMinimized)
        menus.next_tab.triggered.connect(lambda: self._cycle(1))
        menus.previous_tab.triggered.connect(lambda: self._cycle(-1))
        menus.last_tab.triggered.connect(lambda: window.tabs.setCurrentIndex(window.tabs.count() - 1))
        for place, action in enumerate(menus.tabs):
            action.triggered.connect(lambda _=False, place=place: window.tabs.setCurrentIndex(place))
        menus.about.triggered.connect(self._about)

    def _connect_parts(self) -> None:
        window = self._window
        window.tabs.close_requested.connect(self.close)
        window.tabs.changed.connect(self._show_tabs)
        window.sidebar.opened.connect(self.open)
        window.sidebar.deleted.connect(self.forget)

    def _reopen(self) -> None:
        while self._closed:
            id = self._closed.pop()
            if self._window.tabs.place_of(id) < 0:
                self._window.open_conversation_requested.emit(id)
                return

    def _close_current(self) -> None:
        self.close(self._window.tabs.tab(self._window.tabs.currentIndex()).conversation_id)

    def _cycle(self, step: int) -> None:
        tabs = self._window.tabs
        tabs.setCurrentIndex((tabs.currentIndex() + step) % tabs.count())

    def _stop(self) -> None:
        index = self._window.tabs.currentIndex()
        if index >= 0:
            self._window.tabs.tab(index).session.stop()

    def _show_tabs(self) -> None:
        """Lists the tabs in the menu and marks the one in front in the sidebar."""
        tabs = self._window.tabs
        titles = [tab.session.conversation.title for tab in tabs.tabs()]
        self._window.menus.set_tabs(titles, tabs.currentIndex())
        current = tabs.tab(tabs.currentIndex()).conversation_id if titles else ""
        self._window.sidebar.choose(current)
        self._window.pages.setCurrentIndex(1 if titles else 0)
        self._window.tabs_changed.emit()

    def _about(self) -> None:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIconPixmap(QApplication.windowIcon().pixmap(64, 64))
        box.setText(f"Interlace {QApplication.applicationVersion()}".strip())
        box.setInformativeText("Chat with a model on your own computer. All tabs stream together.")
        box.open()
