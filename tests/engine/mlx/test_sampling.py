"""Draws are functions of the logits, the seed and the position."""

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx
import pytest

from engine.api import Sampling
from engine.mlx.sampling import INVALID, Sampler

LOGITS = mx.array([[1.0, 4.0, 2.0, 3.0, -5.0]])


def drawn(
    sampling: Sampling, logits: mx.array = LOGITS, count: int = 200, prompt: tuple[int, ...] = (0,)
) -> list[int]:
    sampler = Sampler(sampling, prompt)
    return [int(sampler.draw(logits, position).item()) for position in range(count)]  # type: ignore[arg-type]


def test_temperature_zero_is_greedy() -> None:
    assert set(drawn(Sampling())) == {1}


def test_a_warm_draw_follows_the_distribution() -> None:
    tokens = drawn(Sampling(temperature=1.0), count=2000)
    assert 0.60 < tokens.count(1) / 2000 < 0.69  # softmax gives 0.644


@pytest.mark.parametrize(
    ("setting", "allowed"),
    [
        ({"top_k": 2}, {1, 3}),
        ({"top_p": 0.8}, {1, 3}),
        ({"min_p": 0.3}, {1, 3}),
        ({"top_k": 99}, {0, 1, 2, 3, 4}),
    ],
)
def test_filters_leave_only_likely_tokens(setting: dict[str, float], allowed: set[int]) -> None:
    tokens = set(drawn(Sampling(temperature=3.0, **setting), count=400))  # type: ignore[arg-type]
    assert tokens == allowed


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    warm = Sampling(temperature=2.0, seed=1)
    assert drawn(warm) == drawn(warm)
    assert drawn(warm) != drawn(Sampling(temperature=2.0, seed=2))


def test_a_draw_at_a_position_does_not_depend_on_the_draws_before() -> None:
    sampler = Sampler(Sampling(temperature=2.0, seed=3), (0,))
    assert int(sampler.draw(LOGITS, 150).item()) == drawn(Sampling(temperature=2.0, seed=3))[150]  # type: ignore[arg-type]


def test_the_repetition_penalty_counts_the_prompt_and_what_was_drawn() -> None:
    assert drawn(Sampling(repetition_penalty=2.5), count=3, prompt=(1,)) == [3, 2, 1]
    assert drawn(Sampling(repetition_penalty=2.5), count=2, prompt=(0,)) == [1, 3]


@pytest.mark.parametrize(
    "row",
    [[float("nan"), 1.0], [float("inf"), 1.0], [0.0, 0.0], [float("nan")] * 2, [1.0, float("nan")]],
)
def test_s15_rows_without_a_distribution_are_invalid(row: list[float]) -> None:
    assert drawn(Sampling(), mx.array([row]), count=1) == [INVALID]
    assert drawn(Sampling(temperature=1.0), mx.array([row]), count=1) == [INVALID]


def test_a_masked_token_is_no_fault() -> None:
    assert drawn(Sampling(), mx.array([[float("-inf"), 1.0]]), count=1) == [1]
