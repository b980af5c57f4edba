"""An attachment as a small card: its name and size, opened by a click, removable in a composer."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from app.records import Attachment
from app.ui.glyph_button import GlyphButton
from app.ui.preview import Preview
from app.ui.size_text import size_text
from app.ui.theme import GRID, Theme

__all__ = ["Chip"]

_HEIGHT = 5 * GRID
_WIDEST = 36 * GRID
_SHEET = 3 * GRID


class Chip(QAbstractButton):
    """Signals: removed, with the attachment, when its cross was clicked."""

    removed = Signal(object)

    def __init__(self, attachment: Attachment, *, removable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self._size = size_text(attachment.size)
        self.setText(attachment.name)
        self.setToolTip("Show the beginning")
        self.setAccessibleName(f"{attachment.name}, {self._size}")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._preview)
        self._cross = GlyphButton("cross", f"Remove {attachment.name}", self) if removable else None
        if self._cross is not None:
            layout = QHBoxLayout(self)
            layout.setContentsMargins(0, 0, GRID // 2, 0)
            layout.addWidget(self._cross, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._cross.clicked.connect(lambda: self.removed.emit(self.attachment))

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        words = max(metrics.horizontalAdvance(self.text()), metrics.horizontalAdvance(self._size))
        cross = self._cross.sizeHint().width() if self._cross else 0
        return QSize(
            min(words + _SHEET + 4 * GRID + cross, _WIDEST), max(_HEIGHT, 2 * metrics.height() + GRID)
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(12 * GRID, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.accent if self.hasFocus() else theme.line, 1))
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), GRID, GRID)
        self._paint_sheet(painter, theme)
        self._paint_words(painter, theme)

    def _paint_sheet(self, painter: QPainter, theme: Theme) -> None:
        """A sheet of paper with a folded corner."""
        sheet = QRectF(1.5 * GRID, (self.height() - 20) / 2, 16, 20)
        path = QPainterPath(sheet.topLeft())
        for point in (
            QPointF(sheet.right() - 5, sheet.top()),
            QPointF(sheet.right(), sheet.top() + 5),
            sheet.bottomRight(),
            sheet.bottomLeft(),
        ):
            path.lineTo(point)
        path.closeSubpath()
        painter.setPen(QPen(theme.quiet, 1.2))
        painter.setBrush(theme.page)
        painter.drawPath(path)
        for line in range(3):
            y = sheet.top() + 8 + 3.5 * line
            painter.drawLine(QPointF(sheet.left() + 3.5, y), QPointF(sheet.right() - 3.5, y))

    def _paint_words(self, painter: QPainter, theme: Theme) -> None:
        metrics = QFontMetrics(self.font())
        left = _SHEET + int(1.5 * GRID)
        cross = self._cross.width() if self._cross else 0
        width = self.width() - left - cross - GRID
        top = (self.height() - 2 * metrics.height()) // 2
        painter.setPen(theme.text)
        name = metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(left, top + metrics.ascent(), name)
        painter.setPen(theme.quiet)
        painter.drawText(left, top + metrics.height() + metrics.ascent(), self._size)

    def _preview(self) -> None:
        Preview(self.attachment, self.window()).show()
