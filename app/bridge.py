"""The crossing from engine threads to the event loop: sinks are called there, callbacks run here."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from threading import Lock

from engine.api import Event, Filling, Sink, Text

__all__ = ["Bridge"]

_Receiver = Callable[[Event], None]
_Waiting = tuple[Sink, _Receiver, Event]


class Bridge:
    """Hands engine events to the loop's thread, a few times a second however fast they come.

    The events of one reply are delivered in order. Texts of it that wait together arrive as one, and
    of readings in a row only the newest. Replies that wait together are delivered one after another.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, deliver_every: float = 1 / 30) -> None:
        """`deliver_every`: least seconds from the end of a delivery to the next, free for the window."""
        self._loop = loop
        self._deliver_every = deliver_every
        self._not_before = loop.time()
        self._lock = Lock()
        self._waiting: deque[_Waiting] = deque()
        self._scheduled = False
        self._closed = False

    def sink(self, on_event: _Receiver) -> Sink:
        """A sink for `engine.submit` whose events come to `on_event` on the loop's thread."""

        def put(event: Event) -> None:
            with self._lock:
                if self._closed:
                    return
                self._waiting.append((put, on_event, event))
                if self._scheduled:
                    return
                self._scheduled = True
            self._schedule()

        return put

    def close(self) -> None:
        """Drops what waits and whatever comes later."""
        with self._lock:
            self._closed = True
            self._waiting.clear()

    def _schedule(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._deliver_when_due)
        except RuntimeError:  # The loop ended first: nobody is left to tell, and the engine must go on.
            self.close()

    def _deliver_when_due(self) -> None:
        if self._loop.time() < self._not_before:
            self._loop.call_at(self._not_before, self._deliver)
        else:
            self._deliver()

    def _deliver(self) -> None:
        with self._lock:
            taken, self._waiting = self._waiting, deque()
            self._scheduled = False
        for on_event, event in _merged(taken):
            self._call(on_event, event)
        self._not_before = self._loop.time() + self._deliver_every

    def _call(self, on_event: _Receiver, event: Event) -> None:
        if self._closed:
            return
        try:
            on_event(event)
        except Exception as error:  # The top of a delivery: one reply's fault is not another's.
            self._loop.call_exception_handler(
                {"message": f"A receiver of {type(event).__name__} events failed", "exception": error}
            )


def _merged(waiting: Iterable[_Waiting]) -> Iterator[tuple[_Receiver, Event]]:
    """The same events, reply by reply, and fewer of them where one says it all."""
    replies: dict[tuple[Sink, int], tuple[_Receiver, list[Event]]] = {}
    for sink, on_event, event in waiting:
        replies.setdefault((sink, event.id), (on_event, []))[1].append(event)
    for on_event, events in replies.values():
        for kind, run in groupby(events, type):
            for event in _shortened(kind, list(run)):
                yield on_event, event


def _shortened(kind: type[Event], run: list[Event]) -> list[Event]:
    if kind is Filling:
        return run[-1:]
    if kind is not Text:
        return run
    texts = [event for event in run if isinstance(event, Text)]
    tokens = tuple(token for text in texts for token in text.tokens)
    thinking = "".join(text.thinking for text in texts)
    return [Text(texts[0].id, "".join(text.text for text in texts), tokens, thinking)]
