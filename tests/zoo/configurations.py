"""Guessed tiny configurations of the model classes of mlx-lm."""

import dataclasses
from typing import Any

import engine.mlx  # noqa: F401
from engine.mlx.tiny_families import FAMILIES
from engine.mlx.tiny_tokenizer import ROWS

__all__ = ["configuration"]

LAYERS = 4

GUESSES: dict[str, Any] = {
    "hidden_size": 64,
    "hidden_dim": 64,
    "n_embd": 64,
    "d_model": 64,
    "dim": 64,
    "model_dim": 64,
    "dim_model_base": 64,
    "intermediate_size": 128,
    "intermediate_size_mlp": 128,
    "ffn_hidden_size": 64,
    "n_inner": 128,
    "moe_intermediate_size": 32,
    "expert_ffn_hidden_size": 32,
    "shared_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "moe_shared_expert_intermediate_size": 32,
    "dense_intermediate_size": 128,
    "mlp_hidden_size": 128,
    "ff_dim": 128,
    "dense_ffn_hidden_size": 64,
    "num_hidden_layers": LAYERS,
    "num_layers": LAYERS,
    "n_layer": LAYERS,
    "n_layers": LAYERS,
    "num_transformer_layers": LAYERS,
    "num_attention_heads": 4,
    "num_heads": 4,
    "n_head": 4,
    "n_heads": 4,
    "attention_heads": 4,
    "num_key_value_heads": 2,
    "num_kv_heads": 2,
    "n_kv_heads": 2,
    "num_query_heads": 4,
    "num_attention_groups": 2,
    "swa_num_attention_heads": 4,
    "swa_num_key_value_heads": 2,
    "global_num_key_value_heads": 2,
    "num_global_key_value_heads": None,
    "head_dim": 16,
    "kv_channels": 16,
    "v_head_dim": 16,
    "swa_head_dim": 16,
    "swa_v_head_dim": 16,
    "hidden_size_per_head": 16,
    "global_head_dim": 16,
    "attention_head_dim": 16,
    "rotary_dim": 8,
    "n_rot": 8,
    "vocab_size": ROWS,
    "vocab_size_per_layer_input": ROWS,
    "padded_vocab_size": ROWS,
    "max_position_embeddings": 1024,
    "n_positions": 1024,
    "n_ctx": 1024,
    "block_size": 1024,
    "max_seq_len": 1024,
    "max_sequence_length": 1024,
    "model_max_length": 1024,
    "sequence_len": 1024,
    "max_context_length": 1024,
    "num_experts": 4,
    "n_routed_experts": 4,
    "num_local_experts": 4,
    "moe_num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_topk": 2,
    "moe_k": 2,
    "moe_top_k": 2,
    "top_k_experts": 2,
    "num_experts_per_token": 2,
    "num_experts_per_topk": 2,
    "n_shared_experts": 1,
    "num_shared_experts": 1,
    "num_shared_expert": 1,
    "moe_num_shared_experts": 1,
    "n_group": 1,
    "topk_group": 1,
    "num_expert_group": 1,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "num_dense_layers": 1,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "moe_layer_start_index": 1,
    "routed_scaling_factor": 1.0,
    "norm_topk_prob": True,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
    "zero_expert_num": 1,
    "zero_expert_type": "identity",
    "attention_method": "MLA",
    "kv_lora_rank": 32,
    "q_lora_rank": 32,
    "qk_rope_head_dim": 16,
    "qk_nope_head_dim": 16,
    "qk_head_dim": 32,
    "rms_norm_eps": 1e-5,
    "norm_eps": 1e-5,
    "layer_norm_epsilon": 1e-5,
    "layer_norm_eps": 1e-5,
    "layernorm_epsilon": 1e-5,
    "norm_epsilon": 1e-5,
    "rope_theta": 10000.0,
    "swa_rope_theta": 10000.0,
    "rotary_emb_base": 10000,
    "rotary_pct": 0.5,
    "rope_pct": 0.5,
    "partial_rotary_factor": 0.5,
    "rope_scaling": None,
    "rope_parameters": None,
    "rope_ratio": 1.0,
    "sliding_window": 8,
    "sliding_window_size": 8,
    "window_size": 8,
    "attention_window_size": 8,
    "sliding_window_pattern": 2,
    "global_attn_every_n_layers": 2,
    "interleaved_sliding_window": 8,
    "layer_group_size": 2,
    "group_norm_size": 2,
    "full_attention_interval": 2,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
    "num_v_heads": 4,
    "num_k_heads": 2,
    "state_size": 16,
    "ssm_state_size": 16,
    "mamba_d_state": 16,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "conv_kernel": 4,
    "n_groups": 2,
    "mamba_n_groups": 2,
    "mamba_num_heads": 4,
    "mamba_head_dim": 16,
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_d_ssm": 128,
    "time_step_rank": 4,
    "time_step_limit": [0.001, 100.0],
    "expand": 2,
    "mamba_dt_rank": 4,
    "mamba_step": 2,
    "conv_window": 2,
    "conv_L_cache": 3,
    "lru_width": 64,
    "conv1d_width": 4,
    "index_head_dim": 16,
    "index_n_heads": 2,
    "index_topk": 2048,
    "logits_scaling": 1.0,
    "attention_multiplier": 0.25,
    "embedding_multiplier": 1.0,
    "residual_multiplier": 1.0,
    "scale_depth": 1.4,
    "scale_emb": 1.0,
    "mup_base_width": 64,
    "query_pre_attn_scalar": 16,
    "attn_logit_softcapping": 50.0,
    "final_logit_softcapping": 30.0,
    "attention_bias": False,
    "mlp_bias": False,
    "use_bias": False,
    "use_conv_bias": True,
    "conv_bias": False,
    "use_qk_norm": True,
    "qk_norm": True,
    "post_norm": False,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "attn_layer_offset": 1,
    "attn_layer_period": 2,
    "expert_layer_offset": 1,
    "expert_layer_period": 2,
    "rwkv_head_size": 16,
    "layer_norm_elementwise_affine": True,
    "no_rope_layers": [1, 1, 1, 0],
    "attention_chunk_size": 8,
    "interleave_moe_layer_step": 2,
    "use_cla": False,
    "cla_share_factor": 2,
    "use_mixed_mlp_moe": False,
    "num_kv_shared_layers": 2,
    "hidden_size_per_layer_input": 32,
    "attention_dropout": 0.0,
    "layer_types": None,
    "num_kv_reuse_layers": 2,
    "norm_type": "rms_norm",
}
"""Values by the name of a setting; what is not listed keeps the model's default."""

ATTENTION = "full_attention"
SLIDING = "sliding_attention"

MIXED = [SLIDING, ATTENTION] * 2
YARN = {
    "type": "yarn",
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 2.0,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
    "beta_fast": 32,
    "beta_slow": 1,
    "original_max_position_embeddings": 512,
    "llama_4_scaling_beta": 0.1,
}
DEFAULT_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
LINEAR = {
    "kda_layers": [1, 3],
    "full_attn_layers": [2, 4],
    "num_heads": 4,
    "head_dim": 32,
    "short_conv_kernel_size": 4,
    "gate_lower_bound": -5.0,
}

SPECIAL: dict[str, dict[str, Any]] = {
    "phi3small": {"vocab_size": 100352, "ff_intermediate_size": 64, "gegelu_limit": 20.0},
    "afmoe": {"layer_types": MIXED},
    "baichuan_m1": {"tie_word_embeddings": False, "sliding_window_layers": [0, 2]},
    "dbrx": {
        "ffn_config": {"ffn_hidden_size": 64, "moe_num_experts": 4, "moe_top_k": 2},
        "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0},
    },
    "deepseek_v2": {"rope_scaling": YARN, "topk_method": "greedy", "first_k_dense_replace": 1},
    "exaone4": {"sliding_window_pattern": "LG", "rope_scaling": None},
    "exaone_moe": {"layer_types": MIXED, "is_moe_layer": [False, True, True, True]},
    "gemma3n": {
        "text_config": {
            "model_type": "gemma3n_text",
            "rope_local_base_freq": 10000.0,
            "activation_sparsity_pattern": [0.0] * LAYERS,
            "altup_num_inputs": 2,
            "altup_coef_clip": 120.0,
            "altup_correct_scale": True,
            "altup_active_idx": 0,
            "laurel_rank": 16,
            "layer_types": MIXED,
            "intermediate_size": [128] * LAYERS,
        }
    },
    "glm_moe_dsa": {"rope_parameters": YARN},
    "granitemoehybrid": {
        "layer_types": ["mamba", "attention"] * 2,
        "mamba_proj_bias": False,
        "mamba_conv_bias": True,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "shared_intermediate_size": 32,
        "mamba_n_heads": 8,
        "mamba_d_head": 16,
        "mamba_d_state": 16,
        "mamba_d_conv": 4,
        "mamba_n_groups": 2,
    },
    "hunyuan": {
        "moe_intermediate_size": 32,
        "rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0},
    },
    "jamba": {"mamba_dt_rank": 4},
    "mamba": {"intermediate_size": 128, "time_step_rank": 4},
    "kimi_k3": {
        "text_config": {
            "linear_attn_config": LINEAR,
            "hidden_act": "situ",
            "activation_situ_beta": 1.0,
            "attn_res_block_size": 2,
            "mla_use_nope": True,
        }
    },
    "kimi_linear": {"linear_attn_config": LINEAR, "num_experts_per_token": 2},
    "lfm2": {
        "layer_types": ["conv", ATTENTION] * 2,
        "intermediate_size": 128,
        "block_ff_dim": 128,
        "block_multiple_of": 32,
        "block_ffn_dim_multiplier": 1.0,
        "block_dim": 64,
    },
    "lfm2-vl": {
        "text_config": {
            "layer_types": ["conv", ATTENTION] * 2,
            "block_multiple_of": 32,
            "block_dim": 64,
            "block_ffn_dim_multiplier": 1.0,
            "block_auto_adjust_ff_dim": False,
            "model_type": "lfm2",
        }
    },
    "lfm2_moe": dict(FAMILIES["lfm2_moe"]),
    "nemotron_h": dict(FAMILIES["nemotron_h"]),
    "minimax_m3_vl": dict(FAMILIES["minimax_m3"]),
    "qwen3_5": dict(FAMILIES["qwen3_5"]),
    "gemma4": dict(FAMILIES["gemma4"]),
    "gemma4_text": dict(FAMILIES["gemma4"]["text_config"]),
    "longcat_flash": {"mla_scale_q_lora": True, "mla_scale_kv_lora": True},
    "longcat_flash_ngram": {"mla_scale_q_lora": True, "mla_scale_kv_lora": True},
    "llama4": {
        "text_config": {
            "model_type": "llama4_text",
            "rope_scaling": None,
            "tie_word_embeddings": False,
            "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 2,
        }
    },
    "mellum": {"layer_types": MIXED, "rope_parameters": {SLIDING: DEFAULT_ROPE, ATTENTION: DEFAULT_ROPE}},
    "mimo_v2_flash": {
        "hybrid_layer_pattern": [0, 1, 0, 1],
        "moe_layer_freq": [0, 1, 1, 1],
        "add_swa_attention_sink_bias": True,
    },
    "minicpm3": {
        "rope_scaling": {"original_max_position_embeddings": 512, "short_factor": 1.0, "long_factor": 1.0}
    },
    "ministral3": {"rope_parameters": YARN, "layer_types": MIXED, "sliding_window": 8},
    "mistral3": {
        "text_config": {
            "model_type": "ministral3",
            "rope_parameters": YARN,
            "layer_types": MIXED,
            "sliding_window": 8,
        }
    },
    "mistral4": {"rope_parameters": YARN},
    "gemma3": {"text_config": {"model_type": "gemma3_text"}},
    "pixtral": {"text_config": {"model_type": "llama"}},
    "qwen2_vl": {"text_config": {"model_type": "qwen2_vl"}},
    "qwen3": {"rope_theta": 10000.0},
    "qwen3_vl": {"text_config": {"model_type": "qwen3_vl_text"}},
    "qwen3_vl_moe": {"text_config": {"model_type": "qwen3_vl_moe_text"}},
    "muse_spark": {
        "text_config": {
            "post_norm_eps": 1e-5,
            "layer_rope_theta": [10000.0, 0.0] * 2,
            "output_multiplier": 1.0,
            "moe_hidden_size": 64,
            "layer_types": MIXED,
            "rope_parameters": DEFAULT_ROPE,
            "num_shared_experts": 0,
        }
    },
    "openelm": {
        "num_query_heads": [4] * LAYERS,
        "num_kv_heads": [2] * LAYERS,
        "ffn_multipliers": [1.0] * LAYERS,
        "ffn_dim_divisor": 32,
    },
    "plamo": {"num_attention_heads": 8, "n_shared_head": 4},
    "recurrent_gemma": {
        "block_types": ["recurrent", "attention"],
        "logits_soft_cap": 30.0,
        "num_key_value_heads": 1,
    },
    "spark2_5": {
        "rope_parameters": {SLIDING: DEFAULT_ROPE, ATTENTION: DEFAULT_ROPE},
        "layer_types": MIXED,
        "hidden_act": "gelu",
    },
    "nemotron-nas": {
        "block_configs": [
            {
                "attention": {
                    "n_heads_in_group": 2,
                    "no_op": False,
                    "replace_with_linear": False,
                    "num_sink_tokens": 0,
                    "unshifted_sink": False,
                    "sparsify": None,
                    "window_length": None,
                    "use_prefill_window_in_sink_attention": False,
                },
                "ffn": {"ffn_mult": 1.0, "no_op": False, "replace_with_linear": False, "sparsify": None},
            }
        ]
        * LAYERS
    },
}
"""Settings of single models, on top of the guesses."""


def configuration(name: str, arguments: type) -> dict[str, Any]:
    """A tiny configuration of the model class in `mlx_lm.models.<name>` whose arguments' class is given."""
    config = _guessed(arguments, SPECIAL.get(name, {}))
    return config | {"model_type": name}


def _guessed(arguments: type, overrides: dict[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for field in dataclasses.fields(arguments):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if field.name in GUESSES and (required or field.default is not None):
            config[field.name] = GUESSES[field.name]
        elif required:
            config[field.name] = _by_type(field.name, str(field.type))
        if field.name == "text_config":
            config["text_config"] = dict(GUESSES)
    for key, value in overrides.items():
        config[key] = config.get(key, {}) | value if key == "text_config" else value
    return config


def _by_type(name: str, kind: str) -> Any:
    if name == "layer_types":
        return [ATTENTION] * LAYERS
    for mark, value in (("bool", False), ("int", 2), ("float", 1.0), ("List", []), ("str", "silu")):
        if mark in kind:
            return value
    return None
