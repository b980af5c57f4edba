"""The tokenizer in a GGUF file's metadata: a byte-level BPE, its special tokens and chat template."""

from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from engine.errors import ModelDamaged, ModelUnsupported

__all__ = ["read_tokenizer"]

CONTROL, USER_DEFINED = 3, 4
"""Values of `token_type` that are never made by merging."""

WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How the tokenizers since GPT-4 cut text; they differ in how many digits make a piece."""


def read_tokenizer(name: str, metadata: dict[str, Any]) -> PreTrainedTokenizerBase:
    """Builds the tokenizer of the file called `name`.

    Raises:
        ModelUnsupported: another kind of tokenizer, or another way to cut text into words.
        ModelDamaged: tokens, merges or special ids contradict each other.
    """
    kind = metadata.get("tokenizer.ggml.model")
    if kind != "gpt2":
        raise ModelUnsupported(f"The tokenizer of {name} is of the kind {kind!r}, which is not supported.")
    tokens = _strings(name, metadata, "tokens")
    tokenizer = Tokenizer(_merging(name, metadata, tokens))
    tokenizer.decoder = decoders.ByteLevel()
    _cut_words(tokenizer, name, metadata.get("tokenizer.ggml.pre", "default"))
    tokenizer.add_tokens(_added(name, metadata, tokens))
    special = _special(name, metadata, tokens)
    if metadata.get("tokenizer.ggml.add_bos_token") and "bos_token" in special:
        tokenizer.post_processor = _starting_with(special["bos_token"], tokens)
    template = metadata.get("tokenizer.chat_template")
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        chat_template=template if isinstance(template, str) else None,
        clean_up_tokenization_spaces=False,
        **special,
    )


def _strings(name: str, metadata: dict[str, Any], key: str) -> list[str]:
    values = metadata.get(f"tokenizer.ggml.{key}")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelDamaged(f"{name} is damaged (its tokenizer has no {key}).")
    return values


def _merging(name: str, metadata: dict[str, Any], tokens: list[str]) -> models.BPE:
    vocabulary = {token: id for id, token in enumerate(tokens)}
    if len(vocabulary) != len(tokens):
        raise ModelDamaged(f"{name} is damaged (its tokenizer has a token twice).")
    parts = [merge.partition(" ") for merge in _strings(name, metadata, "merges")]
    merges = [(left, right) for left, _, right in parts]
    if not all({left, right, left + right} <= vocabulary.keys() for left, right in merges):
        raise ModelDamaged(f"{name} is damaged (its tokenizer merges tokens that it does not have).")
    return models.BPE(vocabulary, merges, ignore_merges=metadata.get("tokenizer.ggml.pre") in IGNORING_MERGES)


IGNORING_MERGES = ("llama-bpe", "llama3", "llama-v3")
"""Tokenizers that take a word known as a whole without merging towards it."""


def _cut_words(tokenizer: Tokenizer, name: str, kind: str) -> None:
    by_gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
    as_cut = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if kind in ("default", "gpt-2"):
        tokenizer.pre_tokenizer = by_gpt2
    elif kind == "smollm":
        digits = pre_tokenizers.Digits(individual_digits=True)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, by_gpt2])
    elif kind in (*IGNORING_MERGES, "qwen2"):
        words = WORDS.replace("DIGITS", "" if kind == "qwen2" else "{1,3}")
        split = pre_tokenizers.Split(Regex(words), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, as_cut])
    else:
        raise ModelUnsupported(f"The tokenizer of {name} cuts words like {kind!r}, which is not supported.")
    if kind == "qwen2":
        tokenizer.normalizer = normalizers.NFC()


def _added(name: str, metadata: dict[str, Any], tokens: list[str]) -> list[AddedToken]:
    types = metadata.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    if not isinstance(types, list) or len(types) != len(tokens):
        raise ModelDamaged(f"{name} is damaged (its tokenizer has no type for every token).")
    return [
        AddedToken(token, special=type == CONTROL, normalized=False)
        for token, type in zip(tokens, types, strict=True)
        if type in (CONTROL, USER_DEFINED)
    ]


def _special(name: str, metadata: dict[str, Any], tokens: list[str]) -> dict[str, str]:
    special = {}
    for role, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding")):
        id = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if id is None:
            continue
        if not isinstance(id, int) or not 0 <= id < len(tokens):
            raise ModelDamaged(f"{name} is damaged (its {role} token is {id} of {len(tokens):,}).")
        special[f"{role}_token"] = tokens[id]
    return special


def _starting_with(bos: str, tokens: list[str]) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A $B", special_tokens=[(bos, tokens.index(bos))]
    )
