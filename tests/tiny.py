"""TINY: a two-layer llama with random weights and a byte-level BPE tokenizer, written to a folder."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import engine.mlx  # noqa: F401  (before MLX: it decides which BLAS is used)

# isort: split
import mlx.core as mx
from mlx.utils import tree_flatten

from engine.mlx.tiny_tokenizer import CHATML, ROWS, SPECIALS, write_tokenizer

__all__ = ["CHATML", "ROWS", "SPECIALS", "make_tiny"]


def make_tiny(
    folder: Path,
    *,
    seed: int = 0,
    context: int = 256,
    eos: str | None = "<|im_end|>",
    generation_eos: int | Sequence[int] | None = None,
    chat_template: str | None = CHATML,
    vocab_extra: Mapping[str, int] | None = None,
    scale: float = 1.0,
    fill: Literal["random", "nan", "zero"] = "random",
    model_overrides: Mapping[str, Any] | None = None,
) -> Path:
    """Writes TINY into `folder`, which is made, and returns it. The same arguments give the same bytes.

    Args:
        seed: of the weights.
        context: `max_position_embeddings`.
        eos: the tokenizer's end token, also `eos_token_id` of config.json; None for neither.
        generation_eos: `eos_token_id` of generation_config.json; None for no such file.
        chat_template: Jinja source; None makes a base model.
        vocab_extra: added tokens and their ids, which may lie outside the embedding.
        scale: multiplies the weights of the layers; larger makes replies wilder.
        fill: "nan" damages the embedding, "zero" every tensor.
        model_overrides: entries of config.json; those that the model reads also shape the weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = _config(context, eos) | dict(model_overrides or {})
    _write(folder / "config.json", config)
    if generation_eos is not None:
        _write(folder / "generation_config.json", {"eos_token_id": generation_eos})
    write_tokenizer(folder, eos, chat_template, vocab_extra or {})
    mx.save_safetensors(str(folder / "model.safetensors"), _weights(config, seed, scale, fill))
    return folder


def _config(context: int, eos: str | None) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "vocab_size": ROWS,
        "max_position_embeddings": context,
        "tie_word_embeddings": True,
        "bos_token_id": 0,
        "eos_token_id": None if eos is None else SPECIALS.index(eos),
    }


def _weights(
    config: Mapping[str, Any], seed: int, scale: float, fill: Literal["random", "nan", "zero"]
) -> dict[str, mx.array]:
    from mlx_lm.models import llama

    model = llama.Model(llama.ModelArgs.from_dict({**config, "model_type": "llama"}))
    likes: dict[str, mx.array] = dict(tree_flatten(model.parameters()))
    return {
        name: _tensor(name, like, mx.random.key(seed * 1000 + index), scale, fill)
        for index, (name, like) in enumerate(likes.items())
    }


def _tensor(name: str, like: mx.array, key: mx.array, scale: float, fill: str) -> mx.array:
    """The layers outweigh the tied embedding; otherwise every reply would repeat its last token."""
    if fill == "zero":
        return mx.zeros(like.shape)
    if "embed_tokens" in name:
        return mx.random.normal(like.shape, key=key) * (float("nan") if fill == "nan" else 0.3)
    if like.ndim == 1:
        return mx.ones(like.shape)
    return mx.random.normal(like.shape, key=key) * (0.25 * scale)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
