"""A kept state serves a prompt only where that prompt would itself be cut."""

from engine.backend import Cap
from engine.cache.kept import Kept, KeptStates
from engine.fill import plan_cuts

CAPS = (Cap(0, 10),)


def state(tokens: range | list[int], trimmable: bool = True, bytes: int = 1) -> Kept[str]:
    return Kept(tuple(tokens), plan_cuts(len(tokens), CAPS), f"state of {len(tokens)}", trimmable, bytes)


def found(states: KeptStates[str], prompt: list[int]) -> int:
    match = states.find(tuple(prompt), plan_cuts(len(prompt) - 1, CAPS))
    return match[1] if match else 0


def test_a_trimmable_state_serves_every_cut_of_the_common_prefix() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state(range(35)))
    assert found(states, [*range(28), 99, 98, 97]) == 20
    assert found(states, list(range(60))) == 30
    assert found(states, [99, *range(30)]) == 0


def test_the_same_prompt_leaves_one_row_to_run() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state(range(35)))
    assert found(states, list(range(36))) == 35


def test_a_cut_of_the_new_prompt_alone_is_not_enough() -> None:
    """Rows 30 to 34 were read in a chunk that ends at 35; a whole pass over 34 ends one at 34."""
    states: KeptStates[str] = KeptStates(100)
    states.keep(state(range(35)))
    assert found(states, list(range(35))) == 30


def test_a_state_that_cannot_be_cut_back_serves_only_its_own_end() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state(range(30), trimmable=False))
    assert found(states, list(range(60))) == 30
    assert found(states, [*range(25), 99, *range(40)]) == 0
    states.clear()
    states.keep(state(range(35), trimmable=False))
    assert found(states, list(range(60))) == 0


def test_the_longest_state_wins() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state([*range(20), 5, 5, 5]))
    states.keep(state([*range(40)]))
    assert found(states, list(range(60))) == 40


def test_the_budget_gives_up_the_least_recently_used() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state([1] * 20, bytes=50))
    states.keep(state([2] * 20, bytes=50))
    assert found(states, [1] * 21) == 20
    states.keep(state([3] * 20, bytes=50))
    assert (found(states, [1] * 21), found(states, [2] * 21), found(states, [3] * 21)) == (20, 0, 20)
    assert states.bytes == 100
    states.keep(state([4] * 20, bytes=101))
    assert states.bytes == 0


def test_a_longer_trimmable_state_replaces_its_prefix() -> None:
    states: KeptStates[str] = KeptStates(100)
    states.keep(state(range(20), bytes=20))
    states.keep(state(range(40), bytes=40))
    assert states.bytes == 40
    states.keep(state(range(50), trimmable=False, bytes=50))
    assert states.bytes == 90
