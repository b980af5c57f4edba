"""No starvation either way, a lone stream pays nothing, and a token costs the same at any length."""

import itertools
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from engine.api import Priority
from engine.backend import Cap, ModelFacts
from engine.fill import plan_cuts
from engine.rounds import PASSED_OVER_LIMIT, Rounds
from engine.text import Decode, TextOf
from tests.engine.contract import CHUNKS_WITHOUT_STEP, Watched
from tests.fakes import END, VOCABULARY, FakeBackend, FakeClock, ask, decode

CHUNK, STEP = 0.3, 0.02
"""Seconds of fake time."""

MINUTE = 60.0
FACTS = ModelFacts(1 << 20, VOCABULARY, frozenset({END}), (Cap(0, 512),))


class Endless:
    """A backend whose calls take fake time, and whose replies never end. It keeps nothing.

    Attributes: `calls`, "chunk" or "step" and the ids it was for, in order.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.facts = FACTS
        self.calls: list[tuple[str, tuple[int, ...]]] = []
        self.rows: dict[int, int] = {}
        self._clock = clock

    def open(self, id: int, prompt: Sequence[int], sampling: object, cuts: Sequence[int]) -> int:
        self.rows[id] = 0
        return 0

    def prefill_step(self, id: int, end: int) -> None:
        self.calls.append(("chunk", (id,)))
        self._clock.now += CHUNK
        self.rows[id] = end

    def cancel_prefill(self, id: int) -> int:
        return self.rows.pop(id)

    def step(self, ids: Sequence[int]) -> list[Any]:
        self.calls.append(("step", tuple(ids)))
        self._clock.now += STEP
        return [7] * len(ids)

    def release(self, id: int, keep: bool) -> None:
        del self.rows[id]

    def reset(self) -> None:
        self.rows.clear()

    def close(self) -> None:
        self.rows.clear()


class Lane:
    """Rounds as a lane runs them, over Endless."""

    def __init__(self, decode: Decode = decode) -> None:
        self.clock = FakeClock()
        self.backend = Endless(self.clock)
        self.watched = Watched(self.backend, lambda: self.backend.rows)
        self.rounds = Rounds(self.watched, TextOf(decode), self.clock)
        self._ids = itertools.count(1)

    def submit(self, length: int, priority: Priority = Priority.VISIBLE, **settings: Any) -> int:
        id, prompt = next(self._ids), [5] * length
        self.rounds.admit(id, ask(prompt, priority=priority, **settings), prompt, self.clock.now)
        return id

    def round(self) -> None:
        self.rounds.fill()
        self.rounds.step()
        self.rounds.status()

    def writing(self, priority: Priority = Priority.VISIBLE, length: int = 3) -> int:
        """A stream whose prompt is read."""
        id = self.submit(length, priority)
        while any(stream.phase != "decoding" for stream in self.rounds.status().streams):
            self.round()
        return id

    def waits(self, kind: str, id: int) -> list[int]:
        """How many chunks ran between two steps of a stream, or between two chunks of its own."""
        before = list(itertools.accumulate(kind == "chunk" for kind, _ in self.backend.calls))
        turns = [
            chunks
            for (of, ids), chunks in zip(self.backend.calls, before, strict=True)
            if of == kind and id in ids
        ]
        return [after - before for before, after in itertools.pairwise([0, *turns, before[-1]])]


@pytest.mark.parametrize(("chats", "pastes"), [(3, 5), (5, 3)])
@pytest.mark.parametrize(
    ("chatting", "pasting"),
    [(Priority.BACKGROUND, Priority.FOCUSED), (Priority.FOCUSED, Priority.BACKGROUND)],
)
def test_c02_neither_chats_nor_pastes_starve(
    chats: int, pastes: int, chatting: Priority, pasting: Priority
) -> None:
    lane = Lane()
    writing = [lane.writing(chatting) for _ in range(chats)]
    reading = [lane.submit(100_000, pasting) for _ in range(pastes)]
    del lane.backend.calls[:]
    started = lane.clock.now
    while lane.clock.now < started + MINUTE:
        lane.round()
    assert lane.watched.violations == []
    for id in writing:
        assert max(lane.waits("step", id)) <= CHUNKS_WITHOUT_STEP
    for id in reading:
        assert max(lane.waits("chunk", id)) <= PASSED_OVER_LIMIT + pastes
    kinds = [kind for kind, _ in lane.backend.calls]
    assert kinds == ["chunk", "step"] * (len(kinds) // 2)
    assert len(kinds) // 2 == pytest.approx(MINUTE / (CHUNK + STEP), abs=1)


def test_c02_a_paste_is_read_though_short_questions_never_cease_to_come() -> None:
    lane = Lane()
    paste = lane.submit(100_000, Priority.BACKGROUND)
    while lane.clock.now < MINUTE:
        lane.submit(300, Priority.FOCUSED, max_tokens=1)
        lane.round()
    assert max(lane.waits("chunk", paste)) <= PASSED_OVER_LIMIT + len(lane.rounds)


def test_c02_a_question_is_answered_though_pastes_never_cease_to_come() -> None:
    lane = Lane()
    chat = lane.writing(Priority.BACKGROUND)
    del lane.backend.calls[:]
    started = lane.clock.now
    while lane.clock.now < started + MINUTE:
        lane.submit(5_000, Priority.FOCUSED, max_tokens=1)
        lane.round()
    assert max(lane.waits("step", chat)) <= CHUNKS_WITHOUT_STEP


@pytest.mark.parametrize("ahead", [True, False])
def test_a_lone_stream_pays_for_its_chunks_and_its_tokens_and_nothing_else(ahead: bool) -> None:
    caps = (Cap(0, 16), Cap(64, 8))
    backend = FakeBackend(ModelFacts(4096, VOCABULARY, frozenset({END}), caps), ahead=ahead)
    rounds = Rounds(backend, TextOf(decode), FakeClock())
    prompt = list(range(100))
    rounds.admit(1, ask(prompt, max_tokens=7), prompt, 0.0)
    while len(rounds):
        rounds.fill()
        rounds.step()
    chunks = [("chunk", (1, cut)) for cut in plan_cuts(99, caps)]
    steps = [("step", (1,))] * (7 + ahead)
    assert backend.calls == [("open", 1), *chunks, *steps, ("release", 1)]


def calls_of(work: Callable[[], None]) -> int:
    """Calls of Python and of C that `work` makes."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def bytes_of(work: Callable[[], None]) -> int:
    """Most memory that `work` holds at a time, in bytes, beyond what was held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def cost_of_tokens(prompt: int, said: int) -> tuple[int, int, int]:
    """The calls, the bytes and the most ids decoded at a time for 64 tokens, `said` tokens after a prompt."""
    longest = 0

    def watched_decode(tokens: Sequence[int]) -> str:
        nonlocal longest
        longest = max(longest, len(tokens))
        return decode(tokens)

    lane = Lane(watched_decode)
    lane.writing(length=prompt)

    def say(tokens: int = 64) -> None:
        for _ in range(tokens):
            lane.round()
            del lane.backend.calls[:]

    say(said)
    longest = 0
    return calls_of(say), bytes_of(say), longest


@pytest.mark.parametrize("grown", ["prompt", "said"])
def test_f05_a_token_costs_the_same_at_any_length(grown: str) -> None:
    """Of a prompt and of a reply: no call more, no copy, and no more text decoded."""
    lengths = {"prompt": 64, "said": 64}
    calls, bytes, longest = cost_of_tokens(**lengths | {grown: 1024})
    calls_later, bytes_later, longest_later = cost_of_tokens(**lengths | {grown: 16 * 1024})
    assert (calls_later, longest_later) == (calls, longest)
    assert bytes_later <= bytes + 1024
