"""A quiet line that folds and unfolds what is below it."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontInfo, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from app.ui.theme import GRID, Theme

__all__ = ["FoldButton"]

MARK = 2.5 * GRID
"""The width of the mark and the space after it."""


class FoldButton(QAbstractButton):
    """Checked while unfolded. A click, Space or Enter toggles it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        # A click leaves the cursor in the composer.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._take_font()

    def set_title(self, title: str) -> None:
        """What the line says."""
        if title != self.text():
            self.setText(title)
            self.setAccessibleName(title)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(int(MARK + GRID) + metrics.horizontalAdvance(self.text()), metrics.height() + GRID // 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._take_font()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.line)
            painter.drawRoundedRect(rect, 4, 4)
        marked = self.hasFocus() or self.underMouse()
        painter.setPen(QPen(theme.text if marked else theme.quiet, 1.5))
        x, y = GRID, rect.center().y()
        corners = [(-4, -2), (0, 2), (4, -2)] if self.isChecked() else [(-2, -4), (2, 0), (-2, 4)]
        painter.drawPolyline([QPointF(x + right, y + down) for right, down in corners])
        painter.drawText(
            rect.adjusted(MARK, 0, 0, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.text(),
        )

    def _take_font(self) -> None:
        font = QFont(QApplication.font())
        font.setPointSizeF(QFontInfo(font).pointSizeF() * 0.92)
        if font != self.font():
            self.setFont(font)
            self.updateGeometry()
