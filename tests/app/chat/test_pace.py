"""The time left is told from the chunks seen."""

import pytest

from app.chat.pace import Pace


def test_three_chunks_are_needed() -> None:
    pace = Pace()
    for start in (0, 100):
        pace.saw(start, start + 100, 1.0)
    assert pace.seconds(200, 300) is None
    pace.saw(200, 300, 1.0)
    assert pace.seconds(300, 1300) == pytest.approx(10.0)


def test_deeper_tokens_take_longer() -> None:
    """A token at position n costs 1 + n / 1000 ms."""
    pace = Pace()
    for start in range(0, 500, 100):
        pace.saw(start, start + 100, 0.1 * (1 + (start + 50) / 1000))
    assert pace.seconds(500, 4500) == pytest.approx(4.0 * (1 + 2.5))


def test_a_falling_cost_is_not_drawn_out_below_zero() -> None:
    pace = Pace()
    for start, seconds in ((0, 3.0), (100, 2.0), (200, 1.0)):
        pace.saw(start, start + 100, seconds)
    assert pace.seconds(1000, 1100) == pytest.approx(2.0)


def test_chunks_of_one_position_give_their_mean() -> None:
    pace = Pace()
    for seconds in (1.0, 2.0, 3.0):
        pace.saw(0, 100, seconds)
    assert pace.seconds(0, 100) == pytest.approx(2.0)
