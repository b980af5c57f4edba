"""A way to draw tokens that tells the smallest difference of logits, for checks."""

import mlx.core as mx

__all__ = ["scrambled"]


def scrambled(logits: mx.array) -> mx.array:
    """Logits [1, V] whose likeliest token depends on the last bit of each; what is never drawn stays so."""
    exact = logits.astype(mx.float32)
    # The first remainder tells the last bit by a small step; the second makes that step a large one.
    remainder = exact * 2.0**24 % 1021.0
    return mx.where(mx.isfinite(exact), remainder * 619.0 % 1021.0, -mx.inf)
