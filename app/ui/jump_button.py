"""The button that floats over a transcript whose reader has scrolled up."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.ui.theme import GRID, Theme

__all__ = ["JumpButton"]


class JumpButton(QAbstractButton):
    """A pill that says "Jump to latest"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText("Jump to latest  ↓")
        self.setAccessibleName("Jump to latest")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 4 * GRID, metrics.height() + 2 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.accent if self.hasFocus() else theme.line, 1))
        painter.setBrush(theme.panel if self.underMouse() else theme.page)
        pill = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(theme.text)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
