"""Small drawn marks: a ring for work under way, a dot for something new."""

from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from app.ui.theme import GRID, Theme, mix

__all__ = ["Ring", "busy_icon", "unread_icon"]

_SIDE = 2 * GRID
_SCALE = 3
"""Pixels per device-independent one: icons stay sharp on any screen."""
_STEPS = 16
"""How many rings are told apart on a tab."""


def paint_ring(painter: QPainter, done: QColor, left: QColor, share: float) -> None:
    """A ring of which `share` (0 to 1), from the top and clockwise, is done."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ring = QRectF(0, 0, _SIDE, _SIDE).adjusted(3, 3, -3, -3)
    painter.setPen(QPen(left, 2))
    painter.drawEllipse(ring)
    painter.setPen(QPen(done, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawArc(ring, 90 * 16, -int(share * 360 * 16))


def busy_icon(theme: Theme, share: float) -> QIcon:
    """The mark of a tab whose reply is under way."""
    return _ring_icon(theme.accent.rgb(), _left(theme).rgb(), round(share * _STEPS))


def _left(theme: Theme) -> QColor:
    """The part of a ring that is not done."""
    return mix(theme.line, theme.quiet, 0.3)


@lru_cache(maxsize=8 * _STEPS)
def _ring_icon(done: int, left: int, steps: int) -> QIcon:
    pixmap = _pixmap()
    painter = QPainter(pixmap)
    paint_ring(painter, QColor(done), QColor(left), steps / _STEPS)
    painter.end()
    return QIcon(pixmap)


@lru_cache(maxsize=8)
def _dot_icon(color: int) -> QIcon:
    pixmap = _pixmap()
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawEllipse(QRectF(0, 0, _SIDE, _SIDE).adjusted(4, 4, -4, -4))
    painter.end()
    return QIcon(pixmap)


def unread_icon(theme: Theme) -> QIcon:
    """The mark of a tab whose reply ended while another was shown."""
    return _dot_icon(theme.accent.rgb())


def _pixmap() -> QPixmap:
    pixmap = QPixmap(_SIDE * _SCALE, _SIDE * _SCALE)
    pixmap.setDevicePixelRatio(_SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


class Ring(QWidget):
    """A ring that shows how much is done. Still, so that it costs nothing and disturbs nobody."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(self.sizeHint())
        self._share = 0.0

    def set_share(self, share: float) -> None:
        """How much is done, from 0 to 1."""
        if share != self._share:
            self._share = share
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(_SIDE, _SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        paint_ring(QPainter(self), theme.accent, _left(theme), self._share)
