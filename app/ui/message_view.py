"""A reply: what was thought, its text as it comes, and how it ended."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.records import Message, MessageState
from app.ui.live_text import LiveText
from app.ui.message_text import MessageText
from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID
from app.ui.thinking_view import ThinkingView

__all__ = ["ReplyView"]


class ReplyView(QWidget):
    """Shows one reply. Nothing is laid out while it is hidden; all that came then, when it is shown.

    Attributes:
        id: the message's.
        streaming: whether more may come.
        thinking: what the model thought, hidden when it did not.
        text: the widget with the words, one accessible item.
        note: how it ended, when not well.
    """

    def __init__(self, message: Message, name: str, parent: QWidget | None = None) -> None:
        """`name` is who replies, the model's name."""
        super().__init__(parent)
        self.id = message.id
        self.streaming = True
        self.thinking = ThinkingView(self)
        self.text = MessageText(self)
        self.text.setAccessibleName(name)
        self.note = QuietLabel(parent=self)
        self.note.setWordWrap(True)
        self._answer = LiveText(self.text, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.thinking)
        layout.addWidget(self.text)
        layout.addWidget(self.note)
        self.show_message(message)

    def append(self, text: str) -> None:
        """More of the answer."""
        self._answer.append(text)
        self.thinking.end()

    def think(self, thinking: str, seconds: float) -> None:
        """More thinking, which took so long until now."""
        self.thinking.append(thinking, seconds)

    def show_message(self, message: Message) -> None:
        """The reply as it is stored: at the start, and once it has ended."""
        self.streaming = message.state is MessageState.STREAMING
        answered = bool(message.text) or not self.streaming
        self.thinking.become(message.thinking, message.thought, answered)
        self._answer.become(message.text, not self.streaming)
        if not self.streaming:
            self.text.setAccessibleDescription(message.text)
        self.text.setVisible(bool(message.text))
        self.note.setText(message.note)
        self.note.setVisible(bool(message.note))
        self.note.set_caution(message.state is MessageState.FAILED)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._answer.update()
