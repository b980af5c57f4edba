"""Scrambled logits tell the last bit of any of them, and leave what is never drawn alone."""

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx

from engine.mlx.every_bit import scrambled


def test_the_last_bit_of_a_logit_changes_its_place() -> None:
    logits = mx.random.normal((1, 281), key=mx.random.key(0)) * 4
    nearest = (logits.view(mx.int32) + 1).view(mx.float32)
    assert mx.allclose(logits, nearest, rtol=1e-6, atol=0)
    assert mx.mean(mx.abs(scrambled(logits) - scrambled(nearest)) >= 0.5) > 0.9
    assert mx.argmax(scrambled(logits)) != mx.argmax(scrambled(nearest))
    assert mx.array_equal(scrambled(logits), scrambled(logits))


def test_what_is_never_drawn_stays_so_in_any_precision() -> None:
    for dtype in (mx.float32, mx.float16, mx.bfloat16):
        logits = mx.array([[1.5, -mx.inf, 60000.0, -3.0]], dtype)
        made = scrambled(logits)
        assert made.dtype == mx.float32
        assert mx.isfinite(made).tolist() == [[True, False, True, True]]
        assert made[0, 1].item() == -mx.inf
