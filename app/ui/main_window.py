"""The window: sidebar, tabs, the model's button, the menus. It knows nothing of engine or storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from app.records import Conversation
from app.ui.banner import Banner
from app.ui.chat_tab import ChatTab
from app.ui.empty_state import EmptyState
from app.ui.glyph_button import GlyphButton
from app.ui.lane_panel import LanePanel
from app.ui.menus import Menus
from app.ui.model_button import ModelButton
from app.ui.sidebar import Sidebar
from app.ui.tab_strip import TabStrip
from app.ui.theme import GRID
from app.ui.window_commands import WindowCommands

if TYPE_CHECKING:
    from app.chat.session import Session
    from app.chat.templates import TemplateView

__all__ = ["MainWindow"]


class MainWindow(QMainWindow):
    """Shows what it is told and tells what the user wants; the application does it.

    Signals:
        new_chat_requested: a new conversation in a new tab.
        close_tab_requested: a conversation id; its tab is to be removed, nothing else.
        open_conversation_requested: a conversation id; it has no tab yet.
        rename_requested: a conversation id and its new title.
        delete_requested: a conversation id, confirmed.
        model_chosen: the path of a model file or folder.
        template_chosen: what the model's chats are put with, empty to be asked again.
        template_fetch_requested: the model's own template is to be fetched.
        tab_focused: the conversation id of the tab that came to the front.
        tabs_changed: the tabs or their order changed.
        sidebar_toggled: whether the sidebar is shown now.
        quit_requested: the program is to end.
        closed: the window was closed.
    """

    new_chat_requested = Signal()
    close_tab_requested = Signal(str)
    open_conversation_requested = Signal(str)
    rename_requested = Signal(str, str)
    delete_requested = Signal(str)
    model_chosen = Signal(str)
    template_chosen = Signal(str)
    template_fetch_requested = Signal()
    tab_focused = Signal(str)
    tabs_changed = Signal()
    sidebar_toggled = Signal(bool)
    quit_requested = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Interlace")
        self.setUnifiedTitleAndToolBarOnMac(True)
        self._model_name = "Reply"
        self._template: TemplateView | None = None
        self.menus = Menus(self)
        self.sidebar = Sidebar()
        self.tabs = TabStrip()
        self.pages = QStackedWidget()
        self.banner = Banner()
        self.model_button = ModelButton()
        self.lane = LanePanel()
        self._lay_out()
        self._commands = WindowCommands(self)
        self.sidebar.new_requested.connect(self.new_chat_requested)
        self.sidebar.renamed.connect(self.rename_requested)
        self.sidebar.deleted.connect(self.delete_requested)
        self.model_button.chosen.connect(self.model_chosen)
        self.tabs.focused.connect(self.tab_focused)
        self.resize(140 * GRID, 96 * GRID)
        self.sidebar.new_button.setFocus()

    def add_tab(self, session: Session, *, focus: bool) -> None:
        """Shows a session in a tab of its own, at the end. One that has a tab keeps it."""
        id = session.conversation.id
        if self.tabs.place_of(id) < 0:
            tab = ChatTab(session, self._model_name)
            tab.show_template(self._template)
            tab.template_bar.chosen.connect(self.template_chosen)
            tab.template_bar.fetch_requested.connect(self.template_fetch_requested)
            self.tabs.add(tab)
        if focus:
            self.focus_tab(id)

    def remove_tab(self, conversation_id: str) -> None:
        """Takes a tab away; its session goes on. An unknown id is ignored."""
        self.tabs.remove(conversation_id)

    def focus_tab(self, conversation_id: str) -> None:
        """Brings a tab to the front. An unknown id is ignored."""
        place = self.tabs.place_of(conversation_id)
        if place >= 0:
            self.tabs.setCurrentIndex(place)
            self.tabs.tab(place).focus()

    def tab_order(self) -> list[str]:
        """The conversation ids of the tabs, from the left."""
        return [tab.conversation_id for tab in self.tabs.tabs()]

    def set_conversations(self, conversations: Sequence[Conversation]) -> None:
        """Lists the conversations there are, in any order."""
        self.sidebar.set_conversations(conversations)
        index = self.tabs.currentIndex()
        self.sidebar.choose(self.tabs.tab(index).conversation_id if index >= 0 else "")

    def set_model(self, name: str, state: str) -> None:
        """Names the model and says in a few words whether it can be used."""
        self._model_name = name
        self.model_button.set_model(name, state)
        for tab in self.tabs.tabs():
            tab.transcript.name = name

    def show_template(self, view: TemplateView | None) -> None:
        """Tells how the model's chats are put to it, where its own template cannot do that; None: it can."""
        self._template = view
        for tab in self.tabs.tabs():
            tab.show_template(view)

    def show_problem(self, sentence: str, action: str) -> None:
        """Tells what happened and what to do next, until dismissed."""
        self.banner.show_problem(sentence, action)

    def show_sidebar(self, shown: bool) -> None:
        """Shows or hides the list of conversations."""
        self.menus.sidebar.setChecked(shown)
        if self.sidebar.isHidden() == shown:
            self.sidebar.setVisible(shown)
            self.sidebar_toggled.emit(shown)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def _lay_out(self) -> None:
        bar = QToolBar("Toolbar")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        toggle = GlyphButton("sidebar", "Sidebar")
        toggle.clicked.connect(self.menus.sidebar.toggle)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        for widget in (toggle, space, self.model_button):
            bar.addWidget(widget)
        self.addToolBar(bar)
        new_tab = GlyphButton("plus", "New chat")
        new_tab.clicked.connect(self.new_chat_requested)
        self.tabs.setCornerWidget(new_tab)
        empty = EmptyState(button=True)
        empty.new_requested.connect(self.new_chat_requested)
        self.pages.addWidget(empty)
        self.pages.addWidget(self.tabs)
        main = QWidget()
        column = QVBoxLayout(main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.pages, 1)
        split = QSplitter()
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(self.sidebar)
        split.addWidget(main)
        split.addWidget(self.lane)
        split.setStretchFactor(1, 1)
        split.setSizes([28 * GRID, 112 * GRID, 32 * GRID])
        self.lane.hide()
        self.setCentralWidget(split)
