"""What the user said: exactly the typed text, and the attachments as chips."""

from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.records import Message
from app.ui.bubble import Bubble
from app.ui.chip import Chip
from app.ui.message_text import MessageText
from app.ui.theme import GRID

__all__ = ["UserView", "first_lines"]

MOST_LINES = 20
MOST_CHARACTERS = 2_000
WIDTH_SHARE = 0.85
"""Of the column: a message looks like one side of a talk."""


def first_lines(text: str) -> str:
    """As much of a message as is shown before "Show all"."""
    return "\n".join(text[:MOST_CHARACTERS].split("\n")[:MOST_LINES])


class UserView(QWidget):
    """Shows one message of the user's.

    Attributes:
        id: the message's.
        text: the widget with the words, one accessible item.
    """

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.id = message.id
        self._whole = message.text
        self._natural = 0
        self._expanded = False
        self._bubble = Bubble(self)
        self.text = MessageText(self._bubble)
        self.text.setAccessibleName("You")
        self.text.setAccessibleDescription(message.text)
        self._more = QPushButton("Show all", self._bubble)
        self._more.setFlat(True)
        self._more.clicked.connect(self._toggle)
        self._lay_out(message)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._narrow()

    def _lay_out(self, message: Message) -> None:
        inside = QVBoxLayout(self._bubble)
        inside.setContentsMargins(2 * GRID, GRID + 2, 2 * GRID, GRID + 2)
        inside.setSpacing(GRID // 2)
        inside.addWidget(self.text)
        inside.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for attachment in message.attachments:
            layout.addWidget(Chip(attachment, removable=False), 0, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(self._bubble, 0, Qt.AlignmentFlag.AlignRight)
        self._bubble.setVisible(bool(message.text))

    def _show(self) -> None:
        beginning = first_lines(self._whole)
        self.text.setPlainText(self._whole if self._expanded else beginning)
        unwrapped = self.text.document().clone()
        unwrapped.setTextWidth(-1)
        self._natural = ceil(unwrapped.idealWidth()) + 1
        self._more.setVisible(len(beginning) < len(self._whole))
        self._more.setText("Show less" if self._expanded else "Show all")
        self._narrow()

    def _narrow(self) -> None:
        """Makes the bubble as wide as its words, within its share of the column."""
        widest = int(self.width() * WIDTH_SHARE) - 4 * GRID
        self.text.setFixedWidth(max(1, min(self._natural, widest)))
        self.text.fit()

    def _toggle(self) -> None:
        self._expanded = not self._expanded
        self._show()
