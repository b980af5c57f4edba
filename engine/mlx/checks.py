"""Whether the files of a model folder are there and whole, looked at before MLX reads any of them."""

import json
from pathlib import Path
from typing import Any

from engine.errors import ModelDamaged, ModelMissing

__all__ = ["check_weights", "read_json"]

LONGEST_HEADER = 100_000_000
"""Bytes that the header of a safetensors file may take, as the format says."""


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        ModelMissing: there is no such file, or it cannot be opened.
        ModelDamaged: it holds no JSON object.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise ModelMissing(f"{path.name} is missing from {path.parent.name}.") from error
    except OSError as error:
        raise _closed(path, error) from error
    except (ValueError, RecursionError) as error:
        raise ModelDamaged(f"{path.name} is damaged ({error}).") from error
    if not isinstance(content, dict):
        raise ModelDamaged(f"{path.name} is damaged (it holds no settings).")
    return content


def check_weights(folder: Path) -> None:
    """Every weight file is there, its header makes sense, and it is as long as the header says.

    Raises:
        ModelMissing: there are no weights, or a file that the index names is absent.
        ModelDamaged: a file is cut or its header is nonsense.
    """
    index = folder / "model.safetensors.index.json"
    named = _named_by(index) if index.exists() else set()
    present = {path.name for path in folder.glob("model*.safetensors")}
    if absent := sorted(named - present):
        raise ModelMissing(f"{', '.join(absent)} is missing from {folder.name}.")
    if not present:
        raise ModelMissing(f"{folder.name} holds no weights that this version reads (model.safetensors).")
    for name in sorted(present):
        try:
            _check_safetensors(folder / name)
        except OSError as error:
            raise _closed(folder / name, error) from error


def _named_by(index: Path) -> set[str]:
    shards = read_json(index).get("weight_map")
    if not isinstance(shards, dict):
        raise ModelDamaged(f"{index.name} is damaged (it names no files).")
    return {str(name) for name in shards.values()}


def _check_safetensors(path: Path) -> None:
    size = path.stat().st_size
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        if size < 8:
            raise _incomplete(path, size, "at least 8")
        if header_size > LONGEST_HEADER:
            raise _nonsense(path)
        if size < 8 + header_size:
            raise _incomplete(path, size, f"at least {8 + header_size:,}")
        expected = 8 + header_size + _data_size(path, file.read(header_size))
    if size < expected:
        raise _incomplete(path, size, f"{expected:,}")


def _data_size(path: Path, header: bytes) -> int:
    try:
        tensors = json.loads(header)
        ends = [tensor["data_offsets"][1] for name, tensor in tensors.items() if name != "__metadata__"]
        return int(max(ends, default=0))
    except (ValueError, RecursionError, AttributeError, KeyError, IndexError, TypeError) as error:
        raise _nonsense(path) from error


def _closed(path: Path, error: OSError) -> ModelMissing:
    return ModelMissing(f"{path.name} of {path.parent.name} cannot be opened ({error.strerror}).")


def _incomplete(path: Path, size: int, expected: str) -> ModelDamaged:
    return ModelDamaged(f"{path.name} is incomplete ({size:,} of {expected} bytes).")


def _nonsense(path: Path) -> ModelDamaged:
    return ModelDamaged(f"{path.name} is damaged (its header makes no sense).")
