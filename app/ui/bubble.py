"""The soft shape behind what the user said."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame

from app.ui.theme import GRID, Theme

__all__ = ["Bubble"]

_RADIUS = 2.0 * GRID


class Bubble(QFrame):
    """A rounded background in the accent's tint; follows the system's colours by itself."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Theme.of(self.palette()).bubble)
        painter.drawRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)
