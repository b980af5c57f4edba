"""A window that shows the beginning of an attachment."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from app.records import Attachment
from app.ui.quiet_label import QuietLabel
from app.ui.size_text import size_text
from app.ui.theme import GRID

__all__ = ["Preview", "beginning"]

MOST_CHARACTERS = 50_000
LONGEST_LINE = 1_000
"""Characters of a line shown: laying out a longer one would take seconds."""


def beginning(text: str) -> str:
    """As much of a text as a window can lay out at once, long lines broken."""
    lines = text[:MOST_CHARACTERS].split("\n")
    return "\n".join(
        line[start : start + LONGEST_LINE]
        for line in lines
        for start in range(0, max(len(line), 1), LONGEST_LINE)
    )


class Preview(QDialog):
    """Modeless; goes away when closed."""

    def __init__(self, attachment: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(attachment.name)
        self.resize(80 * GRID, 60 * GRID)
        self.text = QPlainTextEdit(beginning(attachment.text))
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(attachment.name)
        layout = QVBoxLayout(self)
        layout.addWidget(QuietLabel(_caption(attachment)))
        layout.addWidget(self.text)


def _caption(attachment: Attachment) -> str:
    size, total = size_text(attachment.size), len(attachment.text)
    if total <= MOST_CHARACTERS:
        return size
    return f"{size} · the first {MOST_CHARACTERS:,} of {total:,} characters; the model reads all of it"
