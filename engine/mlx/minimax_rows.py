"""MiniMax M3: which blocks of keys its sparse attention keeps, chosen row by row in a shared forward."""

from typing import Any

import mlx.core as mx
from mlx_lm.models.minimax_m3_vl import Attention

from engine.mlx.row_attention import Rows
from engine.mlx.rows import KeyValueRows

__all__ = ["select_by_rows"]


def select_by_rows(model: Any) -> None:
    """Prepares MiniMax M3 for shared forwards; plain ones, and other models, stay what they were.

    Calling it again changes nothing.
    """
    for layer in model.layers:
        attention = getattr(layer, "self_attn", None)
        if isinstance(attention, Attention) and attention.is_sparse_attn:
            attention.__class__ = _SparseAttention


class _SparseAttention(Attention):  # type: ignore[misc]
    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        if cache is None or not isinstance(cache[0], KeyValueRows):
            result: mx.array = super().__call__(x, mask, cache)
            return result
        selected = self._selected(x, cache[1])
        # With its mask made, the rest of the layer is dense attention.
        self.is_sparse_attn = False
        try:
            result = super().__call__(x, selected, cache)
        finally:
            self.is_sparse_attn = True
        return result

    def _selected(self, x: mx.array, index: KeyValueRows) -> Rows | None:
        """A mask a stream; None while every block of every stream fits the budget."""
        masks = [
            self._block_mask(row, None, cache.offset, cache)
            for row, cache in zip(mx.split(x, index.batch), index.own, strict=False)
        ]
        return None if all(mask is None for mask in masks) else Rows(masks)
