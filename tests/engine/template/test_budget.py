"""What a run may use goes down and never up, and a value is weighed as often as it is there."""

import pytest

from engine.template.budget import BYTES, COPIES, SECONDS, Budget, LimitExceeded
from tests.fakes import FakeClock


def test_the_time_is_over_when_its_clock_says_so() -> None:
    clock = FakeClock()
    budget = Budget(0, clock)
    clock.now += SECONDS - 0.01
    budget.tick()
    clock.now += 0.01
    with pytest.raises(LimitExceeded, match="2 s"):
        budget.tick()


def test_what_was_charged_cannot_be_had_again() -> None:
    budget = Budget(1000, lambda: 0.0)
    budget.charge(BYTES)
    budget.charge(1000 * COPIES)
    budget.charge(0)
    with pytest.raises(LimitExceeded, match="32 MB"):
        budget.charge(1)


def test_to_afford_is_not_to_pay() -> None:
    budget = Budget(0, lambda: 0.0)
    for _ in range(3):
        budget.afford(BYTES)
    with pytest.raises(LimitExceeded):
        budget.afford(BYTES + 1)


def test_a_value_in_two_places_weighs_twice() -> None:
    budget = Budget(0, lambda: 0.0)
    inner = ["x" * 1000, {"key": 1}]
    one, two = budget.weigh([inner]), budget.weigh([inner, inner])
    assert one.nodes == 6
    assert two.nodes == 11
    assert two.bytes > 2 * 1000
    assert (one.depth, two.depth) == (4, 4)


def test_weighing_ends_however_much_there_is() -> None:
    value: list[object] = []
    for _ in range(60):
        value = [value, value]
    ticks = iter(range(10_000))
    with pytest.raises(LimitExceeded):
        Budget(0, lambda: next(ticks) * 0.01).weigh(value)


def test_a_made_value_is_charged_with_its_size() -> None:
    budget = Budget(0, lambda: 0.0)
    text = "x" * (BYTES // 2)
    assert budget.made(text) is text
    budget.made(1)
    budget.made("short")
    with pytest.raises(LimitExceeded):
        budget.made("y" * (BYTES // 2 + 100))
