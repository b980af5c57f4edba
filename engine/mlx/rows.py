"""One forward for several decoding streams, whose own caches stay the truth."""

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList

from engine.mlx.row_attention import Rows

__all__ = ["KeyValueRows", "shared_step"]


def shared_step(
    model: Any, tokens: Sequence[mx.array], streams: Sequence[Sequence[Any]], batch: int
) -> mx.array:
    """Feeds one token to each stream in one forward, and moves every stream's caches on.

    `row_attention.attend_by_rows` must have been called in this process. Nothing is evaluated.

    Args:
        model: of mlx-lm.
        tokens: one [1] a stream.
        streams: the caches of each stream, one a layer.
        batch: rows of the forward, at least as many as streams; the rest is padding.

    Returns: logits [streams, vocabulary].

    Raises:
        TypeError, ValueError, AttributeError: this model's streams cannot share a forward. The caches
            are then in no state to go on with.
    """
    positions = _Positions()
    own = list(zip(*streams, strict=True))
    layers = [_joined(caches, batch, positions) for caches in own]
    fed = mx.stack(_padded(list(tokens), batch))
    logits: mx.array = model(fed, cache=layers)
    for caches, layer in zip(own, layers, strict=True):
        _hand_back(caches, layer)
    return logits[: len(streams), -1]


class KeyValueRows:
    """The key-value caches of one layer, one a stream, as the one cache a model expects.

    Attributes:
        own: the streams' caches.
        batch: rows of the forward; those beyond the streams are padding.
    """

    def __init__(self, own: Sequence[Any], batch: int, positions: "_Positions") -> None:
        self.own = own
        self.batch = batch
        self._positions = positions

    @property
    def offset(self) -> mx.array:
        """The next position of each row, int32 [batch]."""
        return self._positions.of([cache.offset for cache in self.own], self.batch)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Rows, Rows]:
        """Appends a row of `keys` and `values` [batch, H, 1, D] to each stream's own cache."""
        rows = zip(self.own, mx.split(keys, self.batch), mx.split(values, self.batch), strict=False)
        return self._rows([cache.update_and_fetch(key, value) for cache, key, value in rows])

    def keys_and_values(self) -> tuple[Rows, Rows]:
        return self._rows([cache.keys_and_values() for cache in self.own])

    def _rows(self, fetched: list[tuple[Any, Any]]) -> tuple[Rows, Rows]:
        keys, values = zip(*fetched, strict=True)
        return Rows(keys, self.own), Rows(values)

    def make_mask(self, tokens: int, **options: Any) -> Rows | None:
        masks = [cache.make_mask(tokens, **options) for cache in self.own]
        if all(mask is None for mask in masks):
            return None
        return Rows(masks)

    def empty(self) -> bool:
        return all(cache.empty() for cache in self.own)


class _Positions:
    """Per-row offsets on the device: most layers share them, so each is made once a step."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], mx.array] = {}

    def of(self, offsets: list[int], batch: int) -> mx.array:
        key = tuple(_padded(offsets, batch))
        if key not in self._made:
            self._made[key] = mx.array(key, dtype=mx.int32)
        return self._made[key]


def _padded(values: list[Any], batch: int) -> list[Any]:
    return values + values[-1:] * (batch - len(values))


def _joined(own: Sequence[Any], batch: int, positions: _Positions) -> Any:
    """One layer's caches as one. Recurrent states are stacked, keys and values are not."""
    kind = type(own[0])
    if issubclass(kind, CacheList):
        parts = zip(*(cache.caches for cache in own), strict=True)
        return CacheList(*(_joined(part, batch, positions) for part in parts))
    if issubclass(kind, ArraysCache):
        joined = ArraysCache(0)
        joined.cache = [_stacked(states, batch) for states in zip(*(c.cache for c in own), strict=True)]
        return joined
    if hasattr(kind, "keys_and_values"):
        return KeyValueRows(own, batch, positions)
    raise TypeError(f"Streams cannot share a {kind.__name__}.")


def _stacked(states: Sequence[mx.array | None], batch: int) -> mx.array | None:
    """States [1, ...] as one [batch, ...].

    None is no state of zeros: recurrent_gemma scales a first token by other factors.
    """
    if all(state is None for state in states):
        return None
    if any(state is None for state in states):
        raise ValueError("A stream without a state cannot share a forward with one that has one.")
    return mx.concatenate(_padded(list(states), batch))


def _hand_back(own: Sequence[Any], joined: Any) -> None:
    """Gives each stream its row of what the model left in the stacked states."""
    if isinstance(joined, CacheList):
        for part, of_part in zip(zip(*(c.caches for c in own), strict=True), joined.caches, strict=True):
            _hand_back(part, of_part)
    elif isinstance(joined, ArraysCache):
        for row, cache in enumerate(own):
            cache.cache = [None if state is None else state[row : row + 1] for state in joined.cache]
