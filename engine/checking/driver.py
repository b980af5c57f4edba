"""A backend asked by hand, stream by stream and chunk by chunk, without a lane."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import count

from engine.api import Request
from engine.backend import Backend
from engine.errors import ReplyError
from engine.fill import plan_cuts

__all__ = ["Driver", "Reply"]


class Reply:
    """One stream. Attributes: `reused`, prompt tokens restored; `at`, those read; `said`, ids drawn."""

    def __init__(self, backend: Backend, id: int, request: Request) -> None:
        self._backend = backend
        self.id = id
        self.request = request
        self.prompt = tuple(request.prompt or ())
        self.cuts = plan_cuts(len(self.prompt) - 1, backend.facts.caps)
        self.reused = self.at = backend.open(id, self.prompt, request.sampling, self.cuts)
        self.said: list[int] = []

    def read_chunk(self) -> bool:
        """Reads the next chunk. Returns: whether there was one left."""
        place = bisect_right(self.cuts, self.at)
        if place == len(self.cuts):
            return False
        self._backend.prefill_step(self.id, self.cuts[place])
        self.at = self.cuts[place]
        return True

    def read(self, end: int | None = None) -> "Reply":
        """Reads up to the cut `end`, or all of the prompt."""
        while self.at != end and self.read_chunk():
            pass
        return self

    @property
    def finished(self) -> bool:
        return len(self.said) >= (self.request.max_tokens or 0)

    def cancel(self) -> int:
        """Ends it between chunks. Returns: the position kept."""
        return self._backend.cancel_prefill(self.id)

    def leave(self, keep: bool) -> None:
        self._backend.release(self.id, keep)


class Driver:
    """One backend and the ids it has given."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._ids = count(1)

    def open(self, request: Request) -> Reply:
        return Reply(self._backend, next(self._ids), request)

    def step(self, replies: Sequence[Reply]) -> None:
        """One step of all of them together. Raises ReplyError: the model's numbers are invalid."""
        drawn = self._backend.step([reply.id for reply in replies])
        for reply, token in zip(replies, drawn, strict=True):
            if isinstance(token, ReplyError):
                raise token
            if token is not None:
                reply.said.append(token)

    def speak(self, *replies: Reply) -> None:
        """Steps those that are not finished together until all are."""
        while unfinished := [reply for reply in replies if not reply.finished]:
            self.step(unfinished)
