"""A model out of a GGUF file: its settings and tensors, given to mlx-lm's class for the architecture."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.nn.layers.base import Module
from mlx.nn.layers.quantized import quantize
from transformers import PreTrainedTokenizerBase

from engine.errors import LoadCancelled, ModelDamaged, ModelUnsupported
from engine.mlx.device import on_gpu
from engine.mlx.gguf_file import GGUFFile, read_container
from engine.mlx.gguf_tensors import GROUP_SIZE, QUANTIZED_BITS, Arrays, unpack
from engine.mlx.gguf_tokenizer import read_tokenizer
from engine.mlx.zoo import architecture

__all__ = ["load_gguf"]

TOP_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
ROPE_FACTORS = "rope_freqs.weight"
LAYER_TENSOR = re.compile(r"blk\.(\d+)\.(\w+)")


def load_gguf(
    path: Path, cancelled: Callable[[], bool]
) -> tuple[Module, dict[str, Any], PreTrainedTokenizerBase]:
    """Reads a model, quantized as in the file, its config in the words of config.json, and its tokenizer.

    Raises:
        ModelMissing, ModelDamaged: the file is absent, cut or nonsense.
        ModelUnsupported: an architecture, tensor type or tokenizer unknown here.
        LoadCancelled: `cancelled`, asked before each tensor, said so.
    """
    file = read_container(path)
    name = file.metadata.get("general.architecture")
    if name not in CONFIGS:
        raise ModelUnsupported(f"The architecture {name!r} of {path.name} is not supported by this version.")
    config = CONFIGS[name](file) | {"eos_token_id": _eos_ids(file.metadata)}
    tokenizer = read_tokenizer(path.name, file.metadata)
    return _build(file, config, cancelled), config, tokenizer


def _eos_ids(metadata: dict[str, Any]) -> list[int]:
    keys = (f"tokenizer.ggml.{kind}_token_id" for kind in ("eos", "eot", "eom"))
    return [metadata[key] for key in keys if isinstance(metadata.get(key), int)]


def _llama_config(file: GGUFFile) -> dict[str, Any]:
    if file.metadata.get("llama.expert_count", 0):
        raise ModelUnsupported(f"{file.path.name} is a mixture of experts, which is not supported as GGUF.")
    rows, hidden = _shape(file, "token_embd.weight")
    heads = _integer(file, "llama.attention.head_count")
    kv_heads = _integer(file, "llama.attention.head_count_kv", heads)
    head_dim = _integer(file, "llama.attention.key_length", hidden // heads)
    return {
        "model_type": "llama",
        "hidden_size": hidden,
        "num_hidden_layers": _layers(file),
        "intermediate_size": _shape(file, "blk.0.ffn_gate.weight")[0],
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": head_dim,
        "rms_norm_eps": _number(file, "llama.attention.layer_norm_rms_epsilon", 1e-5),
        "vocab_size": rows,
        "max_position_embeddings": _integer(file, "llama.context_length"),
        "attention_bias": "blk.0.attn_q.bias" in file.tensors,
        "rope_theta": _number(file, "llama.rope.freq_base", 10000.0),
        "rope_scaling": _rope_scaling(file, head_dim),
        "tie_word_embeddings": "output.weight" not in file.tensors,
    }


CONFIGS: dict[Any, Callable[[GGUFFile], dict[str, Any]]] = {"llama": _llama_config}
"""Architecture -> what it makes of a file's metadata."""


def _integer(file: GGUFFile, key: str, default: int | None = None) -> int:
    value = file.metadata.get(key, default)
    if not isinstance(value, int) or not 0 < value < 1 << 31:
        raise ModelDamaged(f"{file.path.name} is damaged ({key} is {value}).")
    return value


def _number(file: GGUFFile, key: str, default: float) -> float:
    value = file.metadata.get(key, default)
    if not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ModelDamaged(f"{file.path.name} is damaged ({key} is {value}).")
    return float(value)


def _shape(file: GGUFFile, name: str) -> tuple[int, int]:
    place = file.tensors.get(name)
    if place is None or len(place.shape) != 2:
        raise ModelDamaged(f"{file.path.name} is damaged (it has no table {name}).")
    return place.shape[0], place.shape[1]


def _layers(file: GGUFFile) -> int:
    """The stated number of layers, where the file has that many."""
    stated = _integer(file, "llama.block_count")
    found = {match[1] for name in file.tensors if (match := LAYER_TENSOR.match(name))}
    if len(found) != stated:
        raise ModelDamaged(f"{file.path.name} is damaged ({len(found)} of {stated:,} layers are there).")
    return stated


def _rope_scaling(file: GGUFFile, head_dim: int) -> dict[str, Any] | None:
    kind = file.metadata.get("llama.rope.scaling.type", "none")
    if kind == "linear":
        return {"type": "linear", "factor": _number(file, "llama.rope.scaling.factor", 1.0)}
    partly = _integer(file, "llama.rope.dimension_count", head_dim) != head_dim
    if kind != "none" or partly:
        raise ModelUnsupported(f"{file.path.name} turns positions in a way this version does not know.")
    if ROPE_FACTORS not in file.tensors:
        return None
    # One factor per pair of dimensions is what mlx-lm calls longrope, here without its magnitude.
    return {
        "type": "longrope",
        "short_factor": 1.0,
        "long_factor": unpack(file, ROPE_FACTORS)["weight"].tolist(),
        "original_max_position_embeddings": _integer(file, "llama.context_length"),
    }


def _read_weights(
    file: GGUFFile, config: dict[str, Any], cancelled: Callable[[], bool]
) -> tuple[dict[str, mx.array], dict[str, int]]:
    """The arrays by their names in the model, and the bits of each quantized layer by its path."""
    weights: dict[str, mx.array] = {}
    bits: dict[str, int] = {}
    for name in file.tensors:
        if cancelled():
            raise LoadCancelled(f"{file.path.stem} was not loaded: it was given up.")
        if name == ROPE_FACTORS:
            continue
        path, kind = _name(file, name)
        arrays = _arrays(file, name, config)
        weights |= {f"{path}.{part if kind == 'weight' else kind}": array for part, array in arrays.items()}
        if (type := file.tensors[name].type) in QUANTIZED_BITS:
            bits[path] = QUANTIZED_BITS[type]
    return weights, bits


def _build(file: GGUFFile, config: dict[str, Any], cancelled: Callable[[], bool]) -> Module:
    weights, bits = _read_weights(file, config, cancelled)
    model_class, args_class = architecture(config)
    try:
        model: Module = model_class(args_class.from_dict(config))
        quantize(
            model,
            class_predicate=lambda path, _: path in bits and {"group_size": GROUP_SIZE, "bits": bits[path]},
        )
        model.load_weights(list(weights.items()))
    except (ValueError, OverflowError) as error:
        raise ModelDamaged(f"{file.path.name} is damaged ({str(error).splitlines()[0]}).") from error
    return model


def _name(file: GGUFFile, name: str) -> tuple[str, str]:
    """The path of a tensor's layer in the model, and `weight` or `bias`."""
    stem, _, kind = name.rpartition(".")
    match = LAYER_TENSOR.fullmatch(stem)
    path = f"model.layers.{match[1]}.{LAYER_NAMES.get(match[2], '')}" if match else TOP_NAMES.get(stem, "")
    if kind not in ("weight", "bias") or not path or path.endswith("."):
        raise ModelUnsupported(f"{file.path.name} holds a tensor this version does not know ({name}).")
    return path, kind


def _arrays(file: GGUFFile, name: str, config: dict[str, Any]) -> dict[str, mx.array]:
    arrays = unpack(file, name)
    heads = {"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"}.get(name.split(".")[-2])
    if heads:
        arrays = _unpermuted(file, name, arrays, config[heads], config["head_dim"])
    place = file.tensors[name]
    if place.type == "BF16":
        return {"weight": mx.array(arrays["weight"]).view(mx.bfloat16)}
    if place.type == "F32" and len(place.shape) == 1:
        return {"weight": mx.array(arrays["weight"]).astype(_small_type(file))}
    return {part: mx.array(array) for part, array in arrays.items()}


def _small_type(file: GGUFFile) -> mx.Dtype:
    """What norms are held in. Files have them in float32, which would make all of a GPU's products so."""
    table = file.tensors["token_embd.weight"].type
    if not on_gpu() or table == "F32":
        return mx.float32
    return mx.bfloat16 if table == "BF16" else mx.float16


def _unpermuted(file: GGUFFile, name: str, arrays: Arrays, heads: int, head_dim: int) -> Arrays:
    """GGUF has the two numbers that turn together in neighbouring rows, mlx-lm half a head apart."""
    rows = file.tensors[name].shape[0]
    if rows != heads * head_dim or head_dim % 2:
        raise ModelDamaged(f"{file.path.name} is damaged ({name} has {rows:,} rows for {heads:,} heads).")
    return {
        part: np.ascontiguousarray(
            array.reshape(heads, head_dim // 2, 2, -1).swapaxes(1, 2).reshape(array.shape)
        )
        for part, array in arrays.items()
    }
