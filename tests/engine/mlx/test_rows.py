"""Shared forwards: each stream's logits and caches are those it has alone, bit by bit."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import engine.mlx  # noqa: F401
from engine.mlx.tiny_families import FAMILIES, WINDOW, make_tiny_family

# isort: split
import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, RotatingKVCache, make_prompt_cache

from engine.mlx.caches import Caches, arrays
from engine.mlx.load import load
from engine.mlx.row_check import prepare_rows
from engine.mlx.rows import shared_step
from engine.sharing import Sharing

BATCH = 4
LENGTHS = (WINDOW + 9, 3, 17, WINDOW - 2)
"""The first wrapped its window before it shares, the last does while it shares."""

STEPS = 6

CACHES = {
    "qwen3_5": [ArraysCache, KVCache, ArraysCache, KVCache],
    "minimax_m3": [CacheList, CacheList, CacheList],
    "lfm2_moe": [ArraysCache, ArraysCache, KVCache, ArraysCache],
    "nemotron_h": [ArraysCache, KVCache, ArraysCache, KVCache],
    "gemma4": [RotatingKVCache, RotatingKVCache, KVCache],
}
"""Gemma's last three layers read the keys of earlier ones and have no caches."""


@cache
def model_of(family: str) -> Any:
    with TemporaryDirectory() as folder:
        model = load(make_tiny_family(Path(folder, family), family)).model
    prepare_rows(model, Sharing("padded", BATCH))
    return model


@pytest.fixture(params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return model_of(request.param)


def tokens_of(stream: int, count: int, kind: str) -> list[int]:
    source = random.Random(f"{kind} {stream}")
    return [source.randrange(281) for _ in range(count)]


def filled(model: Any, stream: int) -> Caches:
    caches = list(make_prompt_cache(model))
    model(mx.array([tokens_of(stream, LENGTHS[stream], "prompt")]), cache=caches)
    mx.eval(arrays(caches))
    return caches


def fed(stream: int, step: int) -> mx.array:
    return mx.array(tokens_of(stream, STEPS, "fed")[step : step + 1])


def alone(model: Any, stream: int, caches: Caches) -> list[mx.array]:
    """The logits of each step of one stream among nothing but padding."""
    return [shared_step(model, [fed(stream, step)], [caches], BATCH)[0] for step in range(STEPS)]


def flat(caches: Caches) -> Iterator[Any]:
    """What the caches hold, whatever their buffers' spare room."""
    for layer in caches:
        for part in getattr(layer, "caches", [layer]):
            yield getattr(part, "offset", None)
            yield from part.keys_and_values() if hasattr(part, "keys_and_values") else part.cache


def assert_same(caches: Caches, others: Caches) -> None:
    for one, other in zip(flat(caches), flat(others), strict=True):
        same = mx.array_equal(one, other).item() if isinstance(one, mx.array) else one == other
        assert same


@pytest.mark.parametrize("family", FAMILIES)
def test_the_families_bring_every_kind_of_cache(family: str) -> None:
    assert [type(cache) for cache in make_prompt_cache(model_of(family))] == CACHES[family]


def test_shared_equals_alone(model: Any) -> None:
    lone = [filled(model, stream) for stream in range(BATCH)]
    expected = [alone(model, stream, caches) for stream, caches in enumerate(lone)]
    streams = [filled(model, stream) for stream in range(BATCH)]
    for step in range(STEPS):
        logits = shared_step(model, [fed(stream, step) for stream in range(BATCH)], streams, BATCH)
        for stream in range(BATCH):
            assert mx.array_equal(logits[stream], expected[stream][step]), (stream, step)
    for caches, own in zip(streams, lone, strict=True):
        assert_same(caches, own)


def test_neighbours_come_and_go(model: Any) -> None:
    expected = [alone(model, stream, filled(model, stream)) for stream in range(BATCH)]
    streams = [filled(model, stream) for stream in range(BATCH)]
    at = [0] * BATCH
    for group in ((0,), (2, 0), (3, 1, 2, 0), (1, 3), (0, 1), (3, 2, 1), (2,)):
        logits = shared_step(
            model, [fed(stream, at[stream]) for stream in group], [streams[s] for s in group], BATCH
        )
        for row, stream in enumerate(group):
            assert mx.array_equal(logits[row], expected[stream][at[stream]]), (group, stream)
            at[stream] += 1


def test_one_row_equals_a_plain_step(model: Any) -> None:
    for stream in range(BATCH):
        shared, plain = filled(model, stream), filled(model, stream)
        for step in range(STEPS):
            logits = shared_step(model, [fed(stream, step)], [shared], 1)
            expected = model(fed(stream, step)[None], cache=plain)[:, -1]
            assert mx.array_equal(logits, expected), (stream, step)
        assert_same(shared, plain)


def test_streams_that_have_read_nothing_may_share(model: Any) -> None:
    streams = [list(make_prompt_cache(model)) for _ in range(2)]
    expected = alone(model, 1, list(make_prompt_cache(model)))
    for step in range(STEPS):
        logits = shared_step(model, [fed(0, step), fed(1, step)], streams, BATCH)
        assert mx.array_equal(logits[1], expected[step])


def test_a_stream_without_a_state_does_not_share_with_one_that_has_one() -> None:
    model = model_of("qwen3_5")
    with pytest.raises(ValueError, match="without a state"):
        shared_step(model, [fed(0, 0), fed(1, 0)], [filled(model, 0), list(make_prompt_cache(model))], BATCH)


def test_quantized_caches_share() -> None:
    model = model_of("qwen3_5")

    def quantized(stream: int) -> Caches:
        caches = filled(model, stream)
        return [
            cache.to_quantized(group_size=32, bits=8) if hasattr(cache, "to_quantized") else cache
            for cache in caches
        ]

    expected = [alone(model, stream, quantized(stream)) for stream in range(2)]
    streams = [quantized(stream) for stream in range(2)]
    for step in range(STEPS):
        logits = shared_step(model, [fed(0, step), fed(1, step)], streams, BATCH)
        assert mx.array_equal(logits[0], expected[0][step])
        assert mx.array_equal(logits[1], expected[1][step])


def test_an_unknown_cache_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot share a object"):
        shared_step(model_of("gemma4"), [fed(0, 0)], [[object()]], BATCH)


def test_minimax_drops_blocks_of_the_longer_streams_only() -> None:
    model = model_of("minimax_m3")
    attention = model.layers[1].self_attn
    streams = [filled(model, stream) for stream in (0, 1)]
    shared_step(model, [fed(0, 0), fed(1, 0)], streams, BATCH)
    row = mx.random.normal((1, 1, 64), key=mx.random.key(1))
    masks = [attention._block_mask(row, None, caches[1][1].offset, caches[1][1]) for caches in streams]
    assert masks[0] is not None
    assert not masks[0].all()
    assert masks[1] is None
