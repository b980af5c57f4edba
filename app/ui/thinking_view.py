"""What a model thought before it answered: one line, and below it the text while unfolded."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.fold_button import FoldButton
from app.ui.live_text import LiveText
from app.ui.message_text import MessageText
from app.ui.theme import GRID, Theme

__all__ = ["ThinkingView"]

INDENT = int(2.5 * GRID)


class ThinkingView(QWidget):
    """Hidden until there is thinking; folded until the reader unfolds it.

    Attributes:
        fold: the line.
        text: the thinking, laid out once it is unfolded.

    Signals: folding, before it is folded or unfolded.
    """

    folding = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fold = FoldButton(self)
        self.fold.toggled.connect(self._toggle)
        self.text = MessageText(self, quiet=True)
        self.text.setAccessibleName("Thinking")
        self._live = LiveText(self.text, self.text)
        self._seconds = 0.0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        inside = QVBoxLayout()
        inside.setContentsMargins(INDENT, 0, 0, 0)
        inside.addWidget(self.text)
        layout.addLayout(inside)
        self._unfold(False)
        self.hide()

    def append(self, thinking: str, seconds: float) -> None:
        """More thinking, which took so long until now."""
        self._seconds = seconds
        self._live.append(thinking)
        self.fold.set_title("Thinking…")
        self.show()

    def end(self) -> None:
        """The model answers now."""
        self.fold.set_title(_title(self._seconds))

    def become(self, thinking: str, seconds: float, ended: bool) -> None:
        """The thinking as it is stored; `ended` when no more will come."""
        self._seconds = seconds
        self._live.become(thinking, ended)
        self.text.setAccessibleDescription(thinking if ended else "")
        self.fold.set_title(_title(seconds) if ended else "Thinking…")
        self.setVisible(bool(thinking))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._live.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.text.isVisible():
            painter = QPainter(self)
            place = self.text.geometry()
            line = QRectF(GRID - 1, place.top(), 2, place.height())
            painter.fillRect(line, Theme.of(self.palette()).line)

    def _toggle(self, unfolded: bool) -> None:
        self.folding.emit()
        self._unfold(unfolded)

    def _unfold(self, unfolded: bool) -> None:
        self.fold.setAccessibleDescription("Hides what was thought" if unfolded else "Shows what was thought")
        self.text.setVisible(unfolded)
        self._live.update()


def _title(seconds: float) -> str:
    if round(seconds) < 1:
        return "Thought"
    minutes, rest = divmod(round(seconds), 60)
    return f"Thought for {minutes} min {rest} s" if minutes else f"Thought for {rest} s"
