"""The lane's thread: it owns one loaded model, takes what was asked, runs rounds and delivers events."""

import atexit
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from engine.api import Event, Finished, LaneStatus, Reason, Request, Sink, Usage
from engine.backend import Backend
from engine.errors import EngineError, LaneClosed, LaneFailed
from engine.rounds import Rounds
from engine.text import TextOf

__all__ = ["Lane", "OpenBackend"]

OpenBackend = Callable[[Callable[[], bool]], tuple[Backend, TextOf]]
"""Loads a model on the lane's thread. Asked to give up when its argument returns True.
Returns the backend and how its replies become text; raises EngineError."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Submit:
    id: int
    request: Request
    prompt: Sequence[int]
    sink: Sink
    born: float


@dataclass(frozen=True, slots=True)
class _Refuse:
    id: int
    error: EngineError
    sink: Sink


@dataclass(frozen=True, slots=True)
class _Leave:
    id: int
    keep: bool


@dataclass(frozen=True, slots=True)
class _Wake:
    """Ends the wait of an idle lane so that it sees it is closing."""


_Order = _Submit | _Refuse | _Leave | _Wake


class Lane:
    """One thread that owns one model. Its public methods may be called from any thread.

    Every submit is answered by exactly one Finished, delivered on the lane's thread.
    """

    def __init__(self, open_backend: OpenBackend, clock: Callable[[], float] = time.monotonic) -> None:
        self._open_backend = open_backend
        self._clock = clock
        self._ids = itertools.count(1)
        self._inbox: SimpleQueue[_Order] = SimpleQueue()
        self._sinks: dict[int, Sink] = {}
        self._gate = threading.Lock()
        self._closing = False
        self._ended: EngineError | None = None
        self._ready = threading.Event()
        self._status = LaneStatus(loading=True)
        # A program that ends without closing its lane must end all the same, and not in the middle of MLX.
        self._thread = threading.Thread(target=self._run, name="lane", daemon=True)
        atexit.register(self.close)
        self._thread.start()

    def wait_ready(self) -> None:
        """Returns when the model is loaded. Raises what ended the load."""
        self._ready.wait()
        if self._ended is not None:
            raise self._ended

    def submit(self, request: Request, prompt: Sequence[int], sink: Sink) -> int:
        """Queues a reply to `prompt` (ids). Raises EngineError when the lane is closed or its load failed."""
        id = next(self._ids)
        self._order(_Submit(id, request, prompt, sink, self._clock()))
        return id

    def refuse(self, error: EngineError, sink: Sink) -> int:
        """Answers a request that never became a prompt with one Finished."""
        id = next(self._ids)
        self._order(_Refuse(id, error, sink))
        return id

    def leave(self, id: int, keep: bool) -> None:
        """Ends a reply between chunks; with `keep`, what was read is kept. An unknown id is ignored."""
        with self._gate:
            if self._ended is None:
                self._inbox.put(_Leave(id, keep))

    def status(self) -> LaneStatus:
        return self._status

    def close(self) -> None:
        """Ends every reply, frees the model and joins the thread. May be called twice."""
        self._closing = True
        self._inbox.put(_Wake())
        self._thread.join()
        atexit.unregister(self.close)

    def _order(self, order: _Submit | _Refuse) -> None:
        with self._gate:
            if self._ended is not None:
                raise self._ended
            self._inbox.put(order)

    def _run(self) -> None:
        ended: EngineError = LaneClosed()
        try:
            backend, text_of = self._open_backend(lambda: self._closing)
            ended = self._serve(backend, text_of)
        except EngineError as error:
            ended = error
        except Exception as error:
            log.exception("loading failed")
            ended = LaneFailed(error)
        finally:
            self._finish(ended)

    def _serve(self, backend: Backend, text_of: TextOf) -> EngineError:
        """Runs rounds until the lane closes. Returns what later submits are told."""
        rounds = Rounds(backend, text_of, self._clock)
        self._status = rounds.status()
        self._ready.set()
        try:
            while not self._closing:
                try:
                    self._round(rounds)
                except Exception as error:
                    log.exception("a round failed")
                    self._abandon(rounds, LaneFailed(error))
                    backend.reset()
            return LaneClosed()
        except Exception as error:
            log.exception("the lane could not be rebuilt")
            return LaneFailed(error)
        finally:
            self._deliver(rounds.abandon("closed"))
            backend.close()

    def _abandon(self, rounds: Rounds, error: LaneFailed) -> None:
        """Ends every stream, and the request whose admission failed before it was one."""
        self._deliver(rounds.abandon("error", error))
        self._deliver([Finished(id, "error", Usage(), error) for id in list(self._sinks)])
        self._status = rounds.status()

    def _round(self, rounds: Rounds) -> None:
        self._take_orders(rounds, wait=not len(rounds))
        self._deliver(rounds.fill())
        # A cancel given while the chunk ran must not see a token drawn.
        self._take_orders(rounds, wait=False)
        self._deliver(rounds.step())
        self._status = rounds.status()

    def _take_orders(self, rounds: Rounds, wait: bool) -> None:
        for order in self._orders(wait):
            match order:
                case _Submit():
                    self._admit(rounds, order)
                case _Refuse():
                    self._sinks[order.id] = order.sink
                    self._deliver([Finished(order.id, "error", Usage(), order.error)])
                case _Leave(id, keep):
                    self._deliver(rounds.cancel(id) if keep else rounds.forget(id))

    def _orders(self, wait: bool) -> Iterable[_Order]:
        """What was asked so far; with `wait`, at least one order, however long it takes."""
        if wait:
            yield self._inbox.get()
        while not self._closing:
            try:
                yield self._inbox.get_nowait()
            except Empty:
                return

    def _admit(self, rounds: Rounds, order: _Submit) -> None:
        self._sinks[order.id] = order.sink
        try:
            self._deliver(rounds.admit(order.id, order.request, order.prompt, order.born))
        except EngineError as error:
            usage = Usage(prompt=len(order.prompt), seconds=self._clock() - order.born)
            self._deliver([Finished(order.id, "error", usage, error)])

    def _deliver(self, events: Iterable[Event]) -> None:
        for event in events:
            sink = self._sinks[event.id]
            if isinstance(event, Finished):
                del self._sinks[event.id]
            try:
                sink(event)
            except Exception:
                log.exception("a sink raised")

    def _finish(self, ended: EngineError) -> None:
        """Answers what is still waiting; from here on a submit raises."""
        with self._gate:
            self._ended = ended
        while not self._inbox.empty():
            match self._inbox.get():
                case _Submit(id, _, _, sink) | _Refuse(id, _, sink):
                    self._sinks[id] = sink
        closed = isinstance(ended, LaneClosed)
        reason: Reason = "closed" if closed else "error"
        error = None if closed else ended
        self._deliver([Finished(id, reason, Usage(), error) for id in list(self._sinks)])
        self._status = LaneStatus(loading=False)
        self._ready.set()
