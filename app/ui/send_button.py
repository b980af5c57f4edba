"""The round button of a composer: an arrow to send, a square to stop."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.ui.theme import GRID, Theme, mix

__all__ = ["SendButton"]


class SendButton(QAbstractButton):
    """Says "Send" or, while a reply is under way, "Stop"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(self.sizeHint())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.stops = False
        self.set_stops(False)

    def set_stops(self, stops: bool) -> None:
        """Whether it stops a reply or sends a message."""
        self.stops = stops
        self.setAccessibleName("Stop" if stops else "Send")
        self.setToolTip("Stop (Esc)" if stops else "Send (Return)")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(4 * GRID, 4 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._fill(theme))
        circle = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawEllipse(circle)
        if self.hasFocus():
            painter.setPen(QPen(theme.text, 1.5))
            painter.drawEllipse(circle)
        self._paint_mark(painter, theme, circle.center())

    def _fill(self, theme: Theme) -> QColor:
        if not self.isEnabled():
            return mix(theme.page, theme.text, 0.12)
        return mix(theme.accent, theme.text, 0.15) if self.isDown() else theme.accent

    def _paint_mark(self, painter: QPainter, theme: Theme, center: QPointF) -> None:
        color = theme.on_accent if self.isEnabled() else theme.quiet
        if self.stops:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(QRectF(center.x() - 5, center.y() - 5, 10, 10), 2, 2)
            return
        painter.setPen(QPen(color, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        top, bottom = center - QPointF(0, 6), center + QPointF(0, 6)
        painter.drawLine(top, bottom)
        painter.drawLine(top, top + QPointF(-4.5, 4.5))
        painter.drawLine(top, top + QPointF(4.5, 4.5))
