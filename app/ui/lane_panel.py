"""The lane made visible: the model that runs, how its replies share it, and each reply under way."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.records import LaneView, Progress
from app.ui.quiet_label import QuietLabel
from app.ui.reply_bar import describe
from app.ui.theme import GRID

__all__ = ["LanePanel"]

ASK_MS = 500
"""How often a panel in sight asks how the replies are getting on."""


class LanePanel(QWidget):
    """Shown on demand, beside the chat.

    Signals: asked, when it wants to be told how the lane stands (`show_lane`).
    """

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Lane")
        self.setMinimumWidth(26 * GRID)
        self.model = QLabel()
        self.model.setWordWrap(True)
        self.sharing = QuietLabel()
        self.sharing.setWordWrap(True)
        self.idle = QuietLabel("No reply is under way.")
        self._rows: list[_Row] = []
        self._lay_out()
        self._timer = QTimer(self, interval=ASK_MS)
        self._timer.timeout.connect(self.asked)

    def show_lane(self, lane: LaneView) -> None:
        """Shows the model and the replies, in the order given."""
        self.model.setText(lane.model)
        self.sharing.setText(lane.sharing)
        self.sharing.setVisible(bool(lane.sharing))
        self._show_replies(lane.replies)

    @property
    def replies(self) -> list[tuple[str, str]]:
        """Of each reply shown, its title and what is said of it."""
        return [(row.title.text(), row.progress.text()) for row in self._rows]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.asked.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _lay_out(self) -> None:
        heading = QLabel("Lane")
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self._column.setSpacing(GRID)
        for widget in (heading, self.model, self.sharing, self.idle):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)

    def _show_replies(self, replies: Sequence[tuple[str, Progress]]) -> None:
        self.idle.setVisible(not replies)
        while len(self._rows) < len(replies):
            row = _Row()
            self._rows.append(row)
            self._column.insertWidget(self._column.count() - 1, row)
        while len(self._rows) > len(replies):
            self._rows.pop().deleteLater()
        for row, (title, progress) in zip(self._rows, replies, strict=True):
            row.show_reply(title, progress)


class _Row(QWidget):
    """One reply: its conversation's title, and how it is getting on."""

    def __init__(self) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.progress = QuietLabel()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.title)
        layout.addWidget(self.progress)

    def show_reply(self, title: str, progress: Progress) -> None:
        self.title.setText(title)
        self.progress.setText(describe(progress))
