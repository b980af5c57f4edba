"""A problem told at the top of the window, until it is dismissed."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.glyph_button import GlyphButton
from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID, Theme, mix

__all__ = ["Banner"]


class Banner(QWidget):
    """One problem, the newest; hidden without one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = QuietLabel(parent=self)
        self.label.set_caution(True)
        self.label.setWordWrap(True)
        self.close_button = GlyphButton("cross", "Dismiss", self)
        self.close_button.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.close_button)
        self.hide()

    def show_problem(self, sentence: str, action: str) -> None:
        """Tells what happened and what to do next."""
        self.label.setText(f"{sentence} {action}".strip())
        self.setAccessibleName(self.label.text())
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(0, 0, GRID // 2, self.height(), theme.caution)
        painter.fillRect(0, self.height() - 1, self.width(), 1, mix(theme.page, theme.line, 0.6))
