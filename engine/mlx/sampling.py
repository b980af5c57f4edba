"""One stream's draws: the next token from its logits, a function of (seed, position) alone."""

import math
from functools import partial

import mlx.core as mx
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from engine.api import Sampling
from engine.errors import InvalidNumbers, ProcessorFailed, ReplyError

__all__ = ["INVALID", "NOTHING_LEFT", "PENALTY_TOKENS", "Sampler", "outcome"]

INVALID = -1
"""What is drawn from a row of logits that holds no distribution."""

NOTHING_LEFT = -2
"""What is drawn where the processors made such a row of one that was sound."""

PENALTY_TOKENS = 64
"""Tokens back that the repetition penalty looks at (llama.cpp's default)."""


class Sampler:
    """Draws on the device: nothing here waits for a number."""

    def __init__(self, sampling: Sampling, prompt: tuple[int, ...]) -> None:
        self._sampling = sampling
        self._recent = mx.array(prompt[-PENALTY_TOKENS:])
        self._ids = mx.array(prompt if sampling.processors else (), dtype=mx.int32)

    @property
    def held(self) -> list[mx.array]:
        """Arrays that a draw changes but no token needs; unevaluated, their graphs would grow."""
        return [self._ids] if self._sampling.processors else []

    def draw(self, logits: mx.array, position: int) -> mx.array | ProcessorFailed:
        """The token after `position` tokens: int32, shape [1], INVALID where `logits` [1, V] are
        not finite or flat, NOTHING_LEFT where processors made them not finite."""
        highest, lowest = mx.max(logits, axis=-1), mx.min(logits, axis=-1)
        if not self._sampling.processors:
            return _if_sound(self._drawn(logits, position), highest, lowest)
        try:
            logits = self._processed(logits)
        except Exception as error:  # Foreign code may raise anything; it is this stream's own.
            # Not raised on: a traceback would hold arrays of the device wherever the error goes.
            return ProcessorFailed(error)
        left = mx.isfinite(mx.max(logits, axis=-1))
        token = mx.where(left, self._drawn(logits, position), NOTHING_LEFT)
        self._ids = mx.concatenate([self._ids, token])
        return _if_sound(token, highest, lowest)

    def _processed(self, logits: mx.array) -> mx.array:
        shape = logits.shape
        for process in self._sampling.processors:
            # A slice of its own: a processor may write to what it is given.
            logits = process(self._ids[:], logits)
            if not isinstance(logits, mx.array):
                raise TypeError(f"it returned {type(logits).__name__}, not an array of MLX")
            if logits.shape != shape or not mx.issubdtype(logits.dtype, mx.floating):
                raise ValueError(f"it returned {logits.dtype} {logits.shape}, not logits {shape}")
        return logits

    def _drawn(self, logits: mx.array, position: int) -> mx.array:
        if self._sampling.repetition_penalty == 1:
            return self._choose(logits, position)
        token = self._choose(self._penalized(logits), position)
        self._recent = mx.concatenate([self._recent, token])[-PENALTY_TOKENS:]
        return token

    def _penalized(self, logits: mx.array) -> mx.array:
        penalty = self._sampling.repetition_penalty
        seen = logits[:, self._recent]
        return mx.put_along_axis(
            logits, self._recent[None], mx.where(seen < 0, seen * penalty, seen / penalty), axis=-1
        )

    def _choose(self, logits: mx.array, position: int) -> mx.array:
        sampling = self._sampling
        if sampling.temperature == 0:
            return mx.argmax(logits, axis=-1).astype(mx.int32)
        logprobs = logits.astype(mx.float32)
        logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
        if sampling.top_p < 1:
            logprobs = apply_top_p(logprobs, sampling.top_p)
        if sampling.min_p > 0:
            logprobs = apply_min_p(logprobs, sampling.min_p)
        if 0 < sampling.top_k < logprobs.shape[-1]:
            logprobs = apply_top_k(logprobs, sampling.top_k)
        key = mx.random.key(_mixed(sampling.seed, position))
        return mx.random.categorical(logprobs / sampling.temperature, key=key).astype(mx.int32)


@partial(mx.compile, shapeless=True)
def _if_sound(token: mx.array, highest: mx.array, lowest: mx.array) -> mx.array:
    """INVALID where the logits, known by their extremes, are not finite or flat. One kernel: it is run for
    every token of every stream."""
    return mx.where((highest > lowest) & (highest < math.inf), token, INVALID)


def outcome(number: int) -> int | ReplyError:
    """The token that a drawn number is, or what ends the stream it was drawn for."""
    if number == INVALID:
        return InvalidNumbers()
    if number == NOTHING_LEFT:
        return ProcessorFailed(ValueError("it left no token to draw"))
    return number


def _mixed(seed: int, position: int) -> int:
    """One 64-bit number from both (splitmix64's finalizer), so that near seeds and positions differ."""
    value = (seed * 0x9E3779B97F4A7C15 + position + 1) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ (value >> 31)
