"""A scroll area that follows the end of a growing column until the reader scrolls up."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.ui.jump_button import JumpButton
from app.ui.theme import COLUMN, GRID

__all__ = ["FollowingArea"]

NEAR_END = GRID
"""So close to the end, in pixels, the reader counts as being there."""


class _Watch(QObject):
    """Tells when an item was moved: items settle in several steps before the range changes."""

    moved = Signal()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Move:
            self.moved.emit()
        return super().eventFilter(watched, event)


class FollowingArea(QScrollArea):
    """A centred column. Only the user moves it away from where the reader is.

    While it does not follow, the item at the top of what is seen stays where it is, whatever
    changes above it.

    Attributes:
        column: the layout that takes the items.
        following: whether the end stays in sight as it grows.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self.column = self._make_column()
        self._anchor: tuple[QWidget, int] | None = None
        self._watch = _Watch(self)
        self._watch.moved.connect(self._hold)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.jump)
        self._jump.hide()
        bar = self.verticalScrollBar()
        bar.actionTriggered.connect(self._reader_scrolled)
        bar.rangeChanged.connect(self._hold)

    def jump(self) -> None:
        """Goes to the end and follows it."""
        self.following = True
        self._hold()

    def stay(self, item: QWidget) -> None:
        """Keeps an item where it is seen now, also while others are put above it."""
        self._hold_item(item, self.verticalScrollBar().value())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hold()

    def _make_column(self) -> QVBoxLayout:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        host, column = QWidget(), QWidget()
        host.setBackgroundRole(QPalette.ColorRole.Base)
        host.setAutoFillBackground(True)
        column.setMaximumWidth(COLUMN)
        across = QHBoxLayout(host)
        across.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 3 * GRID)
        across.addStretch(1)
        across.addWidget(column, 1_000, Qt.AlignmentFlag.AlignTop)
        across.addStretch(1)
        items = QVBoxLayout(column)
        items.setContentsMargins(0, 0, 0, 0)
        items.setSpacing(3 * GRID)
        self._host = host
        self.setWidget(host)
        return items

    def _items(self) -> Iterator[QWidget]:
        for index in range(self.column.count()):
            place = self.column.itemAt(index)
            item = place.widget() if place else None
            if item is not None and item.isVisible():
                yield item

    def _top(self, item: QWidget) -> int:
        return item.mapTo(self._host, QPoint()).y()

    def _reader_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        if bar.sliderPosition() >= bar.maximum() - NEAR_END:
            self.following = True
            self._place_jump()
        else:
            self._hold_seen(bar.sliderPosition())

    def _hold_seen(self, value: int) -> None:
        seen = (item for item in self._items() if self._top(item) + item.height() > value)
        item = next(seen, None)
        if item is not None:
            self._hold_item(item, value)

    def _hold_item(self, item: QWidget, value: int) -> None:
        if self._anchor is not None:
            self._anchor[0].removeEventFilter(self._watch)
        item.installEventFilter(self._watch)
        self._anchor = (item, value - self._top(item))
        self.following = False
        self._place_jump()

    def _hold(self) -> None:
        """After a change of size: back to the end, or to what the reader looks at."""
        bar = self.verticalScrollBar()
        if self.following:
            bar.setValue(bar.maximum())
        elif self._anchor is not None:
            item, offset = self._anchor
            bar.setValue(self._top(item) + offset)
        self._place_jump()

    def _place_jump(self) -> None:
        size = self._jump.sizeHint()
        x, y = (self.width() - size.width()) // 2, self.height() - size.height() - 2 * GRID
        self._jump.setGeometry(x, y, size.width(), size.height())
        self._jump.setVisible(not self.following and self.verticalScrollBar().maximum() > 0)
