"""Whether streams of a loaded model may share a forward: tried on it, compared bit by bit."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from engine.errors import LoadCancelled
from engine.mlx.caches import Caches, arrays, copied
from engine.mlx.minimax_rows import select_by_rows
from engine.mlx.row_attention import attend_by_rows
from engine.mlx.row_linear import multiply_by_rows, multiply_whole
from engine.mlx.rows import shared_step
from engine.sharing import BATCHES, TURNS, Sharing

__all__ = ["check_rows", "prepare_rows"]

PADDED = (4, 8, 2)
"""Fixed numbers of rows, the preferred one first. The order is no matter of speed: a choice by the clock
would change the arithmetic, and with it the replies, from one start to the next."""

ENOUGH = 4
"""Rows that must hold as they are for padding not to be looked at."""

LENGTHS = (5, 2, 17, 3, 33, 9, 26, 12)
"""Tokens of a prompt, a stream each; all but the last token are read before the compared steps."""

STEPS = 3

NEAR = 0.1
"""Most distance of logits whose arithmetic differs by rounding alone, relative to their size."""

FAILURES = (TypeError, ValueError, AttributeError, LookupError, RuntimeError, ArithmeticError, AssertionError)
"""What a model that does not expect several rows in one cache may raise."""


def prepare_rows(model: Any, sharing: Sharing) -> None:
    """Prepares this process and a loaded model for steps shared in this way.

    `check_rows` leaves a model prepared for what it chose; who shares without checking calls this. Calling
    it again changes nothing.
    """
    if sharing.mode != "turns":
        attend_by_rows()
        select_by_rows(model)
    if sharing.mode == "rows":
        multiply_by_rows(model)
    else:
        multiply_whole(model)


def check_rows(model: Any, vocabulary: int, cancelled: Callable[[], bool] = lambda: False) -> Sharing:
    """Compares shared steps with each stream alone. Takes some 50 forwards.

    Args:
        model: of mlx-lm, its weights in memory.
        vocabulary: ids below it are fed.
        cancelled: asked between forwards.

    Raises:
        LoadCancelled: `cancelled` said so.
    """
    try:
        chosen = _chosen(model, vocabulary, cancelled)
    except FAILURES:
        chosen = TURNS
    prepare_rows(model, chosen)
    return chosen


def _chosen(model: Any, vocabulary: int, cancelled: Callable[[], bool]) -> Sharing:
    prepare_rows(model, Sharing("rows", 1))
    trial = _Trial(model, vocabulary, cancelled)
    if not trial.holds(1):
        return TURNS
    limit = _limit(trial)
    if limit >= ENOUGH:
        return Sharing("rows", limit)
    prepare_rows(model, Sharing("padded", 1))
    trial = _Trial(model, vocabulary, cancelled)
    padded = next((size for size in PADDED if size > limit and trial.holds_padded(size)), 1)
    if padded > 1:
        return Sharing("padded", padded)
    return Sharing("rows", limit) if limit > 1 else TURNS


def _limit(trial: "_Trial") -> int:
    limit = 1
    for size in BATCHES:
        if not trial.holds(size):
            break
        limit = size
    return limit


class _Trial:
    """Streams of unequal lengths that have read their prompts, and the tokens each is fed next."""

    def __init__(self, model: Any, vocabulary: int, cancelled: Callable[[], bool]) -> None:
        source = random.Random(0)
        self._model = model
        self._cancelled = cancelled
        self._prompts = [[source.randrange(vocabulary) for _ in range(length - 1)] for length in LENGTHS]
        self._fed = [[source.randrange(vocabulary) for _ in range(STEPS)] for _ in LENGTHS]
        self._filled: dict[int, Caches] = {}
        self._expected: dict[tuple[int, int], list[mx.array]] = {}

    def holds(self, size: int) -> bool:
        """Whether `size` rows shared as they are give what each stream gives in a plain step.

        For one row this tells whether the caches are handed over rightly: there, no arithmetic differs.
        """
        return self._same(range(size), size, alone=1)

    def holds_padded(self, size: int) -> bool:
        """Whether `size` rows, some of them padding, give what each stream gives with padding alone.

        That must also be about what a plain step gives: a mistake common to all rows would compare equal.
        """
        full = range(size)
        return self._near(0, size) and all(
            self._same(streams, size, alone=size) for streams in (full, full[::-1], full[: size // 2 + 1])
        )

    def _near(self, stream: int, size: int) -> bool:
        pairs = zip(self._alone(stream, size), self._alone(stream, 1), strict=True)
        return all(_distance(padded, plain) < NEAR for padded, plain in pairs)

    def _same(self, streams: Sequence[int], size: int, alone: int) -> bool:
        shared = self._shared(streams, size)
        return all(
            mx.array_equal(logits[row], expected, equal_nan=True).item()
            for row, stream in enumerate(streams)
            for logits, expected in zip(shared, self._alone(stream, alone), strict=True)
        )

    def _alone(self, stream: int, size: int) -> list[mx.array]:
        """The logits [V] of each step of one stream: plain for a size of 1, else padded to it."""
        if (stream, size) not in self._expected:
            steps = self._plain(stream) if size == 1 else self._shared([stream], size)
            self._expected[stream, size] = [logits[0] for logits in steps]
        return self._expected[stream, size]

    def _plain(self, stream: int) -> list[mx.array]:
        caches = self._caches(stream)
        steps = [self._model(mx.array([[token]]), cache=caches)[:, -1] for token in self._fed[stream]]
        mx.eval(steps)
        return steps

    def _shared(self, streams: Sequence[int], size: int) -> list[mx.array]:
        """The logits [streams, V] of each step, each a forward of `size` rows."""
        caches = [self._caches(stream) for stream in streams]
        steps = [
            shared_step(
                self._model, [mx.array([self._fed[stream][step]]) for stream in streams], caches, size
            )
            for step in range(STEPS)
        ]
        mx.eval(steps)
        return steps

    def _caches(self, stream: int) -> Caches:
        """Caches that hold the stream's prompt, to be written to. Every row of forwards begins here."""
        if self._cancelled():
            raise LoadCancelled("The model was not loaded: it was given up.")
        if stream not in self._filled:
            caches = list(make_prompt_cache(self._model))
            self._model(mx.array([self._prompts[stream]]), cache=caches)
            mx.eval(arrays(caches))
            self._filled[stream] = caches
        return copied(self._filled[stream])


def _distance(logits: mx.array, expected: mx.array) -> float:
    """Of what both have: some models give ids that they never draw minus infinity."""
    finite = mx.isfinite(logits) & mx.isfinite(expected)
    logits, expected = (mx.where(finite, side.astype(mx.float32), 0) for side in (logits, expected))
    distance: Any = (mx.linalg.norm(logits - expected) / mx.linalg.norm(expected)).item()
    return float(distance)
