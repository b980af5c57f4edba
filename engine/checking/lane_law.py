"""The laws through a whole engine: requests that meet in a real lane, one of them stopped and sent again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from queue import Empty, SimpleQueue

from engine.api import Engine, Event, Filling, Finished, Request, Text
from engine.checking.comparison import Comparison
from engine.checking.trial import described
from engine.errors import EngineError

__all__ = ["Expected", "in_lane"]

LONGEST_WAIT = 300.0
"""Seconds without any event after which a lane counts as hanging."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a request must give. Attributes: `tokens`, of its reply; `cuts`, ends of its prompt's chunks."""

    tokens: tuple[int, ...]
    cuts: tuple[int, ...]


@dataclass(slots=True)
class _Heard:
    """Attributes: `read`, where the prompt's chunks ended, after the `reused` tokens that were restored."""

    request: Request
    reused: int = 0
    said: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    ended: bool = False


def in_lane(
    engine: Engine, expected: Mapping[Request, Expected], stop_tokens: frozenset[int]
) -> Iterator[Comparison]:
    """Compares each reply, and where its prompt's chunks ended.

    Args:
        engine: nothing else is asked of it.
        expected: the requests and what each gives alone; the first is also stopped while it is read.
        stop_tokens: ids that end a reply in a lane; alone, none does.

    Raises:
        EngineError: a reply failed, or the lane hangs.
    """
    events: SimpleQueue[Event] = SimpleQueue()
    heard = {engine.submit(request, events.put): _Heard(request) for request in expected}
    stopped, waiting = next(iter(heard)), True
    while not all(reply.ended for reply in heard.values()):
        event = _next(events)
        reply = heard[event.id]
        _note(reply, event)
        if waiting and event.id == stopped and reply.read:
            waiting = False
            engine.cancel(stopped)
            heard[engine.submit(reply.request, events.put)] = _Heard(reply.request)
    for id, reply in heard.items():
        yield _compared(reply, expected, stop_tokens, stopped=id == stopped)


def _next(events: "SimpleQueue[Event]") -> Event:
    try:
        return events.get(timeout=LONGEST_WAIT)
    except Empty:
        raise EngineError(f"The engine said nothing for {LONGEST_WAIT:.0f} seconds.") from None


def _note(reply: _Heard, event: Event) -> None:
    match event:
        case Filling(_, done, total, reused):
            reply.reused = reused
            # A stop tells the last position once more.
            if reused < done < total and done not in reply.read:
                reply.read.append(done)
        case Text(_, _, tokens):
            reply.said += tokens
        case Finished(_, _, _, error):
            reply.ended = True
            if error is not None:
                raise error


def _compared(
    reply: _Heard, expected: Mapping[Request, Expected], stop_tokens: frozenset[int], stopped: bool
) -> Comparison:
    alone = expected[reply.request]
    tokens = tuple(takewhile(lambda token: token not in stop_tokens, alone.tokens))
    cuts = [cut for cut in alone.cuts if cut > reply.reused]
    if stopped:
        tokens, cuts = tokens[: len(reply.said)], cuts[: len(reply.read)]
    fault = "" if reply.read == cuts else f"chunks end at {reply.read}, not {cuts}"
    return Comparison(f"{described(reply.request)}{' stopped' * stopped}", reply.said, tokens, fault)
