"""A lane's thread under random schedules: every request ends once, in order, on one thread, by itself."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api import Event, Finished, Priority
from engine.backend import Cap, ModelFacts
from engine.errors import InvalidNumbers, LaneFailed, PromptTooLong, TokenOutOfRange
from engine.lane import Lane
from engine.text import TextOf
from tests.engine.contract import Watched
from tests.fakes import END, VOCABULARY, FakeBackend, Recorder, ask, decode, expected_reply

CAPS = (Cap(0, 8), Cap(24, 5))
CONTEXT = 200
WAIT = 20
REPLY = 6
MOST = 300
"""The largest number of an action."""


def prompt_of(shared: int, own: int, salt: int) -> tuple[int, ...]:
    return (*range(shared), *((position * 7 + salt) % 900 for position in range(own)))


class Caller(Recorder):
    """A sink that knows its thread, may raise, and does what it is given to do from inside the lane.

    Attributes: `over`, whether its reply ended.
    """

    def __init__(self, errands: "deque[Callable[[], None]]", raises: bool) -> None:
        self.ended = threading.Semaphore(0)
        self.threads: set[int] = set()
        self.entered = self.deepest = 0
        self.over = False
        self._errands = errands
        self._raises = raises
        super().__init__(done=self.ended.release)

    def __call__(self, event: Event) -> None:
        self.entered += 1
        self.deepest = max(self.deepest, self.entered)
        self.threads.add(threading.get_ident())
        self.over |= isinstance(event, Finished)
        if self._errands:
            self._errands.popleft()()
        self.entered -= 1
        super().__call__(event)
        if self._raises:
            raise ValueError("a window that is gone")


@dataclass
class Asked:
    """Attributes: `left`, the calls of the backend and the tokens told when it was given up."""

    id: int
    prompt: tuple[int, ...]
    sink: Caller
    left: tuple[int, int] | None = None


@dataclass
class Schedule:
    """Does at each call of a lane's backend what was planned for it, on the lane's own thread.

    Attributes: `failed`, ids whose chunk failed; `refused`, ids of what cannot be served; `wrecked`, whether
    an exception came out of a round; `errands`, what sinks are to do.
    """

    plan: dict[int, list[tuple[str, int]]]
    lane: Lane = field(init=False)
    asked: list[Asked] = field(default_factory=list)
    failed: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    wrecked: bool = False
    calls: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    errands: "deque[Callable[[], None]]" = field(default_factory=deque)

    def call(self, kind: str, ids: Sequence[int]) -> None:
        self.calls.append((kind, tuple(ids)))
        for action, number in self.plan.get(len(self.calls) - 1, ()):
            match action:
                case "submit":
                    self.submit(number)
                case "leave":
                    self.leave(number)
                case "errand":
                    self.errands.append(lambda number=number: self.leave(number))  # type: ignore[misc]
                    self.errands.append(lambda number=number: self.submit(number))  # type: ignore[misc]
                case "refused":
                    self.refused.add(self.ask([7] * CONTEXT if number % 2 else [5, -1], number).id)
                case "fail" if kind == "chunk":
                    self.failed.update(ids)
                    raise InvalidNumbers
                case "wreck":
                    self.wrecked = True
                    raise RuntimeError("out of memory")

    def submit(self, number: int) -> None:
        self.ask(prompt_of(number % 41, 1 + number % 23, number % 3), number)

    def ask(self, prompt: Sequence[int], number: int) -> Asked:
        sink = Caller(self.errands, raises=number % 5 == 0)
        request = ask(prompt, max_tokens=REPLY, priority=Priority(number % 3))
        asked = Asked(self.lane.submit(request, tuple(prompt), sink), tuple(prompt), sink)
        self.asked.append(asked)
        return asked

    def leave(self, number: int) -> None:
        asked = self.one(number)
        if asked.left is None:
            asked.left = (len(self.calls), len(asked.sink.tokens(asked.id)))
        self.lane.leave(asked.id, keep=number < MOST // 2)

    def one(self, number: int) -> Asked:
        """One whose reply goes on, if there is any."""
        some = [asked for asked in self.asked if not asked.sink.over] or self.asked
        return some[number % len(some)]


def played(plan: dict[int, list[tuple[str, int]]], ahead: bool) -> tuple[Schedule, Watched]:
    """Runs a schedule to its end, and one more request."""
    backend = FakeBackend(ModelFacts(CONTEXT, VOCABULARY, frozenset({END}), CAPS), ahead=ahead)
    watched = Watched(backend, lambda: backend.rows)
    schedule = Schedule({**plan, 0: [("submit", 33), ("submit", 101), *plan.get(0, ())]})
    schedule.lane = Lane(lambda closing: (watched, TextOf(decode)))
    schedule.lane.wait_ready()
    backend.on_chunk = lambda id: schedule.call("chunk", [id])
    backend.on_step = lambda ids: schedule.call("step", ids)
    try:
        schedule.ask(range(40), 1)
        for asked in schedule.asked:  # Grows while it is gone through.
            assert asked.sink.ended.acquire(timeout=WAIT)
        schedule.plan = {}
        schedule.errands.clear()
        assert schedule.ask(range(60), 1).sink.ended.acquire(timeout=WAIT)
        assert backend.rows == {}
    finally:
        schedule.lane.close()
    return schedule, watched


plans = st.dictionaries(
    st.integers(0, 50),
    st.lists(
        st.tuples(
            st.sampled_from([*["submit", "leave"] * 3, "errand", "refused", "fail", "wreck"]),
            st.integers(0, MOST),
        ),
        min_size=1,
        max_size=4,
    ),
    max_size=16,
)


@settings(deadline=None, max_examples=120)
@given(plans, st.booleans())
def test_whatever_happens_on_a_lane_each_request_gets_what_it_would_alone(
    plan: dict[int, list[tuple[str, int]]], ahead: bool
) -> None:
    schedule, watched = played(plan, ahead)
    assert watched.violations == []
    for asked in schedule.asked:
        finished, said = asked.sink.finished(asked.id), asked.sink.tokens(asked.id)
        alone = expected_reply(asked.prompt, REPLY, CAPS)
        assert said == alone[: len(said)]
        match finished.reason:
            case "length":
                assert said == alone
            case "cancelled":
                assert asked.left is not None
            case reason:
                assert reason == "error"
                assert _explained(schedule, asked, finished.error)
    last = schedule.asked[-1]
    assert last.sink.finished(last.id).reason == "length"


def _explained(schedule: Schedule, asked: Asked, error: BaseException | None) -> bool:
    match error:
        case InvalidNumbers():
            return asked.id in schedule.failed
        case PromptTooLong() | TokenOutOfRange():
            return asked.id in schedule.refused
        case LaneFailed():
            return schedule.wrecked and "out of memory" in str(error)
        case _:
            return False


@settings(deadline=None, max_examples=80)
@given(plans, st.booleans())
def test_a_reply_that_was_given_up_gets_no_chunk_and_no_token_after_the_call_in_flight(
    plan: dict[int, list[tuple[str, int]]], ahead: bool
) -> None:
    schedule, _ = played(plan, ahead)
    for asked in schedule.asked:
        if asked.left is None:
            continue
        calls, told = asked.left
        assert all(asked.id not in ids for _, ids in schedule.calls[calls:])
        in_a_step = schedule.calls[calls - 1][0] == "step"
        assert len(asked.sink.tokens(asked.id)) <= told + in_a_step


@settings(deadline=None, max_examples=40)
@given(plans)
def test_sinks_are_called_on_the_lanes_thread_and_never_from_inside_themselves(
    plan: dict[int, list[tuple[str, int]]],
) -> None:
    schedule, _ = played(plan, ahead=False)
    threads = {thread for asked in schedule.asked for thread in asked.sink.threads}
    assert threads == {schedule.lane._thread.ident}
    assert {asked.sink.deepest for asked in schedule.asked} == {1}
