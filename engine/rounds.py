"""One round of a lane: at most one chunk of one prompt, then a step of every decoding stream."""

from collections.abc import Callable, Iterable, Sequence

from engine.api import Event, LaneStatus, Reason, Request
from engine.backend import Backend
from engine.errors import EngineError, PromptTooLong, TokenOutOfRange
from engine.fill import Fill, plan_cuts
from engine.stream import Stream
from engine.text import Piece, TextOf

__all__ = ["PASSED_OVER_LIMIT", "Rounds"]

PASSED_OVER_LIMIT = 8
"""A prompt that others went before this often goes next, whatever its priority and length."""


class Rounds:
    """The streams of one lane and what each round does with them. Knows no threads and no MLX.

    Every method returns the events it caused, in order; the caller delivers them.
    """

    def __init__(self, backend: Backend, text_of: TextOf, clock: Callable[[], float]) -> None:
        self._backend = backend
        self._text_of = text_of
        self._clock = clock
        self._streams: dict[int, Stream] = {}

    def __len__(self) -> int:
        return len(self._streams)

    def admit(self, id: int, request: Request, prompt: Sequence[int], born: float) -> list[Event]:
        """Takes a request in.

        Raises:
            PromptTooLong, TokenOutOfRange: before anything was read.
        """
        facts = self._backend.facts
        tokens = (*prompt, *request.continues)
        if len(tokens) >= facts.context:
            raise PromptTooLong(len(tokens), facts.context)
        for token in (min(tokens), max(tokens)):
            if not 0 <= token < facts.vocabulary:
                raise TokenOutOfRange(token, facts.vocabulary)
        cuts = plan_cuts(len(tokens) - 1, facts.caps)
        reused = self._backend.open(id, tokens, request.sampling, cuts)
        text = self._text_of.reply(prompt, request.continues, request.stop)
        stream = Stream(id, request, tokens, Fill(cuts, reused, reused), text, born)
        self._streams[id] = stream
        return [stream.progress()]

    def cancel(self, id: int) -> list[Event]:
        """Ends a stream between chunks and keeps what it read."""
        stream = self._streams.pop(id, None)
        if stream is None:
            return []
        if stream.fill.complete:
            return self._end(stream, "cancelled")
        stream.fill.at = self._backend.cancel_prefill(id)
        return [stream.progress(), stream.finished("cancelled", self._clock())]

    def forget(self, id: int) -> list[Event]:
        """Ends a stream and keeps nothing of it."""
        stream = self._streams.pop(id, None)
        if stream is None:
            return []
        self._backend.release(id, keep=False)
        return [stream.finished("cancelled", self._clock())]

    def fill(self) -> list[Event]:
        """Runs one chunk of the prompt that goes next, if any is waiting."""
        waiting = self._reading_order()
        if not waiting:
            return []
        stream, *others = waiting
        for other in others:
            other.fill.passed_over += 1
        stream.fill.passed_over = 0
        end = stream.fill.next_cut()
        try:
            self._backend.prefill_step(stream.id, end)
        except EngineError as error:
            return self._fail(stream, error)
        stream.fill.at = end
        return [stream.progress()]

    def step(self) -> list[Event]:
        """Draws one token for every stream whose prompt is read."""
        streams = [stream for stream in self._streams.values() if stream.fill.complete]
        if not streams:
            return []
        drawn = self._backend.step([stream.id for stream in streams])
        events: list[Event] = []
        for stream, token in zip(streams, drawn, strict=True):
            if isinstance(token, EngineError):
                events += self._fail(stream, token)
            elif token is not None:
                events += self._take(stream, token)
        return events

    def abandon(self, reason: Reason, error: EngineError | None = None) -> list[Event]:
        """Ends every stream without asking the backend for anything."""
        now = self._clock()
        events: list[Event] = [stream.finished(reason, now, error) for stream in self._streams.values()]
        self._streams.clear()
        return events

    def status(self) -> LaneStatus:
        ahead = {stream.id: place for place, stream in enumerate(self._reading_order())}
        streams = tuple(stream.status(ahead.get(stream.id, 0)) for stream in self._streams.values())
        return LaneStatus(False, streams, self._backend.facts.sharing)

    def _reading_order(self) -> list[Stream]:
        waiting: Iterable[Stream] = (s for s in self._streams.values() if not s.fill.complete)
        return sorted(waiting, key=_reading_key)

    def _take(self, stream: Stream, token: int) -> list[Event]:
        events: list[Event] = []
        stream.generated += 1
        if stream.first is None:
            stream.first = self._clock()
            events.append(stream.progress())
        if token in self._backend.facts.stop_tokens:
            return events + self._end(stream, "stop")
        stream.unsent.append(token)
        pieces, stopped = stream.text.push(token)
        events += stream.new_text(pieces)
        if stopped:
            return events + self._end(stream, "stop", flush=False)
        reason = self._limit(stream)
        return events + self._end(stream, reason) if reason else events

    def _limit(self, stream: Stream) -> Reason | None:
        if len(stream.prompt) + stream.generated >= self._backend.facts.context:
            return "context_full"
        return "length" if stream.generated == stream.request.max_tokens else None

    def _end(self, stream: Stream, reason: Reason, flush: bool = True) -> list[Event]:
        self._streams.pop(stream.id, None)
        self._backend.release(stream.id, keep=True)
        events = stream.new_text(stream.text.flush() if flush else [])
        if stream.unsent:
            events += stream.new_text([Piece()])
        return [*events, stream.finished(reason, self._clock())]

    def _fail(self, stream: Stream, error: EngineError) -> list[Event]:
        del self._streams[stream.id]
        self._backend.release(stream.id, keep=False)
        return [stream.finished("error", self._clock(), error)]


def _reading_key(stream: Stream) -> tuple[int, int, int, int]:
    # The longest passed over first: where prompts fall due faster than they are read, one would never be.
    due = max(stream.fill.passed_over - PASSED_OVER_LIMIT + 1, 0)
    return (-due, stream.request.priority, stream.fill.left, stream.id)
