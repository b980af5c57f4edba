"""One stream's draws: the next token from its logits, a function of (seed, position) alone."""

import mlx.core as mx
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from engine.api import Sampling

__all__ = ["INVALID", "PENALTY_TOKENS", "Sampler"]

INVALID = -1
"""What is drawn from a row of logits that holds no distribution."""

PENALTY_TOKENS = 64
"""Tokens back that the repetition penalty looks at (llama.cpp's default)."""


class Sampler:
    """Draws on the device: nothing here waits for a number."""

    def __init__(self, sampling: Sampling, prompt: tuple[int, ...]) -> None:
        self._sampling = sampling
        self._recent = mx.array(prompt[-PENALTY_TOKENS:])

    def draw(self, logits: mx.array, position: int) -> mx.array:
        """The token after `position` tokens: int32, shape [1], INVALID where `logits` [1, V] are
        not finite or flat."""
        highest, lowest = mx.max(logits, axis=-1), mx.min(logits, axis=-1)
        sound = mx.isfinite(highest) & (highest > lowest)
        if self._sampling.repetition_penalty != 1:
            logits = self._penalized(logits)
        token = self._choose(logits, position).astype(mx.int32)
        if self._sampling.repetition_penalty != 1:
            self._recent = mx.concatenate([self._recent, token])[-PENALTY_TOKENS:]
        return mx.where(sound, token, INVALID)

    def _penalized(self, logits: mx.array) -> mx.array:
        penalty = self._sampling.repetition_penalty
        seen = logits[:, self._recent]
        return mx.put_along_axis(
            logits, self._recent[None], mx.where(seen < 0, seen * penalty, seen / penalty), axis=-1
        )

    def _choose(self, logits: mx.array, position: int) -> mx.array:
        sampling = self._sampling
        if sampling.temperature == 0:
            return mx.argmax(logits, axis=-1)
        logprobs = logits.astype(mx.float32)
        logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
        if sampling.top_p < 1:
            logprobs = apply_top_p(logprobs, sampling.top_p)
        if sampling.min_p > 0:
            logprobs = apply_min_p(logprobs, sampling.min_p)
        if 0 < sampling.top_k < logprobs.shape[-1]:
            logprobs = apply_top_k(logprobs, sampling.top_k)
        key = mx.random.key(_mixed(sampling.seed, position))
        return mx.random.categorical(logprobs / sampling.temperature, key=key)


def _mixed(seed: int, position: int) -> int:
    """One 64-bit number from both (splitmix64's finalizer), so that near seeds and positions differ."""
    value = (seed * 0x9E3779B97F4A7C15 + position + 1) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ (value >> 31)
