"""The tokens that end a reply, gathered from every place a model may name them."""

from collections.abc import Iterator, Mapping
from typing import Any

from transformers import PreTrainedTokenizerBase

from engine.template.known import KNOWN

__all__ = ["eos_ids", "stop_tokens"]

END_OF_TURN = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<end_of_turn>",
    "<turn|>",
    "<|end|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|END_OF_TURN_TOKEN|>",
    "[|endofturn|]",
    "<｜end▁of▁sentence｜>",
    "</s>",
)
"""What chat templates write after a turn. It ends a reply where it is a special token of the model."""

SEVERAL_MESSAGES = ("<|return|>", "<|flush|>")
"""Where a template has one of these, a turn is several messages and `<|end|>` only ends one of them."""


def stop_tokens(config: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The union of the configuration's end tokens, the tokenizer's, and the template's end-of-turn marks."""
    return frozenset(
        [
            *eos_ids(config),
            *eos_ids(config.get("text_config")),
            *eos_ids({"eos_token_id": tokenizer.eos_token_id}),
            *_end_of_turn_marks(tokenizer),
        ]
    )


def eos_ids(settings: object) -> list[int]:
    """The `eos_token_id` of a settings file, which may be one id, a list or absent."""
    stated = settings.get("eos_token_id") if isinstance(settings, Mapping) else None
    ids = stated if isinstance(stated, list) else [stated]
    return [id for id in ids if isinstance(id, int) and not isinstance(id, bool) and id >= 0]


def _end_of_turn_marks(tokenizer: PreTrainedTokenizerBase) -> Iterator[int]:
    template = _template_text(tokenizer)
    several = any(mark in template for mark in SEVERAL_MESSAGES)
    for id, token in tokenizer.added_tokens_decoder.items():
        mark = str(token)
        if token.special and mark in END_OF_TURN and mark in template and not (several and mark == "<|end|>"):
            yield id


def _template_text(tokenizer: PreTrainedTokenizerBase) -> str:
    """A tokenizer may hold several templates by name; the marks are the same in all. A model without one
    is asked with those that come with the program."""
    template = tokenizer.chat_template or "\n".join(known.source for known in KNOWN.values())
    return "\n".join(template.values()) if isinstance(template, dict) else str(template)
