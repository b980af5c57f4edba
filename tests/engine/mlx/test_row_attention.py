"""Attention takes rows where it is given them, and stays what it was where it is not."""

import subprocess
import sys
from typing import Any

import pytest

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx

from engine.mlx.row_attention import Rows, attend_by_rows


@pytest.fixture(autouse=True)
def attention_by_rows() -> None:
    attend_by_rows()


def attended(queries: Any, keys: Any, values: Any, **options: Any) -> mx.array:
    return mx.fast.scaled_dot_product_attention(queries, keys, values, scale=0.5, **options)


def noise(*shape: int) -> mx.array:
    return mx.random.normal(shape, key=mx.random.key(sum(shape)))


def test_each_row_attends_over_its_own_keys() -> None:
    own = [noise(1, 2, tokens, 8) for tokens in (3, 7)]
    queries = noise(2, 2, 1, 8)
    together = attended(queries, Rows(own, [None, None]), Rows(own))
    for row, keys in enumerate(own):
        assert mx.array_equal(together[row : row + 1], attended(queries[row : row + 1], keys, keys))


def test_rows_of_masks_reach_their_own_stream() -> None:
    own = [noise(1, 2, tokens, 8) for tokens in (3, 7)]
    queries = noise(2, 2, 1, 8)
    mask = mx.array([False, True, True])
    together = attended(queries, Rows(own, [None, None]), Rows(own), mask=Rows([mask, None]))
    assert mx.array_equal(together[:1], attended(queries[:1], own[0], own[0], mask=mask))
    assert mx.array_equal(together[1:], attended(queries[1:], own[1], own[1]))


def test_padding_repeats_the_last_stream() -> None:
    own = [noise(1, 2, tokens, 8) for tokens in (3, 7)]
    together = attended(noise(4, 2, 1, 8), Rows(own, [None, None]), Rows(own))
    assert together.shape == (4, 2, 1, 8)
    assert mx.array_equal(together[2:], mx.concatenate([together[1:2]] * 2))


def test_attention_over_arrays_stays_what_it_was() -> None:
    patched = mx.fast.scaled_dot_product_attention
    attend_by_rows()
    assert mx.fast.scaled_dot_product_attention is patched
    queries = noise(1, 2, 3, 8)
    scores = mx.softmax(queries @ queries.swapaxes(-1, -2) * 0.5, axis=-1)
    assert mx.allclose(attended(queries, queries, queries), scores @ queries, atol=1e-5)


def test_importing_changes_no_attention() -> None:
    program = (
        "import engine.mlx, mlx.core as mx; plain = mx.fast.scaled_dot_product_attention;"
        "import engine.mlx.backend, engine.mlx.row_check;"
        "assert mx.fast.scaled_dot_product_attention is plain and not hasattr(plain, 'takes_rows')"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_rows_tell_a_model_nothing() -> None:
    keys: Any = Rows([noise(1, 1, 2, 4), noise(1, 1, 5, 4)])
    for look in (lambda: keys.shape, lambda: mx.zeros(1) + keys, lambda: keys[0], lambda: len(keys)):
        with pytest.raises((AttributeError, ValueError, TypeError)):
            look()


def test_one_mask_for_all_lengths_is_refused() -> None:
    keys = Rows([noise(1, 1, 2, 4)], [None])
    with pytest.raises(TypeError, match="One mask"):
        attended(noise(1, 1, 1, 4), keys, keys, mask=mx.ones((1, 2), dtype=mx.bool_))
