"""What the bar under a streaming reply shows, kept up to date from its events."""

from collections.abc import Callable
from dataclasses import replace

from app.chat.pace import Pace
from app.records import Progress
from engine.api import Filling, StreamStatus, Text

__all__ = ["Meter"]

SECONDS_FOR_A_RATE = 0.2


class Meter:
    """One reply's Progress. Chunks read teach `pace`, which tells the time left.

    Attributes: `progress`; `thought`, seconds from the first to the last piece of thinking.
    """

    def __init__(self, pace: Pace, clock: Callable[[], float]) -> None:
        self.progress = Progress("preparing")
        self.thought = 0.0
        self._pace = pace
        self._clock = clock
        self._read: tuple[int, float] | None = None
        self._first_text: float | None = None
        self._first_thinking: float | None = None

    def enter(self, progress: Progress) -> None:
        """Shows a phase that the engine's events do not tell."""
        self.progress = progress

    def stopping(self) -> None:
        self.progress = replace(self.progress, phase="stopping")

    def waiting(self, status: StreamStatus) -> None:
        """The lane tells how many prompts are read before this one."""
        if self.progress.phase in ("reading", "queued"):
            queued = status.phase == "queued"
            self.progress = replace(
                self.progress, phase="queued" if queued else "reading", ahead=status.ahead
            )
            if queued:
                self._read = None

    def filling(self, event: Filling) -> None:
        now = self._clock()
        if self._read is not None and event.done > self._read[0]:
            self._pace.saw(self._read[0], event.done, now - self._read[1])
        self._read = (event.done, now)
        if self.progress.phase != "stopping":
            self.progress = Progress(
                "reading",
                done=event.done,
                total=event.total,
                reused=event.reused,
                seconds_left=self._pace.seconds(event.done, event.total),
            )

    def text(self, event: Text) -> None:
        now = self._clock()
        if self._first_text is None:
            self._first_text = now
        if event.thinking:
            self._first_thinking = now if self._first_thinking is None else self._first_thinking
            self.thought = now - self._first_thinking
        seconds = now - self._first_text
        tokens = self.progress.tokens + len(event.tokens)
        self.progress = Progress(
            "stopping" if self.progress.phase == "stopping" else "replying",
            tokens=tokens,
            tokens_per_second=tokens / seconds if seconds > SECONDS_FOR_A_RATE else 0.0,
        )
