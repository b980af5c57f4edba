"""Attention of several streams in one call: row by row, each over its own keys."""

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models import base

__all__ = ["Rows", "attend_by_rows"]


class Rows:
    """What each stream holds of the same kind: keys, values or a mask, no two of the same length.

    It is opaque on purpose: a model that looks into its keys, instead of handing them to attention,
    raises here rather than mixing up rows.

    Attributes:
        own: for each stream its arrays, as its own cache gave them; of masks also None.
        caches: for each stream the cache that keys came from.
    """

    __slots__ = ("caches", "own")

    def __init__(self, own: Sequence[Any], caches: Sequence[Any] = ()) -> None:
        self.own = own
        self.caches = caches


def attend_by_rows() -> None:
    """Makes MLX's attention take Rows; for arrays it stays what it was. Calling it again changes nothing.

    Whichever name a model of mlx-lm imported, it ends up in this one function.
    """
    plain = mx.fast.scaled_dot_product_attention
    if hasattr(plain, "takes_rows"):
        return

    def attend(queries: mx.array, keys: Any, *args: Any, **options: Any) -> mx.array:
        if isinstance(keys, Rows):
            return _by_rows(queries, keys, *args, **options)
        return plain(queries, keys, *args, **options)

    vars(attend)["takes_rows"] = True
    vars(mx.fast)["scaled_dot_product_attention"] = attend


def _by_rows(
    queries: mx.array, keys: Rows, values: Rows, *, scale: float, mask: Any = None, sinks: Any = None
) -> mx.array:
    """Queries and the result are [batch, H, 1, D]; rows beyond the streams repeat the last stream's."""
    batch = queries.shape[0]
    rows = zip(mx.split(queries, batch), keys.own, values.own, keys.caches, _masks(mask, keys), strict=False)
    outputs = [
        base.scaled_dot_product_attention(query, key, value, cache, scale=scale, mask=own_mask, sinks=sinks)
        for query, key, value, cache, own_mask in rows
    ]
    return mx.concatenate(outputs + outputs[-1:] * (batch - len(outputs)))


def _masks(mask: Any, keys: Rows) -> Sequence[Any]:
    if mask is None:
        return [None] * len(keys.own)
    if isinstance(mask, Rows):
        return mask.own
    raise TypeError("One mask cannot fit keys of several lengths.")
