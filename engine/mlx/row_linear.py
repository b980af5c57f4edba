"""Dense layers whose product for a row is the same, bit for bit, however many rows come with it."""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.linear import Linear

from engine.mlx.device import on_gpu
from engine.sharing import BATCHES

__all__ = ["multiply_by_rows", "multiply_whole"]

MOST_ROWS = max(BATCHES)
"""More rows than a shared step has are multiplied as MLX does it."""

BLOCK = 64
SMALL_PRODUCT = 1_000_000
"""Outputs multiplied at a time on a CPU, and multiplications up to which OpenBLAS takes its kernel for small
matrices: it does not pack the weights first, which takes half the time of a product of few rows."""


def multiply_by_rows(model: Any) -> None:
    """Changes the dense layers of a loaded model. Calling it again changes nothing."""
    for module in model.modules():
        for plain, by_rows in _KINDS:
            if type(module) is plain:
                module.__class__ = by_rows


def multiply_whole(model: Any) -> None:
    """Takes `multiply_by_rows` back."""
    for module in model.modules():
        for plain, by_rows in _KINDS:
            if type(module) is by_rows:
                module.__class__ = plain


class _RowLinear(Linear):
    def __call__(self, x: mx.array) -> mx.array:
        product = _product(x, self.weight)
        if product is None:
            whole: mx.array = super().__call__(x)
            return whole
        return product + self.bias if "bias" in self else product


class _RowEmbedding(Embedding):
    def as_linear(self, x: mx.array) -> mx.array:
        product = _product(x, self.weight)
        if product is None:
            whole: mx.array = super().as_linear(x)  # type: ignore[no-untyped-call]
            return whole
        return product


_KINDS: tuple[tuple[type[Module], type[Module]], ...] = ((Linear, _RowLinear), (Embedding, _RowEmbedding))


def _product(x: mx.array, weight: mx.array) -> mx.array | None:
    """`x` [..., K] times `weight` [N, K] transposed; None where MLX's own way is the right one."""
    rows = x.size // x.shape[-1]
    if rows > MOST_ROWS:
        return None
    multiply: Callable[[mx.array, mx.array], mx.array]
    if on_gpu():
        multiply = _one_by_one
    elif weight.dtype == mx.float32 == x.dtype:
        multiply = _in_blocks
    else:
        return None
    return multiply(x.reshape(rows, -1), weight).reshape(*x.shape[:-1], -1)


def _one_by_one(x: mx.array, weight: mx.array) -> mx.array:
    """As many products of the matrix and a vector, in one call."""
    return (weight @ x[..., None])[..., 0]


def _in_blocks(x: mx.array, weight: mx.array) -> mx.array:
    """As many small products as there are blocks of outputs, in one call."""
    outputs, inputs = weight.shape
    block = BLOCK
    while block > 1 and block * inputs * MOST_ROWS > SMALL_PRODUCT:
        block //= 2
    block = min(block, outputs)
    left = outputs % block
    blocks = weight[: outputs - left].reshape(-1, block, inputs)
    product = (x @ blocks.swapaxes(-1, -2)).swapaxes(0, 1).reshape(-1, outputs - left)
    if not left:
        return product
    # A whole block again, of which the last columns are new: odd sizes have a kernel of their own.
    return mx.concatenate([product, (x @ weight[-block:].T)[:, -left:]], axis=-1)
