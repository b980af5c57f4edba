"""TINY as a GGUF file: a small writer of the format, and the block quantizations that models come in."""

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import engine.mlx  # noqa: F401  (before MLX: it decides which BLAS is used)

# isort: split
import mlx.core as mx
import numpy as np

__all__ = ["BLOCKS", "Tensor", "dequantized", "tiny_metadata", "tiny_tensors", "write_gguf"]

Array = np.ndarray[Any, Any]

HEADS = {"attn_q": 4, "attn_k": 2}
NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


class Tensor(NamedTuple):
    """A tensor as it lies in a file: its type's number, its shape with the rows first, and its bytes."""

    type: int
    shape: tuple[int, ...]
    content: bytes


def write_gguf(path: Path, metadata: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Path:
    """Writes version 3 with an alignment of 32. Values are bool, int, float, str or lists of int or str."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_string(key) + _value(value) for key, value in metadata.items())
    data = b""
    for name, tensor in tensors.items():
        dimensions = len(tensor.shape)
        head += _string(name) + struct.pack(f"<I{dimensions}Q", dimensions, *reversed(tensor.shape))
        head += struct.pack("<IQ", tensor.type, len(data))
        data += _padded(tensor.content)
    path.write_bytes(_padded(head) + data)
    return path


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 32)


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if all(isinstance(item, str) for item in value):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_string, value))
    return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)


def tiny_metadata(folder: Path) -> dict[str, Any]:
    """What a converter would write for the TINY in `folder`."""
    config = json.loads((folder / "config.json").read_text())
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    bpe = json.loads((folder / "tokenizer.json").read_text())["model"]
    tokens = sorted(bpe["vocab"], key=bpe["vocab"].__getitem__)
    return {
        "general.architecture": "llama",
        "general.alignment": 32,
        "llama.block_count": config["num_hidden_layers"],
        "llama.context_length": config["max_position_embeddings"],
        "llama.embedding_length": config["hidden_size"],
        "llama.feed_forward_length": config["intermediate_size"],
        "llama.attention.head_count": config["num_attention_heads"],
        "llama.attention.head_count_kv": config["num_key_value_heads"],
        "llama.attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "llama.rope.dimension_count": config["head_dim"],
        "llama.rope.freq_base": config["rope_theta"],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.merges": [" ".join(pair) for pair in bpe["merges"]],
        "tokenizer.ggml.token_type": [3] * 4 + [1] * (len(tokens) - 4),
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 3,
        "tokenizer.chat_template": settings["chat_template"],
    }


def tiny_tensors(folder: Path, type: str = "F32") -> dict[str, Tensor]:
    """The weights of the TINY in `folder`, the tables of `type`, all else float32."""
    tensors = {}
    for name, array in _weights(folder).items():
        stem, _, kind = _gguf_name(name).rpartition(".")
        rows = _permuted(array, HEADS.get(stem.rpartition(".")[2]))
        number, encode, _ = BLOCKS[type if rows.ndim == 2 else "F32"]
        tensors[f"{stem}.{kind}"] = Tensor(number, rows.shape, encode(rows))
    return tensors


def dequantized(folder: Path, type: str) -> dict[str, Array]:
    """The weights of the TINY in `folder` as they come back out of blocks of `type`."""
    return {
        name: _there_and_back(array, type) if array.ndim == 2 else array
        for name, array in _weights(folder).items()
    }


def _there_and_back(array: Array, type: str) -> Array:
    _, encode, decode = BLOCKS[type]
    return decode(encode(array)).astype(np.float32).reshape(array.shape)


def _weights(folder: Path) -> dict[str, Array]:
    loaded: Any = mx.load(str(folder / "model.safetensors"))
    return {name: np.array(array) for name, array in loaded.items()}


def _gguf_name(name: str) -> str:
    layer = name.removeprefix("model.layers.").split(".", 1) if name.startswith("model.layers.") else None
    path, _, kind = (layer[1] if layer else name).rpartition(".")
    return f"{f'blk.{layer[0]}.' if layer else ''}{NAMES[path]}.{kind}"


def _permuted(array: Array, heads: int | None) -> Array:
    """What the converter does to the rows of queries and keys."""
    if heads is None:
        return array
    return array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)


def _encode_q4_0(array: Array) -> bytes:
    blocks = array.reshape(-1, 32)
    scale = (np.abs(blocks).max(1, keepdims=True) / 7).astype(np.float16)
    return _with_nibbles([scale], np.round(blocks / scale.astype(np.float32)) + 8)


def _encode_q4_1(array: Array) -> bytes:
    blocks = array.reshape(-1, 32)
    least = blocks.min(1, keepdims=True).astype(np.float16)
    scale = ((blocks.max(1, keepdims=True) - least) / 15).astype(np.float16)
    return _with_nibbles([scale, least], np.round((blocks - least) / scale.astype(np.float32)))


def _with_nibbles(halves: list[Array], weights: Array) -> bytes:
    weights = np.clip(weights, 0, 15).astype(np.uint8)
    head = [half.view(np.uint8) for half in halves]
    return np.concatenate([*head, weights[:, :16] | weights[:, 16:] << 4], axis=1).tobytes()


def _encode_q8_0(array: Array) -> bytes:
    blocks = array.reshape(-1, 32)
    scale = (np.abs(blocks).max(1, keepdims=True) / 127).astype(np.float16)
    weights = np.clip(np.round(blocks / scale.astype(np.float32)), -128, 127).astype(np.int8)
    return np.concatenate([scale.view(np.uint8), weights.view(np.uint8)], axis=1).tobytes()


def _halves(blocks: Array, at: int) -> Array:
    return np.ascontiguousarray(blocks[:, at : at + 2]).view(np.float16).astype(np.float32)


def _nibbles(blocks: Array) -> Array:
    return np.concatenate([blocks & 15, blocks >> 4], axis=1).astype(np.float32)


def _decode_q4_0(content: bytes) -> Array:
    blocks = np.frombuffer(content, np.uint8).reshape(-1, 18)
    return (_nibbles(blocks[:, 2:]) - 8) * _halves(blocks, 0)


def _decode_q4_1(content: bytes) -> Array:
    blocks = np.frombuffer(content, np.uint8).reshape(-1, 20)
    return _nibbles(blocks[:, 4:]) * _halves(blocks, 0) + _halves(blocks, 2)


def _decode_q8_0(content: bytes) -> Array:
    blocks = np.frombuffer(content, np.uint8).reshape(-1, 34)
    return blocks[:, 2:].view(np.int8).astype(np.float32) * _halves(blocks, 0)


def _encode_bf16(array: Array) -> bytes:
    return (np.ascontiguousarray(array).view(np.uint32) >> 16).astype(np.uint16).tobytes()


def _decode_bf16(content: bytes) -> Array:
    return (np.frombuffer(content, np.uint16).astype(np.uint32) << 16).view(np.float32)


Encode = Callable[[Array], bytes]
Decode = Callable[[bytes], Array]
BLOCKS: dict[str, tuple[int, Encode, Decode]] = {
    "F32": (0, lambda array: array.tobytes(), lambda content: np.frombuffer(content, np.float32)),
    "F16": (
        1,
        lambda array: array.astype(np.float16).tobytes(),
        lambda content: np.frombuffer(content, np.float16),
    ),
    "Q4_0": (2, _encode_q4_0, _decode_q4_0),
    "Q4_1": (3, _encode_q4_1, _decode_q4_1),
    "Q8_0": (8, _encode_q8_0, _decode_q8_0),
    "BF16": (30, _encode_bf16, _decode_bf16),
}
"""Type -> its number, how rows become its bytes, and how they come back."""
