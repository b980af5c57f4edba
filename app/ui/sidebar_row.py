"""How a conversation looks in the sidebar."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.theme import GRID, Theme, mix

__all__ = ["SidebarRow"]


class SidebarRow(QStyledItemDelegate):
    """One line with the title, softly marked when chosen or under the pointer."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + int(1.5 * GRID))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = Theme.of(option.palette)
        rect = QRectF(option.rect).adjusted(GRID, 0, -GRID, 0)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(theme.bubble)
            painter.drawRoundedRect(rect, GRID, GRID)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(mix(theme.page, theme.text, 0.08))
            painter.drawRoundedRect(rect, GRID, GRID)
        words = rect.adjusted(GRID, 0, -GRID, 0).toRect()
        title = str(index.data())
        metrics = option.fontMetrics
        painter.setPen(theme.text)
        elided = metrics.elidedText(title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, elided)
        painter.restore()
