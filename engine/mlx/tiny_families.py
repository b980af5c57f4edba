"""Small random models of the families with more than plain attention, written to a folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import mlx.core as mx
from mlx.nn.layers.quantized import quantize
from mlx.utils import tree_flatten, tree_map_with_path

from engine.mlx.tiny_tokenizer import CHATML, ROWS, SPECIALS, write_tokenizer
from engine.mlx.zoo import architecture

__all__ = ["FAMILIES", "WINDOW", "build_tiny", "make_tiny_family", "randomized"]

WINDOW = 32
"""Positions a sliding layer of gemma4 sees."""

HIDDEN = 64
"""Width of the models as they stand here."""

GROUP = 32
"""Weights that share a scale when quantized."""

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": ROWS,
    "max_position_embeddings": 1024,
    "bos_token_id": 0,
    "eos_token_id": SPECIALS.index("<|im_end|>"),
}

WIDTHS = (
    "hidden_size",
    "intermediate_size",
    "dense_intermediate_size",
    "shared_intermediate_size",
    "moe_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "hidden_size_per_layer_input",
)
HEAD_WIDTHS = (
    "head_dim",
    "global_head_dim",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "mamba_head_dim",
    "sparse_index_dim",
)
HEADS = (
    "num_attention_heads",
    "num_key_value_heads",
    "linear_num_value_heads",
    "linear_num_key_heads",
    "mamba_num_heads",
    "sparse_num_index_heads",
)
"""What grows with the width, by how."""

FAMILIES: Mapping[str, Mapping[str, Any]] = {
    # Gated delta, then full attention, twice.
    "qwen3_5": {
        **SIZES,
        "model_type": "qwen3_5",
        "num_hidden_layers": 4,
        "full_attention_interval": 2,
        "head_dim": 32,
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 32,
        "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4,
        "tie_word_embeddings": False,
    },
    # A dense layer with full attention, then experts with sparse attention: 2 blocks of 8 keys.
    "minimax_m3": {
        "model_type": "minimax_m3_vl",
        "text_config": {
            **SIZES,
            "num_hidden_layers": 3,
            "dense_intermediate_size": 128,
            "intermediate_size": 32,
            "shared_intermediate_size": 32,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "head_dim": 16,
            "moe_layer_freq": [0, 1, 1],
            "sparse_attention_config": {
                "sparse_num_index_heads": 2,
                "sparse_index_dim": 16,
                "sparse_block_size": 8,
                "sparse_topk_blocks": 2,
                "sparse_local_block": 1,
                "sparse_attention_freq": [0, 1, 1],
            },
        },
    },
    # Convolutions and attention; the first layer dense, then experts.
    "lfm2_moe": {
        **SIZES,
        "model_type": "lfm2_moe",
        "num_hidden_layers": 4,
        "layer_types": ["conv", "conv", "full_attention", "conv"],
        "num_dense_layers": 1,
        "moe_intermediate_size": 32,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "norm_topk_prob": True,
        "use_expert_bias": True,
        "norm_eps": 1e-5,
        "conv_bias": False,
        "conv_L_cache": 3,
    },
    # Mamba-2, experts, attention, a dense layer, Mamba-2 again and attention again.
    "nemotron_h": {
        **SIZES,
        "model_type": "nemotron_h",
        "hybrid_override_pattern": ["M", "E", "*", "-", "M", "*"],
        "attention_bias": False,
        "head_dim": 16,
        "mamba_num_heads": 4,
        "mamba_head_dim": 16,
        "mamba_proj_bias": False,
        "ssm_state_size": 16,
        "conv_kernel": 4,
        "n_groups": 2,
        "mlp_bias": False,
        "layer_norm_epsilon": 1e-5,
        "use_bias": False,
        "use_conv_bias": True,
        "moe_intermediate_size": 32,
        "moe_shared_expert_intermediate_size": 32,
        "n_group": 1,
        "topk_group": 1,
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "norm_topk_prob": True,
        "routed_scaling_factor": 1.0,
    },
    # Sliding, sliding, full; then the same again, reading the keys of layers 1 and 2.
    "gemma4": {
        **SIZES,
        "model_type": "gemma4",
        "text_config": {
            **SIZES,
            "model_type": "gemma4_text",
            "num_hidden_layers": 6,
            "sliding_window_pattern": 3,
            "num_kv_shared_layers": 3,
            "sliding_window": WINDOW,
            "head_dim": 16,
            "global_head_dim": 32,
            "hidden_size_per_layer_input": 32,
            "vocab_size_per_layer_input": ROWS,
        },
    },
}


def make_tiny_family(
    folder: Path,
    family: str,
    *,
    seed: int = 0,
    dtype: Literal["float32", "bfloat16"] = "float32",
    bits: int | None = None,
    hidden: int = HIDDEN,
) -> Path:
    """Writes a small model of `family` and a tokenizer into `folder`, which is made, and returns it.

    Args:
        family: one of FAMILIES.
        seed: of the weights; the same arguments give the same bytes.
        dtype: of the weights, of the scales where they are quantized.
        bits: a weight when quantized; None for not.
        hidden: the width, a multiple of 256 or 64 itself; heads, experts and the rest grow with it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder, "<|im_end|>", CHATML, {})
    config: dict[str, Any] = _scaled(FAMILIES[family], hidden // HIDDEN)
    if bits is not None:
        config["quantization"] = {"group_size": GROUP, "bits": bits}
    model = build_tiny(config, seed)
    model.set_dtype(getattr(mx, dtype))
    if bits is not None:
        quantize(model, GROUP, bits, class_predicate=_can_be_quantized)
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    weights: dict[str, mx.array] = dict(tree_flatten(model.parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    return folder


def build_tiny(config: Mapping[str, Any], seed: int = 0) -> Any:
    """mlx-lm's model for `config`, with random weights."""
    kind, arguments = architecture(config)
    return randomized(kind(arguments.from_dict(json.loads(json.dumps(dict(config))))), seed)


def randomized(model: Any, seed: int) -> Any:
    """Gives `model` random weights that make lively replies, and returns it."""
    keys = iter(mx.random.split(mx.random.key(seed), len(tree_flatten(model.parameters()))))
    model.update(tree_map_with_path(lambda path, like: _tensor(path, like, next(keys)), model.parameters()))
    return model


def _scaled(config: Mapping[str, Any], factor: int) -> dict[str, Any]:
    """`config` made `factor` times as wide: heads get wider up to 4 times, beyond that there are more."""
    wider = min(factor, 4)
    more = factor // wider
    scales = dict.fromkeys(WIDTHS, factor) | dict.fromkeys(HEAD_WIDTHS, wider)
    scales |= dict.fromkeys(HEADS, more)
    scaled = dict(config)
    for name, value in config.items():
        if isinstance(value, Mapping):
            scaled[name] = _scaled(value, factor)
        elif name in scales:
            scaled[name] = value * scales[name]
    return scaled


def _tensor(path: str, like: mx.array, key: mx.array) -> mx.array:
    """The layers outweigh the embedding; otherwise every reply would repeat its last token."""
    noise = mx.random.normal(like.shape, key=key)
    if path.endswith("A_log") and like.ndim == 1:
        return mx.log(mx.arange(1, like.size + 1, dtype=mx.float32))
    if like.ndim <= 1:
        return like + 0.1 * noise
    # Wider layers add up more terms.
    return noise * (0.05 if "embed" in path else 0.25 * (HIDDEN / max(like.shape[-1], HIDDEN)) ** 0.5)


def _can_be_quantized(_: str, module: Any) -> bool:
    return hasattr(module, "to_quantized") and module.weight.shape[-1] % GROUP == 0
