"""Dense layers by rows: each row's product is its own, and near what MLX gives."""

from typing import Any

import pytest

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.linear import Linear

from engine.mlx.row_linear import multiply_by_rows, multiply_whole

SIZES = [
    (64, 64),
    (64, 281),
    (576, 1536),
    (1536, 576),
    (960, 2560),
    (4096, 100),
    (20000, 72),
    (64, 24),
    (64, 8),
]
"""Inputs and outputs: whole blocks, a rest, few outputs, inputs that call for small blocks."""


class Layers(Module):
    def __init__(self, inputs: int, outputs: int, bias: bool = False) -> None:
        super().__init__()
        self.linear = Linear(inputs, outputs, bias=bias)
        self.embedding = Embedding(outputs, inputs)


def rows_of(inputs: int, rows: int) -> mx.array:
    return mx.random.normal((rows, 1, inputs), key=mx.random.key(inputs))


def products(layers: Any, x: mx.array) -> list[mx.array]:
    return [layers.linear(x), layers.embedding.as_linear(x)]


@pytest.mark.parametrize(("inputs", "outputs"), SIZES)
def test_a_row_is_the_same_however_many_come_with_it(inputs: int, outputs: int) -> None:
    layers = Layers(inputs, outputs)
    multiply_by_rows(layers)
    x = rows_of(inputs, 8)
    alone = [products(layers, x[row : row + 1]) for row in range(8)]
    for count in range(2, 9):
        for place, shared in enumerate(products(layers, x[:count])):
            expected = mx.concatenate([own[place] for own in alone[:count]])
            assert mx.array_equal(shared, expected), f"{count} rows"


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (4, 1), (1, 8), (1, 9), (3,), (5,)])
def test_products_are_near_those_of_mlx(shape: tuple[int, ...], bias: bool) -> None:
    layers = Layers(64, 281, bias)
    x = mx.random.normal((*shape, 64), key=mx.random.key(1))
    expected = products(layers, x)
    multiply_by_rows(layers)
    for own, plain in zip(products(layers, x), expected, strict=True):
        assert own.shape == plain.shape
        assert mx.allclose(own, plain, atol=1e-5)


def test_more_rows_than_a_shared_step_has_are_multiplied_as_before() -> None:
    """A chunk of a prompt is as fast, and its numbers are the same, as without."""
    layers = Layers(576, 1536)
    x = mx.random.normal((1, 9, 576))
    expected = products(layers, x)
    multiply_by_rows(layers)
    assert all(map(mx.array_equal, products(layers, x), expected))


def test_half_precision_on_a_cpu_is_multiplied_as_before() -> None:
    layers = Layers(64, 128)
    layers.set_dtype(mx.bfloat16)
    x = rows_of(64, 4).astype(mx.bfloat16)
    expected = products(layers, x)
    multiply_by_rows(layers)
    assert all(map(mx.array_equal, products(layers, x), expected))


def test_it_can_be_taken_back() -> None:
    layers = Layers(64, 281)
    multiply_by_rows(layers)
    multiply_by_rows(layers)
    multiply_whole(layers)
    assert [type(layers.linear), type(layers.embedding)] == [Linear, Embedding]
