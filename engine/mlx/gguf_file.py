"""The container of a GGUF file: its metadata and where each tensor lies, checked against its size.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import math
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.errors import ModelDamaged, ModelMissing, ModelUnsupported

__all__ = ["GGUFFile", "TensorPlace", "read_container"]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_ALIGNMENT = 1 << 20
DEEPEST_ARRAY = 4
MOST_DIMENSIONS = 4
MOST_ENTRIES = 1 << 28
"""More than any model's tokens, merges or characters of a text."""

STRING, ARRAY = 8, 9

UINT32, UINT64 = "I", "Q"
NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Kind of a metadata value -> its type on disk, as `struct` writes it."""

TENSOR_TYPES = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    9: ("Q8_1", 32, 36),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}
"""Number -> name, weights in a block, bytes of a block."""


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Where one tensor lies. `shape` has the rows first; `start` and `size` are bytes of the file."""

    type: str
    shape: tuple[int, ...]
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class GGUFFile:
    """A file whose tensors all lie inside it. Metadata are numbers, strings, booleans or lists of them."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, TensorPlace]

    def bytes_of(self, name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes of one tensor. They are read, not mapped: a file cut meanwhile would end the process.

        Raises:
            ModelDamaged: they could not be read.
        """
        place = self.tensors[name]
        try:
            content = np.fromfile(self.path, np.uint8, place.size, offset=place.start)
        except OSError as error:
            raise ModelDamaged(f"{self.path.name} could not be read ({error.strerror}).") from error
        if len(content) < place.size:
            raise ModelDamaged(f"{self.path.name} was cut while it was read.")
        return content


def read_container(path: Path) -> GGUFFile:
    """Reads all but the weights.

    Raises:
        ModelMissing: the file cannot be opened.
        ModelDamaged: it is cut, or a number in it makes no sense.
        ModelUnsupported: another version of the format, or a tensor type unknown to it.
    """
    try:
        with path.open("rb") as file:
            return _read(_Reader(path, file))
    except OSError as error:
        raise ModelMissing(f"{path.name} cannot be opened ({error.strerror}).") from error


class _Reader:
    """Reads numbers, texts and settings from front to back, never past the end.

    Attributes: `at`, the byte read next; `size`, all bytes of the file.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self.size = path.stat().st_size
        self.at = 0

    def need(self, size: int) -> None:
        if self.at + size > self.size:
            raise self.incomplete(f"at least {self.at + size:,}")

    def take(self, size: int) -> bytes:
        self.need(size)
        self.at += size
        return self.file.read(size)

    def number(self, type: str) -> Any:
        return self.numbers(1, type)[0]

    def numbers(self, count: int, type: str) -> tuple[Any, ...]:
        layout = struct.Struct(f"<{count}{type}")
        return layout.unpack(self.take(layout.size))

    def count(self, least: int) -> int:
        """A number of things that take at least `least` bytes each, so that a wild one is caught at once."""
        count = int(self.number(UINT64))
        if count > MOST_ENTRIES:
            raise self.nonsense(f"it counts {count:,} entries")
        self.need(count * least)
        return count

    def string(self) -> str:
        return self.take(self.count(least=1)).decode("utf-8", errors="replace")

    def value(self, kind: int, depth: int = 0) -> Any:
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == STRING:
            return self.string()
        if kind != ARRAY or depth == DEEPEST_ARRAY:
            raise self.nonsense(f"a setting of kind {kind}")
        return self.array(self.number(UINT32), depth)

    def array(self, kind: int, depth: int) -> list[Any]:
        if kind in NUMBERS:
            return list(self.numbers(self.count(least=1), NUMBERS[kind]))
        return [self.value(kind, depth + 1) for _ in range(self.count(least=8))]

    def incomplete(self, expected: str) -> ModelDamaged:
        return ModelDamaged(f"{self.path.name} is incomplete ({self.size:,} of {expected} bytes).")

    def nonsense(self, what: str) -> ModelDamaged:
        return ModelDamaged(f"{self.path.name} is damaged ({what}).")


def _read(reader: _Reader) -> GGUFFile:
    name = reader.path.name
    if reader.take(len(MAGIC)) != MAGIC:
        raise ModelDamaged(f"{name} is not a GGUF file.")
    if (version := reader.number(UINT32)) not in VERSIONS:
        raise ModelUnsupported(f"{name} is GGUF of version {version}, which is not supported.")
    tensors, values = reader.count(least=24), reader.count(least=13)
    metadata = {reader.string(): reader.value(reader.number(UINT32)) for _ in range(values)}
    places = [_place(reader) for _ in range(tensors)]
    return GGUFFile(reader.path, metadata, _located(reader, places, metadata.get("general.alignment", 32)))


def _place(reader: _Reader) -> tuple[str, TensorPlace]:
    """One tensor, its start still counted from the first tensor's."""
    name, dimensions = reader.string(), reader.number(UINT32)
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise reader.nonsense(f"{name} has {dimensions:,} dimensions")
    shape = reader.numbers(dimensions, UINT64)[::-1]
    number, start = reader.number(UINT32), reader.number(UINT64)
    if number not in TENSOR_TYPES:
        raise ModelUnsupported(f"{reader.path.name} holds weights of type {number}, which is unknown.")
    type, block, block_size = TENSOR_TYPES[number]
    if shape[-1] % block or 0 in shape:
        raise reader.nonsense(f"{name} has the shape {shape}")
    return name, TensorPlace(type, shape, start, math.prod(shape) // block * block_size)


def _located(
    reader: _Reader, places: list[tuple[str, TensorPlace]], alignment: Any
) -> dict[str, TensorPlace]:
    if not isinstance(alignment, int) or not 1 <= alignment <= LARGEST_ALIGNMENT:
        raise reader.nonsense(f"an alignment of {alignment}")
    first = -(-reader.at // alignment) * alignment
    located = {name: replace(place, start=first + place.start) for name, place in places}
    end = max((place.start + place.size for place in located.values()), default=first)
    if end > reader.size:
        raise reader.incomplete(f"{end:,}")
    if len(located) != len(places):
        raise reader.nonsense("a name is given twice")
    return located
