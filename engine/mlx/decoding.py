"""One token for each decoding stream, in as few forwards as the row check allows."""

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx

from engine.mlx.caches import Caches
from engine.mlx.row_check import prepare_rows
from engine.mlx.rows import shared_step
from engine.sharing import Sharing

__all__ = ["Decoding"]


class Decoding:
    """Steps of a loaded model, each stream's the same whichever streams share its forward."""

    def __init__(self, model: Any, sharing: Sharing) -> None:
        self._model = model
        self._sharing = sharing
        prepare_rows(model, sharing)

    def step(
        self, tokens: Sequence[mx.array], streams: Sequence[Caches], fresh: Sequence[bool]
    ) -> list[mx.array]:
        """Feeds a token [1] to each stream and moves its caches on. Nothing is evaluated.

        Args:
            tokens, streams: one of each a stream.
            fresh: for each stream, whether its caches are empty. It has no states to stack, and goes alone.

        Returns: for each stream its logits [1, vocabulary].
        """
        logits: list[mx.array] = [mx.array(0)] * len(streams)
        for group in self._groups(fresh):
            made = self._forward([tokens[at] for at in group], [streams[at] for at in group], fresh[group[0]])
            for at, row in zip(group, made, strict=True):
                logits[at] = row
        return logits

    def _groups(self, fresh: Sequence[bool]) -> Iterator[list[int]]:
        """Places of the streams of one forward."""
        yield from ([at] for at, alone in enumerate(fresh) if alone)
        others = [at for at, alone in enumerate(fresh) if not alone]
        most = self._sharing.rows
        yield from (others[start : start + most] for start in range(0, len(others), most))

    def _forward(self, tokens: list[mx.array], streams: list[Caches], fresh: bool) -> list[mx.array]:
        if fresh or (len(streams) == 1 and self._sharing.mode != "padded"):
            return [self._model(tokens[0][None], cache=streams[0])[:, -1]]
        logits = shared_step(self._model, tokens, streams, self._sharing.batch(len(streams)))
        rows: Any = mx.split(logits, len(streams))
        return list(rows)
