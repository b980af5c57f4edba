"""A small round button with a drawn mark."""

from typing import Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.ui.theme import GRID, Theme

__all__ = ["Glyph", "GlyphButton"]

Glyph = Literal["cross", "plus", "sidebar"]


class GlyphButton(QAbstractButton):
    """Named by its tool tip, to assistive software too."""

    def __init__(self, glyph: Glyph, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glyph = glyph
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFixedSize(self.sizeHint())
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def sizeHint(self) -> QSize:
        side = 3 * GRID if self._glyph == "cross" else 4 * GRID
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.line)
            painter.drawRoundedRect(rect.adjusted(3, 3, -3, -3), 6, 6)
        painter.setPen(QPen(theme.text if self.underMouse() else theme.quiet, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        _draw(painter, self._glyph, rect.center())


def _draw(painter: QPainter, glyph: Glyph, center: QPointF) -> None:
    x, y = center.x(), center.y()
    match glyph:
        case "cross":
            painter.drawLine(QLineF(x - 3.5, y - 3.5, x + 3.5, y + 3.5))
            painter.drawLine(QLineF(x - 3.5, y + 3.5, x + 3.5, y - 3.5))
        case "plus":
            painter.drawLine(QLineF(x - 5, y, x + 5, y))
            painter.drawLine(QLineF(x, y - 5, x, y + 5))
        case "sidebar":
            painter.drawRoundedRect(QRectF(x - 8, y - 6.5, 16, 13), 3, 3)
            painter.drawLine(QLineF(x - 2.5, y - 6.5, x - 2.5, y + 6.5))
