"""The door to mlx-lm's model zoo: its import, kept from changing the process, and what it supports."""

import re
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from engine.errors import ModelUnsupported

__all__ = ["architecture", "open_zoo"]

MODULE_NAME = re.compile(r"[A-Za-z0-9_-]+")


def open_zoo() -> None:
    """Imports mlx-lm.

    Raises:
        ModelUnsupported: MLX or mlx-lm cannot run on this machine.
    """
    try:
        with _open_file_limit_kept():
            import_module("mlx_lm.utils")
    except (ImportError, ValueError, OSError) as error:
        raise ModelUnsupported(
            f"The model library cannot run on this machine ({error}).", "Install Interlace again."
        ) from error


@contextmanager
def _open_file_limit_kept() -> Iterator[None]:
    """mlx-lm lowers the hard limit of open files when imported, and only root could raise it again."""
    original = resource.setrlimit
    vars(resource)["setrlimit"] = lambda *_: None
    try:
        yield
    finally:
        vars(resource)["setrlimit"] = original


def architecture(config: Mapping[str, Any]) -> tuple[type[Any], type[Any]]:
    """The model class and its arguments' class for the `model_type` of a config.json.

    Raises:
        ModelUnsupported: mlx-lm has no such model, or the model asks to run code of its own.
    """
    from mlx_lm.utils import MODEL_ARCHITECTURE_REMAPPING, MODEL_REMAPPING

    if config.get("model_file") is not None:
        raise ModelUnsupported("The model wants to run program code of its own, which is not allowed.")
    stated = config.get("model_type")
    if not isinstance(stated, str) or not stated:
        raise ModelUnsupported("The model's config.json names no architecture (model_type).")
    classes = config.get("architectures")
    keys = [(stated, str(name)) for name in classes] if isinstance(classes, list) else []
    special = [MODEL_ARCHITECTURE_REMAPPING[key] for key in keys if key in MODEL_ARCHITECTURE_REMAPPING]
    module = _module(stated, special[0] if special else MODEL_REMAPPING.get(stated, stated))
    if not (hasattr(module, "Model") and hasattr(module, "ModelArgs")):
        raise _unsupported(stated)
    return module.Model, module.ModelArgs


def _module(stated: str, name: str) -> Any:
    if not MODULE_NAME.fullmatch(name) or find_spec(f"mlx_lm.models.{name}") is None:
        raise _unsupported(stated)
    try:
        return import_module(f"mlx_lm.models.{name}")
    except (ImportError, SystemExit) as error:  # mlx_lm.models.olmo exits where a package is missing.
        raise ModelUnsupported(
            f"The code for the architecture {stated!r} cannot be loaded ({error})."
        ) from error


def _unsupported(name: str) -> ModelUnsupported:
    return ModelUnsupported(f"The architecture {name!r} is not supported by this version.")
