"""The device MLX computes on, and what this thread holds of it."""

import mlx.core as mx

__all__ = ["leave_thread", "on_gpu"]


def on_gpu() -> bool:
    """Whether arrays are computed on a GPU here (Metal or CUDA)."""
    return bool(mx.default_device() == mx.gpu)


def leave_thread() -> None:
    """Frees what MLX holds for the calling thread; the last thing a thread that used it does.

    Compiled functions and streams are thread-local. Left to the thread's own end, their destructors
    would want the interpreter's lock while it may be shutting down, and abort the process.
    """
    mx.clear_cache()
    mx.clear_streams()
