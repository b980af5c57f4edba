"""One reply inside a lane: its request, its tokens, its phase."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.api import Event, Filling, Finished, Phase, Reason, Request, StreamStatus, Text, Usage
from engine.errors import EngineError
from engine.fill import Fill
from engine.text import Piece, ReplyText

__all__ = ["Stream"]


@dataclass(slots=True)
class Stream:
    """Attributes: `prompt`, all ids to read; `born`, `first`, clock seconds of the submit and the
    first token; `unsent`, ids drawn since the last Text event."""

    id: int
    request: Request
    prompt: tuple[int, ...]
    fill: Fill
    text: ReplyText
    born: float
    first: float | None = None
    generated: int = 0
    unsent: list[int] = field(default_factory=list)

    @property
    def read_to(self) -> int:
        """Prompt tokens that are in the cache: all of them once a token was drawn."""
        return len(self.prompt) if self.generated else self.fill.at

    def progress(self) -> Filling:
        return Filling(self.id, self.read_to, len(self.prompt), self.fill.reused)

    def new_text(self, pieces: Sequence[Piece]) -> list[Event]:
        """An event for each piece; the first tells the unsent ids too."""
        events: list[Event] = []
        for piece in pieces:
            tokens, self.unsent = tuple(self.unsent), []
            events.append(Text(self.id, piece.answer, tokens, piece.thinking))
        return events

    def finished(self, reason: Reason, now: float, error: EngineError | None = None) -> Finished:
        usage = Usage(
            prompt=len(self.prompt),
            reused=self.fill.reused,
            read=self.read_to - self.fill.reused,
            generated=self.generated,
            first_token=None if self.first is None else self.first - self.born,
            seconds=now - self.born,
        )
        return Finished(self.id, reason, usage, error)

    def status(self, ahead: int) -> StreamStatus:
        """How it stands while the prompts of `ahead` streams are read before its own."""
        untouched = self.fill.at == self.fill.reused
        phase: Phase = "decoding" if self.fill.complete else "queued" if ahead and untouched else "filling"
        return StreamStatus(
            self.id, phase, self.read_to, len(self.prompt), self.fill.reused, self.generated, ahead
        )
