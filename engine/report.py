"""The figures of a command, written to the file that the user named."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.errors import EngineError

__all__ = ["versions", "write_report"]


def versions() -> dict[str, str]:
    """What the figures depend on."""
    return {"mlx": version("mlx"), "mlx_lm": version("mlx-lm")}


def write_report(path: Path, figures: Mapping[str, Any]) -> None:
    """Writes JSON. Raises EngineError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise EngineError(
            f"{path} cannot be written ({error.strerror}).", "Choose another file for the result."
        ) from error
