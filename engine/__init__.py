"""The engine's public surface: open a model, ask it for replies, read events."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from engine.api import Engine, Event, Filling, Finished, Prompt, Request, Sampling, Text, Usage
from engine.store.template_file import fetch_template, repository_of

__all__ = [
    "Engine",
    "Event",
    "Filling",
    "Finished",
    "Prompt",
    "Request",
    "Sampling",
    "Text",
    "Usage",
    "fetch_template",
    "open_model",
    "repository_of",
]


def open_model(
    path: str | PathLike[str], cancelled: Callable[[], bool] = lambda: False, cache: Path | None = None
) -> Engine:
    """Loads a model folder or GGUF file into a lane of its own and returns when it can be asked.

    Args:
        cancelled: asked between the pieces of the load, on the lane's thread.
        cache: a folder for what was found out about models on this machine; None remembers nothing.

    Raises:
        ModelError: the model cannot be used, or the load was cancelled.
    """
    # MLX takes seconds to import and is not needed to build a Request.
    from engine.local import open_local

    return open_local(path, cancelled, cache)
