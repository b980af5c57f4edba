"""Whatever comes, leaves, waits or fails around a reply, it is what it is alone: random schedules."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from engine.api import Priority, Request, Sampling
from engine.backend import Cap, ModelFacts
from engine.errors import InvalidNumbers
from tests.engine.contract import Play, Watched
from tests.fakes import END, VOCABULARY, FakeBackend, expected_reply

CAPS = [(Cap(0, 1),), (Cap(0, 16),), (Cap(0, 7), Cap(20, 3)), (Cap(0, 5), Cap(11, 50), Cap(60, 4))]
REPLY = 8

ways_to_leave = st.sampled_from([True, False])
any_stream = st.integers(0, 99)


def prompt_of(shared: int, own: int, salt: int) -> tuple[int, ...]:
    """A prompt whose first `shared` tokens others have too."""
    return (*range(shared), *((position * 7 + salt) % 900 for position in range(own)))


class AnySchedule(RuleBasedStateMachine):
    """Streams arrive, leave and fail in any order between rounds; the play objects to what is forbidden."""

    play: Play
    backend: FakeBackend

    @initialize(
        caps=st.sampled_from(CAPS),
        trimmable=st.booleans(),
        ahead=st.booleans(),
        kept=st.sampled_from([0, 60, 1 << 20]),
    )
    def open(self, caps: tuple[Cap, ...], trimmable: bool, ahead: bool, kept: int) -> None:
        facts = ModelFacts(4096, VOCABULARY, frozenset({END}), caps)
        self.backend = FakeBackend(facts, trimmable=trimmable, ahead=ahead, kept_bytes=kept)

        def alone(prompt: tuple[int, ...], request: Request) -> list[int]:
            return expected_reply(prompt, REPLY, caps, request.sampling.seed)

        self.play = Play(Watched(self.backend, lambda: self.backend.rows), alone)

    @rule(
        shared=st.integers(0, 70),
        own=st.integers(1, 50),
        salt=st.integers(0, 2),
        priority=st.sampled_from(Priority),
        count=st.integers(1, REPLY),
    )
    def arrive(self, shared: int, own: int, salt: int, priority: Priority, count: int) -> None:
        sampling = Sampling(seed=salt)
        self.play.submit(prompt_of(shared, own, salt), priority=priority, max_tokens=count, sampling=sampling)

    @precondition(lambda self: self.play.asked)
    @rule(which=any_stream, start=st.integers(1, 80), own=st.sampled_from([0, 1, 9]))
    def arrive_with_a_beginning_of_another(self, which: int, start: int, own: int) -> None:
        """A message that was edited, or the next turn."""
        earlier = self.play.prompt(1 + which % self.play.asked)
        self.play.submit((*earlier[:start], *prompt_of(0, own, 5)), max_tokens=REPLY)

    @rule()
    def all_end(self) -> None:
        self.play.run()

    @rule(count=st.integers(1, 9))
    def rounds(self, count: int) -> None:
        for _ in range(count):
            self.play.round()

    @precondition(lambda self: self.play.live)
    @rule(which=any_stream, keep=ways_to_leave)
    def leave(self, which: int, keep: bool) -> None:
        self.play.leave(self.one(which), keep)

    @rule(which=any_stream, keep=ways_to_leave)
    def leave_during_a_chunk(self, which: int, keep: bool) -> None:
        """The click comes while a chunk runs; the lane takes it before it draws."""
        self.play.look(self.play.rounds.fill())
        if self.play.live:
            self.play.leave(self.one(which), keep)
        self.play.look(self.play.rounds.step())

    @precondition(lambda self: self.play.live and self.backend.kept_bytes > 60)
    @rule(which=any_stream)
    def stop_and_send_again(self, which: int) -> None:
        id = self.one(which)
        read = self.play.watched.at[id]
        self.play.leave(id, keep=True)
        again = self.play.submit(self.play.prompt(id), max_tokens=REPLY)
        assert self.play.reused(again) >= min(read, len(self.play.prompt(id)) - 1), (
            "what was read is not read again"
        )

    @rule()
    def a_chunk_fails(self) -> None:
        def fail(id: int) -> None:
            self.play.may_fail.add(id)
            raise InvalidNumbers

        self.backend.on_chunk = fail
        self.play.round()
        self.backend.on_chunk = lambda id: None

    @precondition(lambda self: self.play.live)
    @rule(which=any_stream)
    def a_draw_fails(self, which: int) -> None:
        id = self.one(which)
        self.play.may_fail.add(id)
        self.backend.scripts[id] = [InvalidNumbers()]

    def one(self, which: int) -> int:
        return sorted(self.play.live)[which % len(self.play.live)]

    def teardown(self) -> None:
        if hasattr(self, "play"):
            self.play.run()


AnySchedule.TestCase.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)
TestAnySchedule: Any = AnySchedule.TestCase
