"""`python -m engine check`: whether streams of a model can share one forward on this machine."""

import argparse
import json
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import EngineError

if TYPE_CHECKING:
    from engine.sharing import Sharing

__all__ = ["add_check"]


def add_check(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command `check` to `commands`."""
    check = commands.add_parser("check", help="tell whether streams of a model can share one forward")
    check.add_argument("model", help="a model folder (safetensors, config, tokenizer) or a GGUF file")
    check.add_argument("--json", type=Path, metavar="FILE", help="also write the result to FILE")
    check.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> None:
    """Raises: EngineError: the model cannot be loaded, or FILE cannot be written."""
    # On this thread, which is why no lane is opened; imported late, for the other commands need no MLX here.
    from engine.mlx.device import leave_thread

    try:
        name, device, sharing, seconds = _checked(Path(arguments.model))
    finally:
        leave_thread()
    print(f"{sharing} (checked in {seconds:.1f} s).")
    if arguments.json is not None:
        result = {
            "model": name,
            "mode": sharing.mode,
            "rows": sharing.rows,
            "seconds": round(seconds, 3),
            "device": device,
            "mlx": version("mlx"),
            "mlx_lm": version("mlx-lm"),
        }
        _write(arguments.json, json.dumps(result, indent=1) + "\n")


def _checked(path: Path) -> tuple[str, str, "Sharing", float]:
    """The model's name, the kind of device, what was chosen, and the seconds that took without loading."""
    from engine.mlx.device import on_gpu
    from engine.mlx.load import load
    from engine.mlx.row_check import check_rows

    loaded = load(path)
    started = time.perf_counter()
    sharing = check_rows(loaded.model, loaded.vocabulary)
    seconds = time.perf_counter() - started
    return loaded.name, "gpu" if on_gpu() else "cpu", sharing, seconds


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EngineError(
            f"{path} cannot be written ({error.strerror}).", "Choose another file for the result."
        ) from error
