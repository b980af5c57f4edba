"""A reply: its text as it comes, and how it ended."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.records import Message, MessageState
from app.ui.message_text import MessageText
from app.ui.quiet_label import QuietLabel
from app.ui.reply_document import ReplyDocument
from app.ui.theme import GRID

__all__ = ["ReplyView"]

UPDATE_MS = 66
"""How long new text waits for more: about 15 updates a second."""


class ReplyView(QWidget):
    """Shows one reply. Nothing is laid out while it is hidden; all that came then, when it is shown.

    Attributes:
        id: the message's.
        text: the widget with the words, one accessible item.
        note: how it ended, when not well.
    """

    def __init__(self, message: Message, name: str, parent: QWidget | None = None) -> None:
        """`name` is who replies, the model's name."""
        super().__init__(parent)
        self.id = message.id
        self.text = MessageText(self)
        self.text.setAccessibleName(name)
        self.text.restyled.connect(self._restyle)
        self.note = QuietLabel(parent=self)
        self.note.setWordWrap(True)
        self._document = ReplyDocument(self.text.document(), self.text.text_style)
        self._pieces: list[str] = []
        self._changed = False
        self._restyled = False
        self._timer = QTimer(self, singleShot=True, interval=UPDATE_MS)
        self._timer.timeout.connect(self._update)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.text)
        layout.addWidget(self.note)
        self.show_message(message)

    def append(self, text: str) -> None:
        """More of the reply."""
        self._pieces.append(text)
        self._document.stream.feed(text.replace("\r\n", "\n").replace("\r", "\n"))
        self._touch()

    def show_message(self, message: Message) -> None:
        """The reply as it is stored: at the start, and once it has ended."""
        shown = "".join(self._pieces)
        if not message.text.startswith(shown):
            self._document.restart()
            self._pieces, shown = [], ""
        self.append(message.text[len(shown) :])
        if message.state is not MessageState.STREAMING:
            self._document.stream.finish()
            self.text.setAccessibleDescription(message.text)
        self.text.setVisible(bool(message.text))
        self.note.setText(message.note)
        self.note.setVisible(bool(message.note))
        self.note.set_caution(message.state is MessageState.FAILED)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._update()

    def _touch(self) -> None:
        self._changed = True
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def _restyle(self) -> None:
        self._restyled = True
        self._touch()

    def _update(self) -> None:
        """Lays out what came since the last time."""
        if not self.isVisible() or not self._changed:
            return
        selection = self.text.keep_selection()
        if self._restyled:
            self._document.restyle(self.text.text_style)
            self._restyled = False
        self._changed = not self._document.update()
        self.text.show()
        self.text.restore_selection(selection)
        self.text.fit()
        if self._changed:
            self._timer.start(0)
