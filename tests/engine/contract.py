"""The lane's contract, held against every call of a backend and every event of a reply as they come."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.api import Event, Filling, Finished, Request, Sampling, Text
from engine.backend import Backend
from engine.errors import ReplyError
from engine.fill import plan_cuts
from engine.rounds import Rounds
from engine.text import TextOf
from tests.fakes import FakeClock, Recorder, ask, decode

__all__ = ["CHUNKS_WITHOUT_STEP", "STEPS_WITHOUT_CHUNK", "Play", "Watched"]

Alone = Callable[[tuple[int, ...], Request], Sequence[int]]
"""What the reply to a prompt is when its stream is alone, fresh and read whole: at least `max_tokens`."""

LONG = 10_000
"""Rounds that no test needs."""

CHUNKS_WITHOUT_STEP = 1
STEPS_WITHOUT_CHUNK = 1
"""What a decoding stream, and a prompt that is read, wait for at most."""


class Watched:
    """A backend that passes on what it is asked, and objects to what the contract forbids.

    Attributes:
        streams: ids that are open.
        at: of each stream there ever was, the prompt tokens that were read.
        chunks: the stream and the end of each chunk, in order.
        widest: the most streams of one step.
        violations: laws that were broken, for where an exception would be swallowed.
    """

    def __init__(self, backend: Backend, held: Callable[[], Collection[int]]) -> None:
        """`held` gives the ids of which `backend` still holds something."""
        self.facts = backend.facts
        self.streams: set[int] = set()
        self.at: dict[int, int] = {}
        self.chunks: list[tuple[int, int]] = []
        self.widest = 0
        self.violations: list[str] = []
        self.held = held
        self._backend = backend
        self._cuts: dict[int, tuple[int, ...]] = {}
        self._without_step: dict[int, int] = {}
        self._without_chunk = 0

    def open(self, id: int, prompt: Sequence[int], sampling: Sampling, cuts: Sequence[int]) -> int:
        self._law(id not in self.at, "an id is opened once")
        self.streams.add(id)
        self._law(
            cuts == plan_cuts(len(prompt) - 1, self.facts.caps), "cuts depend on nothing but the length"
        )
        self._cuts[id] = tuple(cuts)
        self.at[id] = self._backend.open(id, prompt, sampling, cuts)
        self._law(self.at[id] in (0, *cuts), "a pass resumes where the whole one cuts")
        return self.at[id]

    def prefill_step(self, id: int, end: int) -> None:
        planned = next((cut for cut in self._cuts[id] if cut > self.at[id]), None)
        self._law(end == planned, "a chunk ends at the next planned cut")
        self._count_chunk()
        self.chunks.append((id, end))
        self._backend.prefill_step(id, end)
        self.at[id] = end

    def cancel_prefill(self, id: int) -> int:
        kept = self._backend.cancel_prefill(id)
        self._law(kept == self.at[id], "what is kept is what was read")
        self.streams.remove(id)
        return kept

    def step(self, ids: Sequence[int]) -> list[int | ReplyError | None]:
        self._law(sorted(ids) == sorted(self.filled()), "a step is of every stream whose prompt is read")
        self._count_step()
        self.widest = max(self.widest, len(ids))
        return self._backend.step(ids)

    def release(self, id: int, keep: bool) -> None:
        self.streams.remove(id)
        self._backend.release(id, keep)

    def reset(self) -> None:
        self.streams.clear()
        self._backend.reset()

    def close(self) -> None:
        self._backend.close()

    def filled(self) -> set[int]:
        """Ids that are open and whose prompt is read."""
        return {id for id in self.streams if self.at[id] == (self._cuts[id] or (0,))[-1]}

    def _count_chunk(self) -> None:
        self._without_chunk = 0
        self._without_step = {id: self._without_step.get(id, 0) + 1 for id in self.filled()}
        waited = max(self._without_step.values(), default=0)
        self._law(waited <= CHUNKS_WITHOUT_STEP, "a decoding stream waits for a chunk at most")

    def _count_step(self) -> None:
        self._without_step = {}
        self._without_chunk = self._without_chunk + 1 if len(self.filled()) < len(self.streams) else 0
        self._law(self._without_chunk <= STEPS_WITHOUT_CHUNK, "a prompt waits for a step at most")

    def _law(self, holds: bool, law: str) -> None:
        if not holds:
            self.violations.append(law)
        assert holds, law


@dataclass(slots=True)
class _Asked:
    """A request and what came of it so far."""

    request: Request
    prompt: tuple[int, ...]
    alone: Sequence[int]
    done: int = 0
    reused: int = 0


class Play:
    """Rounds over a watched backend. Each method looks at the events it caused.

    Attributes: `live`, ids without their Finished; `may_fail`, those that may end with an error.
    """

    def __init__(self, watched: Watched, alone: Alone, text_of: TextOf | None = None) -> None:
        self.watched = watched
        self.seen = Recorder()
        self.clock = FakeClock()
        self.rounds = Rounds(watched, text_of or TextOf(decode), self.clock)
        self.live: set[int] = set()
        self.may_fail: set[int] = set()
        self._alone = alone
        self._asked: dict[int, _Asked] = {}

    def submit(self, prompt: Sequence[int], **settings: object) -> int:
        """Returns: the new stream's id."""
        id, prompt = len(self._asked) + 1, tuple(prompt)
        request = ask(prompt, **settings)
        self._asked[id] = _Asked(request, prompt, self._alone(prompt, request))
        self.live.add(id)
        self.look(self.rounds.admit(id, request, prompt, self.clock.now))
        return id

    @property
    def asked(self) -> int:
        """How many streams there ever were; their ids count from 1."""
        return len(self._asked)

    def prompt(self, id: int) -> tuple[int, ...]:
        return self._asked[id].prompt

    def reused(self, id: int) -> int:
        return self._asked[id].reused

    def round(self) -> None:
        """One chunk at most, then one step of all that are filled."""
        before = len(self.watched.chunks)
        waits = len(self.watched.filled()) < len(self.watched.streams)
        self.look(self.rounds.fill())
        assert len(self.watched.chunks) - before == waits, "a round reads one chunk of one prompt"
        self.look(self.rounds.step())

    def leave(self, id: int, keep: bool) -> None:
        """Cancels a stream, or with `keep` False forgets it."""
        drawn = {stream.id: stream.generated for stream in self.rounds.status().streams}
        chunks = len(self.watched.chunks)
        self.look(self.rounds.cancel(id) if keep else self.rounds.forget(id))
        finished = self.seen.finished(id)
        assert finished.reason == "cancelled"
        assert finished.usage.generated == drawn[id], "a cancel draws nothing"
        assert len(self.watched.chunks) == chunks, "a cancel reads nothing"

    def run(self) -> None:
        """Rounds until every stream ended, which takes no more of them than there is work."""
        for _ in range(LONG):
            if not self.live:
                return
            self.round()
        raise AssertionError(f"{sorted(self.live)} never ended")

    def look(self, events: Iterable[Event]) -> None:
        for event in events:
            assert event.id in self.live, "nothing comes after Finished"
            self.seen(event)
            match event:
                case Filling():
                    self._filling(event)
                case Text():
                    asked = self._asked[event.id]
                    said = self.seen.tokens(event.id)
                    assert said == list(asked.alone[: len(said)]), "a reply is what it is alone"
                case Finished():
                    self._finished(event)
        assert self.watched.streams == self.live == set(self.watched.held()), (
            "nothing of an ended stream is held"
        )

    def _filling(self, event: Filling) -> None:
        asked = self._asked[event.id]
        read = self.watched.at[event.id]
        assert event.done == read or event.done == event.total == read + 1, "progress is what was read"
        assert asked.done <= event.done <= event.total == len(asked.prompt)
        asked.done, asked.reused = event.done, event.reused

    def _finished(self, event: Finished) -> None:
        asked = self._asked[event.id]
        self.live.remove(event.id)
        said = self.seen.tokens(event.id)
        assert (event.reason == "error") <= (event.id in self.may_fail), "a fault ends its own stream alone"
        if event.reason == "length":
            assert said == list(asked.alone[: asked.request.max_tokens]), "a reply is what it is alone"
        if event.reason == "stop":
            assert asked.alone[len(said)] in self.watched.facts.stop_tokens, (
                "a reply ends where it does alone"
            )
        untold = event.usage.generated - len(said)
        assert untold == (event.reason == "stop"), "every token but the one that ends a reply is told"
        assert event.usage.read == asked.done - asked.reused, "a pass is credited with what was shown"
