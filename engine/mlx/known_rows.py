"""What the row check chose at an earlier load: remembered per model, machine and versions."""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.mlx.device import on_gpu
from engine.mlx.linux_blas import REFERENCE_BLAS
from engine.mlx.load import LoadedModel
from engine.mlx.row_check import check_rows
from engine.sharing import BATCHES, TURNS, Sharing

__all__ = ["known_or_checked"]

LIBRARIES = ("interlace", "mlx", "mlx-lm", "ngsolve-openblas")
"""Whose arithmetic, or choice, may change with their version."""

log = logging.getLogger(__name__)


def known_or_checked(
    loaded: LoadedModel, folder: Path | None, cancelled: Callable[[], bool] = lambda: False
) -> Sharing:
    """How the streams of a loaded model are run. Checked once, then read from `folder`.

    A file that is damaged or cannot be read counts as none; one that cannot be written is done without.
    With no folder nothing is remembered.

    Raises:
        LoadCancelled: `cancelled`, asked between the forwards of a check, said so.
    """
    if folder is None:
        return check_rows(loaded.model, loaded.vocabulary, cancelled)
    path = folder / f"{_key(loaded)}.json"
    known = _read(path)
    if known is not None:
        return known
    chosen = check_rows(loaded.model, loaded.vocabulary, cancelled)
    _write(path, chosen)
    return chosen


def _key(loaded: LoadedModel) -> str:
    """A name for all that the choice depends on. Of the weights these are the names, shapes and types:
    kernels are chosen by them, and never by a value."""
    weights: Any = tree_flatten(loaded.model.parameters())  # type: ignore[no-untyped-call]
    facts = {
        "config": loaded.config,
        "weights": sorted((name, array.shape, str(array.dtype)) for name, array in weights),
        "device": sorted((key, str(value)) for key, value in _device()),
        "libraries": [_version(library) for library in LIBRARIES],
        "blas": os.environ.get(REFERENCE_BLAS, ""),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _device() -> Iterator[tuple[str, Any]]:
    """What it is, without what changes from day to day such as its free memory."""
    yield "gpu", on_gpu()
    for key, value in mx.device_info().items():
        if "name" in key or "architecture" in key:
            yield key, value


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _read(path: Path) -> Sharing | None:
    try:
        stored = json.loads(path.read_bytes())
        sharing = Sharing(stored["mode"], stored["rows"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    sizes = {"rows": BATCHES, "padded": BATCHES, "turns": (TURNS.rows,)}
    return sharing if sharing.rows in sizes.get(sharing.mode, ()) else None


def _write(path: Path, sharing: Sharing) -> None:
    data = json.dumps({"mode": sharing.mode, "rows": sharing.rows}).encode()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError as error:
        log.warning("the row check of this model cannot be remembered: %s", error)
