"""A difference is named by its first position, and counted."""

import pytest

from engine.checking.comparison import Comparison, Tally


@pytest.mark.parametrize(
    ("said", "expected", "difference"),
    [
        ([1, 2, 3], (1, 2, 3), ""),
        ([1, 9, 8], (1, 2, 3), "greedy: position 2 is 9, not 2"),
        ([1], (1, 2), "greedy: position 2 is missing, not 2"),
        ([1, 2], (1,), "greedy: position 2 is 2, not missing"),
        ([], (1,), "greedy: position 1 is missing, not 1"),
    ],
)
def test_the_first_position_that_differs_is_named(
    said: list[int], expected: tuple[int, ...], difference: str
) -> None:
    comparison = Comparison("greedy", said, expected)
    assert comparison.difference == difference
    assert comparison.identical == (not difference)


def test_another_fault_counts_though_the_tokens_are_the_same() -> None:
    comparison = Comparison("greedy", [1], [1], "0 tokens reused, not 16")
    assert comparison.difference == "greedy: 0 tokens reused, not 16"
    assert not comparison.identical


def test_a_tally_keeps_the_first_difference() -> None:
    tally = Tally("shared")
    for case, said in (("a", 1), ("b", 2), ("c", 1), ("d", 3)):
        tally.add(Comparison(case, [said], [1]))
    assert (tally.compared, tally.identical) == (4, 2)
    assert tally.first == "b: position 1 is 2, not 1"
