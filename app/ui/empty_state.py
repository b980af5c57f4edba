"""What an empty chat shows: what this is, and the one thing to try."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID

__all__ = ["EmptyState"]

TITLE = "What is on your mind?"
WORDS = (
    "Interlace talks with a model that runs on this computer. Nothing you write leaves it.",
    "Paste a long document into one tab and keep chatting in another: neither waits for the other.",
)

_ICON = 9 * GRID


class EmptyState(QWidget):
    """A few friendly lines, in the middle; with a button where there is no composer below.

    Signals: new_requested, when that button was pressed.
    """

    new_requested = Signal()

    def __init__(self, *, button: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        title = QLabel(TITLE)
        font = QFont(QApplication.font())
        font.setPointSizeF(QFontInfo(font).pointSizeF() * 1.7)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(GRID)
        layout.addStretch(2)
        icon = QApplication.windowIcon()
        if not icon.isNull():
            picture = QLabel()
            picture.setPixmap(icon.pixmap(_ICON, _ICON))
            layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
            layout.addSpacing(GRID)
        layout.addWidget(title)
        layout.addSpacing(GRID)
        for words in WORDS:
            label = QuietLabel(words)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            layout.addWidget(label)
        if button:
            new_button = QPushButton("New chat")
            new_button.clicked.connect(self.new_requested)
            layout.addSpacing(GRID)
            layout.addWidget(new_button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
