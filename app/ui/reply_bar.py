"""The line that says how a reply is getting on, with the button that stops it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.records import Progress
from app.ui.marks import Ring
from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID

__all__ = ["ReplyBar", "describe", "share_done"]

WRITING = 0.25
"""How much of the ring is drawn where nothing tells how much is left."""


def describe(progress: Progress) -> str:
    """A reply's progress in words; empty when idle."""
    match progress.phase:
        case "queued":
            return f"Queued ({_ordinal(progress.ahead + 1)})"
        case "reading":
            return " · ".join(filter(None, (_read_share(progress), _time_left(progress.seconds_left))))
        case "replying":
            return _written(progress)
        case "loading":
            return "Loading"
        case "preparing":
            return "Preparing"
        case "stopping":
            return "Stopping…"
        case "idle":
            return ""


def share_done(progress: Progress) -> float:
    """How much of the ring to draw, from 0 to 1."""
    if progress.phase == "reading" and progress.total:
        return progress.done / progress.total
    return 0.0 if progress.phase == "queued" else WRITING


def _ordinal(number: int) -> str:
    last = 0 if 11 <= number % 100 <= 13 else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def _read_share(progress: Progress) -> str:
    return f"Reading {100 * progress.done // progress.total}%" if progress.total else "Reading"


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{max(1, round(seconds))} s left"
    return f"{round(seconds / 60)} min left" if seconds < 5_400 else f"{seconds / 3_600:.1f} h left"


def _written(progress: Progress) -> str:
    if not progress.tokens:
        return "Writing"
    words = "1 token" if progress.tokens == 1 else f"{progress.tokens:,} tokens"
    speed = progress.tokens_per_second
    return f"{words} · {speed:.1f} tokens/s" if speed else words


class ReplyBar(QWidget):
    """Hidden when idle.

    Signals: stopped, when the user wants the reply to end.
    """

    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ring = Ring(self)
        self.label = QuietLabel(parent=self)
        self.stop = QPushButton("Stop", self)
        self.stop.setFlat(True)
        self.stop.clicked.connect(self.stopped)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, GRID, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.ring)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.stop)
        self.show_progress(Progress())

    def show_progress(self, progress: Progress) -> None:
        """Shows where the reply stands."""
        self.label.setText(describe(progress))
        self.label.setToolTip(_details(progress))
        self.ring.set_share(share_done(progress))
        self.stop.setEnabled(progress.phase != "stopping")
        self.setVisible(progress.phase != "idle")


def _details(progress: Progress) -> str:
    if progress.phase != "reading":
        return ""
    kept = f"; {progress.reused:,} of them were read before" if progress.reused else ""
    return f"{progress.done:,} of {progress.total:,} tokens{kept}"
