"""The small model that Interlace comes with: which file it is and whether it is whole."""

import hashlib
from pathlib import Path

from engine.errors import ModelDamaged, ModelMissing

__all__ = ["FILE_NAME", "SHA256", "SIZE", "check"]

FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
"""Bytes."""
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def check(path: Path) -> None:
    """Reads the whole file, a fraction of a second.

    Raises:
        ModelMissing: there is no such file.
        ModelDamaged: it has another size or other bytes than the demo model.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if size != SIZE:
                raise ModelDamaged(f"{path.name} is incomplete ({size:,} of {SIZE:,} bytes).")
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelMissing(f"There is no demo model at {path}.") from error
    if digest != SHA256:
        raise ModelDamaged(f"{path.name} is damaged (its checksum is wrong).")
