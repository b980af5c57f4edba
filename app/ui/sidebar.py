"""The list of conversations beside the tabs."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.records import Conversation
from app.ui.sidebar_row import SidebarRow
from app.ui.theme import GRID

__all__ = ["Sidebar"]

_ID = Qt.ItemDataRole.UserRole
_TITLE = Qt.ItemDataRole.UserRole + 1


class Sidebar(QWidget):
    """Conversations, the one written to last first.

    Signals:
        new_requested: a new chat is wanted.
        opened: the id of a conversation to show.
        renamed: an id and its new title.
        deleted: an id, after the user confirmed.
    """

    new_requested = Signal()
    opened = Signal(str)
    renamed = Signal(str, str)
    deleted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Conversations")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(SidebarRow(self.list))
        self.list.setEditTriggers(QListWidget.EditTrigger.NoEditTriggers)
        self.list.setMouseTracking(True)
        self.list.viewport().setAutoFillBackground(False)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.new_button = QPushButton("New chat")
        self._lay_out()
        self._connect()

    def set_conversations(self, conversations: Sequence[Conversation]) -> None:
        """Lists these; the chosen one stays chosen."""
        current = self.list.currentItem()
        chosen = str(current.data(_ID)) if current else ""
        self.list.blockSignals(True)
        self.list.clear()
        for conversation in sorted(conversations, key=lambda one: one.updated, reverse=True):
            item = QListWidgetItem(conversation.title, self.list)
            item.setData(_ID, conversation.id)
            item.setData(_TITLE, conversation.title)
            item.setToolTip(conversation.title)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.list.blockSignals(False)
        self.choose(chosen)

    def choose(self, id: str) -> None:
        """Marks the conversation of the tab in front."""
        rows = (row for row in range(self.list.count()) if self.list.item(row).data(_ID) == id)
        self.list.setCurrentRow(next(rows, -1))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, 0)
        layout.setSpacing(GRID)
        top = QHBoxLayout()
        top.setContentsMargins(GRID, 0, GRID, 0)
        top.addWidget(self.new_button)
        layout.addLayout(top)
        layout.addWidget(self.list, 1)

    def _connect(self) -> None:
        self.new_button.clicked.connect(self.new_requested)
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self.list.itemChanged.connect(self._rename)
        self.list.customContextMenuRequested.connect(self._show_menu)

    def _open(self, item: QListWidgetItem) -> None:
        self.opened.emit(item.data(_ID))

    def _rename(self, item: QListWidgetItem) -> None:
        """Passes an edited title on, or puts the old one back when it was emptied."""
        title, before = " ".join(item.text().split()), str(item.data(_TITLE))
        if title and title != before:
            self.renamed.emit(item.data(_ID), title)
        elif item.text() != before:
            item.setText(before)

    def _show_menu(self, place: QPoint) -> None:
        item = self.list.itemAt(place)
        if item is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename", lambda: self.list.editItem(item))
        menu.addAction("Delete…", lambda: self._ask_to_delete(item.data(_ID), item.text()))
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _ask_to_delete(self, id: str, title: str) -> None:
        box = QMessageBox(self.window())
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"Delete “{title}”?")
        box.setInformativeText("The conversation and its documents are removed from this computer for good.")
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self.deleted.emit(id))
        box.open()
