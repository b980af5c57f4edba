"""What the lane does to mlx-lm's caches of one stream: copy, cut back, measure, wait for."""

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map
from mlx_lm.models.cache import KVCache

__all__ = ["Caches", "append_only", "arrays", "copied", "copyable", "metadata", "trimmed"]

Caches = list[Any]
"""One mlx-lm cache a layer."""


def arrays(caches: Sequence[Any]) -> list[mx.array]:
    """Every array the caches hold, whole buffers included (a cache's `state` may be a slice, and
    evaluating a slice copies)."""
    return [array for cache in caches for array in _held(vars(cache).values())]


def metadata(caches: Sequence[Any]) -> list[mx.array]:
    """Arrays that a step changes but no output needs; unevaluated, their graphs would grow."""
    return arrays([cache for cache in caches if not isinstance(cache, KVCache)])


def copied(caches: Sequence[Any]) -> Caches:
    """Caches with the same contents, independent from now on. Buffers are shared until either writes."""
    return [type(cache).from_state(tree_map(_copied, cache.state)) for cache in caches]


def copyable(caches: Sequence[Any]) -> bool:
    """Whether they can be made again from their state; some models bring caches of their own."""
    return all(hasattr(cache, "from_state") for cache in caches)


def append_only(caches: Sequence[Any]) -> bool:
    """Whether every earlier position is still in the caches: attention over all keys. Recurrent
    states never are, and a sliding window stops being so once it wrapped."""
    return all(isinstance(cache, KVCache) for cache in caches)


def trimmed(caches: Caches, tokens: int) -> Caches:
    """Cuts `tokens` off the end of append-only caches."""
    if tokens:
        for cache in caches:
            cache.trim(tokens)
    return caches


def _copied(value: Any) -> Any:
    return mx.array(value) if isinstance(value, mx.array) else value


def _held(values: Any) -> Iterator[mx.array]:
    for value in values:
        if isinstance(value, mx.array):
            yield value
        elif isinstance(value, list | tuple):
            yield from _held(value)
        elif hasattr(value, "state") and hasattr(value, "__dict__"):
            yield from _held(vars(value).values())
