"""How models mark what they think: the marks known, and which of them one model uses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["PLAIN", "Area", "ReplyFormat", "Step", "reply_format"]

Area = Literal["thinking", "answer", "hidden", "header"]
"""What text is: thinking, answer, for a tool, or what says where a message goes."""

Step = Literal["thinking", "answer", "hidden", "header", "body"]
"""What a mark between messages begins. A body belongs to the area that its header names."""

BLOCKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<mm:think>", "</mm:think>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|think:start|>", "<|think:end|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
"""What stands before and after thinking: Qwen, DeepSeek, GLM, Nemotron, LFM2 and Kimi use the first
pair, others one of the rest."""

CHANNELS: Mapping[str, Step] = {
    "<|start|>": "header",
    "<|channel|>": "header",
    "<|constrain|>": "header",
    "<|message|>": "body",
    "<|end|>": "answer",
    "<|eom|>": "answer",
    "<|call|>": "answer",
    "<|return|>": "answer",
}
"""Harmony (gpt-oss), and Muse, whose headers name a recipient instead of a channel."""

SECTIONS: Mapping[str, Step] = {
    "<|begin|>": "header",
    "<|think|>": "thinking",
    "<|content|>": "answer",
    "<|tool_calls|>": "hidden",
    "<|end|>": "answer",
}
"""Solar Open, where the mark itself says what a message is."""


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """How one model marks what it thinks.

    Attributes:
        blocks: what stands before and after thinking, in pairs.
        messages: the marks between the messages of a reply that may have several; else empty.
        control: control tokens that are such a mark or a part of one. They are never text.
    """

    blocks: tuple[tuple[str, str], ...] = ()
    messages: Mapping[str, Step] = field(default_factory=dict)
    control: frozenset[str] = frozenset()


PLAIN = ReplyFormat()
"""All of a reply is its answer."""


def reply_format(template: str, vocabulary: Iterable[str], control: Iterable[str]) -> ReplyFormat:
    """The format of a model by its chat template, its tokens, and those of them that are control tokens."""
    messages = _messages(template)
    tokens = set(vocabulary)
    blocks = tuple(
        (opening, closing)
        for opening, closing in BLOCKS
        if closing in tokens or opening in template or closing in template
    )
    if messages:
        return ReplyFormat(messages=messages, control=frozenset(control) & messages.keys())
    parts = (token for token in control if token and any(token in mark for pair in blocks for mark in pair))
    return ReplyFormat(blocks, control=frozenset(parts))


def _messages(template: str) -> Mapping[str, Step]:
    if "<|message|>" in template and ("<|channel|>" in template or "to=self" in template):
        return CHANNELS
    return SECTIONS if all(mark in template for mark in ("<|begin|>", "<|think|>", "<|content|>")) else {}
