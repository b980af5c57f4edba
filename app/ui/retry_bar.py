"""The line above the composer after a reply that ended before its first word."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.records import Message, MessageState
from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID

__all__ = ["RetryBar"]


class RetryBar(QWidget):
    """Hidden unless there is something to ask again.

    Signals: requested, when the user wants the same asked again.
    """

    requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = QuietLabel(parent=self)
        self.button = QPushButton("Try Again", self)
        self.button.setFlat(True)
        self.button.clicked.connect(self.requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, GRID, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)

    def offer(self, last: Message | None) -> None:
        """Offers to ask again after `last`, a reply without a word; hides for None."""
        if last is not None:
            stopped = last.state is MessageState.STOPPED
            self.label.setText("No answer yet. What was read is kept." if stopped else "No answer.")
        self.setVisible(last is not None)
