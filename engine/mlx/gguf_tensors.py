"""The weights of a GGUF file, its blocks repacked into the arrays that MLX multiplies with."""

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.errors import ModelUnsupported
from engine.mlx.gguf_file import GGUFFile

__all__ = ["GROUP_SIZE", "QUANTIZED_BITS", "Arrays", "unpack"]

Arrays = dict[str, np.ndarray[Any, Any]]
"""What one tensor becomes: `weight`, and for a quantized one `scales` and `biases`, one of each a group."""

Blocks = np.ndarray[Any, np.dtype[np.uint8]]
"""[blocks, bytes of a block]"""

GROUP_SIZE = 32
QUANTIZED_BITS = {"Q4_0": 4, "Q4_1": 4, "Q8_0": 8}


def unpack(file: GGUFFile, name: str) -> Arrays:
    """The tensor `name` of the file; bfloat16 comes as uint16.

    Raises:
        ModelUnsupported: its type is not one of QUANTIZED_BITS, F32, F16 or BF16.
    """
    place, raw = file.tensors[name], file.bytes_of(name)
    if place.type in PLAIN:
        return {"weight": raw.view(PLAIN[place.type]).reshape(place.shape)}
    if place.type not in REPACKED:
        raise ModelUnsupported(
            f"{file.path.name} holds weights of type {place.type}, which this version does not read.",
            "Choose a model quantized to Q4_0, Q4_1 or Q8_0.",
        )
    groups = (*place.shape[:-1], place.shape[-1] // GROUP_SIZE)
    values, scales, biases = REPACKED[place.type](raw.reshape(np.prod(groups), -1))
    words = np.ascontiguousarray(values).view("<u4")
    return {
        "weight": words.reshape(*place.shape[:-1], -1),
        "scales": scales.reshape(groups),
        "biases": biases.reshape(groups),
    }


def _halves(blocks: Blocks, at: int) -> np.ndarray[Any, np.dtype[np.float16]]:
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2")


def _nibbles(blocks: Blocks) -> Blocks:
    """A block has its first half of weights in the low nibbles, MLX has neighbours in one byte."""
    weights: Blocks = np.concatenate([blocks & 15, blocks >> 4], axis=1)
    return np.asarray(weights[:, ::2] | weights[:, 1::2] << 4, np.uint8)


def _q4_0(blocks: Blocks) -> tuple[Blocks, Any, Any]:
    scales = _halves(blocks, 0)
    return _nibbles(blocks[:, 2:]), scales, scales * np.float16(-8)


def _q4_1(blocks: Blocks) -> tuple[Blocks, Any, Any]:
    return _nibbles(blocks[:, 4:]), _halves(blocks, 0), _halves(blocks, 2)


def _q8_0(blocks: Blocks) -> tuple[Blocks, Any, Any]:
    """Signed weights become unsigned ones, 128 higher."""
    scales = _halves(blocks, 0)
    return np.bitwise_xor(blocks[:, 2:], np.uint8(128)), scales, scales * np.float16(-128)


PLAIN = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
Repack = Callable[[Blocks], tuple[Blocks, Any, Any]]
REPACKED: dict[str, Repack] = {
    "Q4_0": _q4_0,
    "Q4_1": _q4_1,
    "Q8_0": _q8_0,
}
