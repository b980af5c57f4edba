"""Each law holds on a sound backend, and fails on one with the fault it is there to find."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from engine.backend import Backend
from engine.checking.comparison import Tally
from engine.checking.laws import LAWS, tried
from engine.checking.trial import CAPS, FULL, Trial
from engine.errors import ReplyError
from tests.fakes import END, FakeBackend, FakeRow

Token = int | ReplyError | None

COUNTS = {"stepped": 9, "resumed": 27, "cancelled": 21, "interleaved": 21, "between": 18, "shared": 51}


def sound(trimmable: bool = True) -> FakeBackend:
    facts = replace(FakeBackend().facts, caps=CAPS)
    return FakeBackend(facts, trimmable=trimmable, ahead=True)


def tallies(new_backend: Callable[[], Backend]) -> dict[str, Tally]:
    return {tally.law: tally for tally in tried(Trial(new_backend, END, FULL), LAWS)}


def broken(new_backend: Callable[[], Backend]) -> set[str]:
    return {law for law, tally in tallies(new_backend).items() if tally.first}


@pytest.mark.parametrize("trimmable", [True, False])
def test_a_sound_backend_keeps_every_law(trimmable: bool) -> None:
    found = tallies(lambda: sound(trimmable))
    assert {law: tally.compared for law, tally in found.items()} == COUNTS
    assert {law: tally.identical for law, tally in found.items()} == COUNTS


def test_tokens_given_to_the_wrong_stream() -> None:
    class Swapped(FakeBackend):
        def step(self, ids: Sequence[int]) -> list[Token]:
            return super().step(ids)[::-1]

    assert broken(lambda: Swapped(sound().facts)) == {"shared", "interleaved", "between"}


def test_a_step_that_moves_a_stream_that_is_read() -> None:
    class Leaking(FakeBackend):
        def step(self, ids: Sequence[int]) -> list[Token]:
            for id, row in self.rows.items():
                if id not in ids and row.fed:
                    row.fed[0] = (row.fed[0][0], -5)
            return super().step(ids)

    assert "between" in broken(lambda: Leaking(sound().facts))


def test_chunks_that_move_with_load() -> None:
    class Loaded(FakeBackend):
        def prefill_step(self, id: int, end: int) -> None:
            row = self.rows[id]
            middle = (len(row.fed) + end) // 2
            if len(self.rows) > 1 and middle > len(row.fed):
                super().prefill_step(id, middle)
            super().prefill_step(id, end)

    assert {"stepped", "interleaved", "between"} <= broken(lambda: Loaded(sound().facts))


def test_a_stop_that_keeps_nothing_is_told() -> None:
    class Forgetful(FakeBackend):
        forgets = False

        def cancel_prefill(self, id: int) -> int:
            at = len(self.rows[id].fed)
            self.rows[id].fed = self.rows[id].fed[:16]
            super().cancel_prefill(id)
            return at

    found = tallies(lambda: Forgetful(sound().facts))["cancelled"]
    assert found.identical == 3
    assert found.first == "greedy, a prompt of 82 resumed at 32: 16 tokens reused, not 32"


def test_a_model_whose_states_cannot_be_kept_may_read_all_again() -> None:
    class Keepless(FakeBackend):
        def _keep(self, row: FakeRow) -> None:
            pass

    assert broken(lambda: Keepless(sound().facts)) == set()


def test_replies_that_tell_no_prompts_apart_are_not_lively() -> None:
    class Dull(FakeBackend):
        def step(self, ids: Sequence[int]) -> list[Token]:
            return [5 if token is not None else None for token in super().step(ids)]

    assert Trial(sound, END, FULL).lively()
    assert not Trial(lambda: Dull(sound().facts), END, FULL).lively()
