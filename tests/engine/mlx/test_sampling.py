"""Draws are functions of the logits, the seed and the position."""

import io
import math
import re
from collections.abc import Sequence
from typing import Any

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx
import pytest
from mlx_lm.sample_utils import make_logits_processors

from engine.api import Sampling
from engine.errors import InvalidNumbers, ProcessorFailed
from engine.mlx.sampling import INVALID, NOTHING_LEFT, Sampler, outcome
from engine.sampling import Processor

LOGITS = mx.array([[1.0, 4.0, 2.0, 3.0, -5.0]])


def drawn(
    sampling: Sampling, logits: mx.array = LOGITS, count: int = 200, prompt: tuple[int, ...] = (0,)
) -> list[int]:
    sampler = Sampler(sampling, prompt)
    return [number(sampler, logits, position) for position in range(count)]


def number(sampler: Sampler, logits: mx.array, position: int) -> int:
    token = sampler.draw(logits, position)
    assert isinstance(token, mx.array)
    return int(token.item())  # type: ignore[arg-type]


def test_temperature_zero_is_greedy() -> None:
    assert set(drawn(Sampling())) == {1}


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
    assert number(sampler, LOGITS, 150) == drawn(Sampling(temperature=2.0, seed=3))[150]


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


SPREAD = [2.0, 1.6, 1.5, 0.4, 0.0, -0.3, 0.9, 1.1]
"""Near enough for the rarest to be expected some times among DRAWS."""
DRAWS = 1500


def probabilities(sampling: Sampling, logits: Sequence[float]) -> list[float]:
    """What each id is drawn with: the filters, top_p, min_p and top_k, look at the plain distribution."""
    weights = [math.exp(logit) for logit in logits]
    chances = [weight / sum(weights) for weight in weights]
    ranked = sorted(range(len(logits)), key=lambda id: -chances[id])
    above = [sum(chances[id] for id in ranked[:rank]) for rank in range(len(ranked))]
    kept = {id for id, mass in zip(ranked, above, strict=True) if mass < sampling.top_p}
    kept = {id for id in kept if chances[id] >= sampling.min_p * max(chances)}
    kept &= set(ranked[: sampling.top_k or len(ranked)])
    warm = [chance ** (1 / sampling.temperature) * (id in kept) for id, chance in enumerate(chances)]
    return [weight / sum(warm) for weight in warm]


@pytest.mark.parametrize(
    "setting",
    [
        {"temperature": 1.0},
        {"temperature": 0.5},
        {"temperature": 2.5},
        {"temperature": 1.0, "top_p": 0.7},
        {"temperature": 1.0, "top_k": 3},
        {"temperature": 1.0, "min_p": 0.3},
        {"temperature": 1.7, "top_p": 0.95, "top_k": 5, "min_p": 0.1},
    ],
)
def test_draws_follow_the_distribution_of_their_settings(setting: dict[str, float]) -> None:
    sampling = Sampling(**setting, seed=2**40)  # type: ignore[arg-type]
    sampler = Sampler(sampling, (0,))
    row = mx.array([SPREAD])
    tokens: Any = mx.concatenate([sampler.draw(row, at) for at in range(DRAWS)]).tolist()  # type: ignore[misc]
    expected = [DRAWS * chance for chance in probabilities(sampling, SPREAD)]
    counts = [tokens.count(id) for id in range(len(SPREAD))]
    assert not [id for id, count in enumerate(counts) if count and not expected[id]]
    distance = sum((n - mean) ** 2 / mean for n, mean in zip(counts, expected, strict=True) if mean)
    assert distance < 24.3  # chi-square with 7 degrees of freedom exceeds it once in a thousand


def without(*ids: int) -> Processor:
    return lambda tokens, logits: mx.put_along_axis(
        logits, mx.array([ids]), mx.full((1, len(ids)), float("-inf")), axis=-1
    )


def test_processors_change_the_logits_in_order() -> None:
    def doubled(tokens: mx.array, logits: mx.array) -> mx.array:
        return logits * 2

    def less_of_one(tokens: mx.array, logits: mx.array) -> mx.array:
        return logits - mx.array([[0.0, 1.5, 0.0, 0.0, 0.0]])

    assert drawn(Sampling(processors=(doubled, less_of_one)), count=1) == [1]
    assert drawn(Sampling(processors=(less_of_one, doubled)), count=1) == [3]


def test_the_repetition_penalty_comes_after_the_processors() -> None:
    def lowered(tokens: mx.array, logits: mx.array) -> mx.array:
        return logits - 3.5

    assert drawn(Sampling(repetition_penalty=1.5), count=1, prompt=(1,)) == [3]
    assert drawn(Sampling(repetition_penalty=1.5, processors=(lowered,)), count=1, prompt=(1,)) == [1]


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_a_processor_gets_all_ids_so_far_and_what_it_writes_to_them_is_its_own(temperature: float) -> None:
    seen: list[Any] = []

    def watch(tokens: mx.array, logits: mx.array) -> mx.array:
        seen.append(tokens.tolist())
        tokens[0] = 77
        return logits

    replied = drawn(Sampling(temperature=temperature, processors=(watch, watch)), count=20, prompt=(3, 1, 2))
    assert seen[::2] == seen[1::2] == [[3, 1, 2, *replied[:place]] for place in range(20)]
    assert replied == drawn(Sampling(temperature=temperature), count=20)


def test_a_processor_may_write_to_the_logits_it_gets() -> None:
    """As those of mlx-lm do."""
    penalties = tuple(make_logits_processors(logit_bias={4: 8.5}, presence_penalty=1.2))
    assert drawn(Sampling(processors=penalties), count=6) == [1, 4, 3, 1, 1, 1]
    assert LOGITS.tolist() == [[1.0, 4.0, 2.0, 3.0, -5.0]]


def raising(tokens: mx.array, logits: mx.array) -> mx.array:
    raise ValueError("no such grammar")


@pytest.mark.parametrize(
    ("processor", "told"),
    [
        (raising, "ValueError: no such grammar"),
        (lambda tokens, logits: None, "TypeError: it returned NoneType, not an array of MLX"),
        (lambda tokens, logits: logits.tolist(), "TypeError: it returned list"),
        (lambda tokens, logits: logits[0], r"ValueError: it returned .*float32 \(5,\), not logits \(1, 5\)"),
        (lambda tokens, logits: logits[:, :4], r"ValueError: it returned .*float32 \(1, 4\)"),
        (lambda tokens, logits: logits > 0, r"ValueError: it returned .*bool"),
        (lambda tokens, logits: logits.astype(mx.int32), r"ValueError: it returned .*int32"),
    ],
)
def test_a_processor_that_raises_or_returns_no_logits_is_told(processor: Processor, told: str) -> None:
    failed = Sampler(Sampling(processors=(without(1), processor)), (0,)).draw(LOGITS, 1)
    assert isinstance(failed, ProcessorFailed)
    assert re.match(rf"A logits processor failed \({told}.*\)\. Correct the processor", str(failed))


def test_a_failed_processors_error_holds_no_array() -> None:
    """It goes to other threads, and arrays are freed on the lane's."""
    failed = Sampler(Sampling(processors=(raising,)), (0,)).draw(LOGITS, 1)
    assert isinstance(failed, ProcessorFailed)
    assert (failed.__traceback__, failed.__cause__, failed.__context__) == (None, None, None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_processor_that_leaves_nothing_to_draw_is_told_apart_from_a_broken_model(
    bad: float, temperature: float
) -> None:
    sampling = Sampling(temperature=temperature, processors=(lambda tokens, logits: logits * 0 + bad,))
    (nothing,) = drawn(sampling, count=1)
    assert nothing == NOTHING_LEFT
    assert str(outcome(nothing)).startswith(
        "A logits processor failed (ValueError: it left no token to draw)."
    )
    (broken,) = drawn(sampling, mx.array([[0.0, 0.0]]), count=1)
    assert isinstance(outcome(broken), InvalidNumbers)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_processor_may_leave_one_token_or_make_all_alike(temperature: float) -> None:
    only = Sampling(temperature=temperature, processors=(without(0, 1, 2, 3),))
    assert drawn(only, count=20) == [4] * 20
    alike = Sampling(temperature=temperature, processors=(lambda tokens, logits: logits * 0,))
    assert set(drawn(alike, count=100)) == ({0} if temperature == 0 else set(range(5)))


def test_the_ids_are_kept_for_processors_alone_and_their_graph_does_not_grow() -> None:
    plain, processed = Sampler(Sampling(), (0,)), Sampler(Sampling(processors=(without(1),)), (0,))
    assert plain.held == []
    sizes = set()
    for position in range(30):
        token = processed.draw(LOGITS, position)
        graph = io.StringIO()
        mx.export_to_dot(graph, *processed.held)
        sizes.add(graph.getvalue().count("shape=rectangle"))
        mx.eval([token, processed.held])
    assert len(sizes) == 1
