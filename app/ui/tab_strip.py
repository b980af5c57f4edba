"""The tabs, each one session, with a mark while its reply is under way and another for news."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QStyle, QTabBar, QTabWidget, QWidget

from app.ui.chat_tab import ChatTab
from app.ui.glyph_button import GlyphButton
from app.ui.marks import busy_icon, unread_icon
from app.ui.reply_bar import share_done
from app.ui.theme import GRID, Theme

__all__ = ["TabStrip"]

_WIDEST = 26 * GRID


class _Bar(QTabBar):
    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), _WIDEST), hint.height())


class TabStrip(QTabWidget):
    """Chat tabs that can be moved and closed.

    Signals:
        focused: the conversation id of the tab that came to the front.
        close_requested: the conversation id of a tab to close.
        changed: the tabs, their order, titles or the front one changed.
    """

    focused = Signal(str)
    close_requested = Signal(str)
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unread: set[str] = set()
        bar = _Bar(self)
        self.setTabBar(bar)
        self.setDocumentMode(True)
        self.setMovable(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setUsesScrollButtons(True)
        bar.setExpanding(False)
        bar.setDrawBase(False)
        bar.tabMoved.connect(self.changed)
        self.currentChanged.connect(self._came_to_front)
        self.tabCloseRequested.connect(
            lambda index: self.close_requested.emit(self.tab(index).conversation_id)
        )

    def tab(self, index: int) -> ChatTab:
        """The tab at a place from 0."""
        page = self.widget(index)
        assert isinstance(page, ChatTab)
        return page

    def tabs(self) -> Iterator[ChatTab]:
        """All, from the left."""
        return (self.tab(index) for index in range(self.count()))

    def place_of(self, id: str) -> int:
        """Where the tab of a conversation is, -1 without one."""
        return next((index for index, tab in enumerate(self.tabs()) if tab.conversation_id == id), -1)

    def add(self, tab: ChatTab) -> None:
        """Puts a tab at the end."""
        self._add_close_button(self.addTab(tab, ""), tab.conversation_id)
        tab.changed.connect(lambda: self._show_label(tab))
        tab.answered.connect(lambda: self._note_news(tab))
        self._show_label(tab)
        self.changed.emit()

    def remove(self, id: str) -> None:
        """Takes a tab away. Its session goes on."""
        index = self.place_of(id)
        if index < 0:
            return
        tab = self.tab(index)
        self._unread.discard(id)
        self.removeTab(index)
        tab.hide()
        tab.deleteLater()
        self.changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for tab in self.tabs():
                self._show_label(tab)

    def _add_close_button(self, index: int, id: str) -> None:
        bar = self.tabBar()
        hint = self.style().styleHint(QStyle.StyleHint.SH_TabBar_CloseButtonPosition, None, bar)
        button = GlyphButton("cross", "Close tab")
        button.clicked.connect(lambda: self.close_requested.emit(id))
        bar.setTabButton(index, QTabBar.ButtonPosition(hint), button)

    def _came_to_front(self, index: int) -> None:
        if index >= 0:
            tab = self.tab(index)
            self._unread.discard(tab.conversation_id)
            self._show_label(tab)
            tab.focus()
            self.focused.emit(tab.conversation_id)
        self.changed.emit()

    def _note_news(self, tab: ChatTab) -> None:
        if self.currentWidget() is not tab:
            self._unread.add(tab.conversation_id)
        self._show_label(tab)

    def _show_label(self, tab: ChatTab) -> None:
        index = self.indexOf(tab)
        title, unread = tab.session.conversation.title, tab.conversation_id in self._unread
        busy = tab.session.progress.phase != "idle"
        state = ", busy" if busy else ", new reply" if unread else ""
        if self.tabToolTip(index) != title:
            self.setTabText(index, title.replace("&", "&&"))
            self.setTabToolTip(index, title)
            self.changed.emit()
        self.tabBar().setAccessibleTabName(index, title + state)
        self.setTabIcon(index, self._icon(tab, busy=busy, unread=unread))

    def _icon(self, tab: ChatTab, *, busy: bool, unread: bool) -> QIcon:
        theme = Theme.of(self.palette())
        if busy:
            return busy_icon(theme, share_done(tab.session.progress))
        return unread_icon(theme) if unread else QIcon()
