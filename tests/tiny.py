"""TINY: a two-layer llama with random weights and a byte-level BPE tokenizer, written to a folder."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import engine.mlx  # noqa: F401  (before MLX: it decides which BLAS is used)

# isort: split
import mlx.core as mx
from mlx.utils import tree_flatten
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

__all__ = ["CHATML", "ROWS", "SPECIALS", "make_tiny"]

ROWS = 281
"""Tokens of the tokenizer and rows of the embedding: 4 specials, 256 bytes, 21 merges."""

SPECIALS = ("<s>", "</s>", "<|im_start|>", "<|im_end|>")
"""The special tokens, ids 0 to 3."""

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

SENTENCE = "the quick brown fox jumps over the lazy dog and then the other dog jumps over the brown fox again"


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
    _write_tokenizer(folder, eos, chat_template, vocab_extra or {})
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


def _write_tokenizer(
    folder: Path, eos: str | None, chat_template: str | None, extra: Mapping[str, int]
) -> None:
    content = json.loads(_train().to_str())
    for token, row in extra.items():
        content["model"]["vocab"][token] = row
        content["added_tokens"].append({**content["added_tokens"][0], "content": token, "id": row})
    _write(folder / "tokenizer.json", content)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": eos,
        "clean_up_tokenization_spaces": False,
        "chat_template": chat_template,
    }
    _write(
        folder / "tokenizer_config.json",
        {name: value for name, value in settings.items() if value is not None},
    )


def _train() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=ROWS,
        special_tokens=list(SPECIALS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([SENTENCE], trainer)
    return tokenizer


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
