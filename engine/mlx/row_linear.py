"""Dense layers whose product for a row is the same, bit for bit, however many rows come with it."""

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
    kinds = _ON_GPU if on_gpu() else _ON_CPU
    for module in model.modules():
        if kind := kinds.get((type(module), "bias" in module)):
            module.__class__ = kind


def multiply_whole(model: Any) -> None:
    """Takes `multiply_by_rows` back."""
    for module in model.modules():
        if kind := _PLAIN.get(type(module)):
            module.__class__ = kind


class _VectorLinear(Linear):
    """On a GPU: a lone row is multiplied as ever, several as so many vectors, which is the same kernel.

    A lone stream comes through here 200 times a token, so nothing is asked twice.
    """

    def __call__(self, x: mx.array) -> mx.array:
        if 1 < x.size // x.shape[-1] <= MOST_ROWS:
            return _by_vectors(x, self["weight"])
        product: mx.array = x @ self["weight"].T
        return product


class _BiasedVectorLinear(Linear):
    """Likewise; MLX adds the bias within another kernel than that of a vector, so it is added after."""

    def __call__(self, x: mx.array) -> mx.array:
        if x.size // x.shape[-1] <= MOST_ROWS:
            return _by_vectors(x, self.weight) + self.bias
        whole: mx.array = super().__call__(x)
        return whole


class _VectorEmbedding(Embedding):
    def as_linear(self, x: mx.array) -> mx.array:
        if 1 < x.size // x.shape[-1] <= MOST_ROWS:
            return _by_vectors(x, self.weight)
        whole: mx.array = super().as_linear(x)  # type: ignore[no-untyped-call]
        return whole


class _BlockLinear(Linear):
    """On a CPU, in float32."""

    def __call__(self, x: mx.array) -> mx.array:
        if x.size // x.shape[-1] > MOST_ROWS or not x.dtype == self.weight.dtype == mx.float32:
            whole: mx.array = super().__call__(x)
            return whole
        product = _by_blocks(x, self.weight)
        return product + self.bias if "bias" in self else product


class _BlockEmbedding(Embedding):
    def as_linear(self, x: mx.array) -> mx.array:
        if x.size // x.shape[-1] > MOST_ROWS or not x.dtype == self.weight.dtype == mx.float32:
            whole: mx.array = super().as_linear(x)  # type: ignore[no-untyped-call]
            return whole
        return _by_blocks(x, self.weight)


_Kinds = dict[tuple[type[Module], bool], type[Module]]
"""By the plain class and whether it has a bias."""

_ON_GPU: _Kinds = {
    (Linear, False): _VectorLinear,
    (Linear, True): _BiasedVectorLinear,
    (Embedding, False): _VectorEmbedding,
}
_ON_CPU: _Kinds = {
    (Linear, False): _BlockLinear,
    (Linear, True): _BlockLinear,
    (Embedding, False): _BlockEmbedding,
}
_PLAIN = {kind: plain for kinds in (_ON_GPU, _ON_CPU) for (plain, _), kind in kinds.items()}


def _by_vectors(x: mx.array, weight: mx.array) -> mx.array:
    """`x` [..., K] times `weight` [N, K] transposed: products of a matrix and a vector, in one call."""
    if x.ndim == 3 and x.shape[1] == 1:
        return (weight @ x.swapaxes(1, 2)).swapaxes(1, 2)
    return (weight @ x.reshape(-1, x.shape[-1], 1)).reshape(*x.shape[:-1], -1)


def _by_blocks(x: mx.array, weight: mx.array) -> mx.array:
    """`x` [..., K] times `weight` [N, K] transposed: a small product for each block of outputs."""
    outputs, inputs = weight.shape
    rows = x.reshape(-1, inputs)
    block = min(_block(inputs), outputs)
    left = outputs % block
    blocks = weight[: outputs - left].reshape(-1, block, inputs)
    product = (rows @ blocks.swapaxes(1, 2)).swapaxes(0, 1).reshape(*x.shape[:-1], -1)
    if not left:
        return product
    # A whole block again, of which the last columns are new: odd sizes have a kernel of their own.
    last = (rows @ weight[-block:].T)[:, -left:].reshape(*x.shape[:-1], -1)
    return mx.concatenate([product, last], axis=-1)


def _block(inputs: int) -> int:
    block = BLOCK
    while block > 1 and block * inputs * MOST_ROWS > SMALL_PRODUCT:
        block //= 2
    return block
