"""Copies of caches are independent, and only caches that hold every position are cut back."""

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

from engine.mlx.caches import append_only, arrays, copied, copyable, metadata, trimmed


def fed(cache: KVCache, value: float, count: int = 3) -> KVCache:
    rows = mx.full((1, 2, count, 4), value)
    cache.update_and_fetch(rows, rows)
    return cache


def test_a_copy_does_not_see_what_the_original_reads_later() -> None:
    original = fed(KVCache(), 1.0)
    (copy,) = copied([original])
    fed(original, 2.0)
    fed(copy, 3.0)
    assert original.keys[0, 0, 3:6, 0].tolist() == [2.0] * 3
    assert copy.keys[0, 0, :6, 0].tolist() == [1.0] * 3 + [3.0] * 3
    assert (original.offset, copy.offset) == (6, 6)


def test_a_cut_back_copy_goes_on_from_there() -> None:
    original = fed(KVCache(), 1.0)
    (copy,) = trimmed(copied([original]), 2)
    fed(copy, 5.0, count=1)
    assert copy.keys[0, 0, :2, 0].tolist() == [1.0, 5.0]
    assert original.keys[0, 0, :3, 0].tolist() == [1.0] * 3


def test_recurrent_and_sliding_states_are_copied_whole() -> None:
    state, window = ArraysCache(2), RotatingKVCache(max_size=4)
    state[0], state[1] = mx.ones((1, 3)), mx.zeros((1, 3))
    for value in range(6):
        fed(window, float(value), count=1)
    copies = copied([state, window])
    state[0] = mx.full((1, 3), 9.0)
    fed(window, 9.0, count=1)
    assert copies[0][0].tolist() == [[1.0] * 3]
    assert sorted(copies[1].keys[0, 0, :, 0].tolist()) == [2.0, 3.0, 4.0, 5.0]


def test_only_full_attention_is_append_only() -> None:
    assert append_only([KVCache(), KVCache()])
    assert not append_only([KVCache(), ArraysCache(2)])
    assert not append_only([RotatingKVCache(max_size=4)])


def test_every_array_is_found_and_metadata_leaves_plain_keys_out() -> None:
    state = ArraysCache(2)
    state[0], state[1] = mx.ones((1, 3)), mx.zeros((1, 3))
    plain = fed(KVCache(), 1.0)
    assert sorted(array.nbytes for array in arrays([state, plain])) == [12, 12, 8192, 8192]
    assert len(metadata([state, plain])) == 2


def test_a_cache_that_cannot_be_made_again_is_not_kept() -> None:
    assert copyable([KVCache(), ArraysCache(2), RotatingKVCache(max_size=4)])
    assert not copyable([KVCache(), object()])
