"""How models mark what they think: the marks known, and which of them one model uses."""

from collections.abc import Iterable, Mapping, Set
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

ANSWERS = (
    ("<answer>", "</answer>"),
    ("<response>", "</response>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
"""What stands before and after an answer: Hunyuan's, Ernie's and Granite's, Cohere's."""

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

ELEMENTS: Mapping[str, Step] = {
    "<|open|>": "hidden",
    "<|open|>message": "answer",
    "<|open|>think<|sep|>": "thinking",
    "<|open|>response<|sep|>": "answer",
    "<|close|>": "hidden",
    "<|close|>think<|sep|>": "answer",
}
"""Kimi K3, whose marks are several tokens each. Any other element is for a tool."""

ELEMENT_TOKENS = frozenset({"<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"})


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """How one model marks what it thinks.

    Attributes:
        blocks: what stands before and after thinking, in pairs.
        answers: what may stand before and after the answer, in pairs.
        messages: the marks between the messages of a reply that may have several; else empty.
        control: control tokens that are such a mark or a part of one. They are never text.
    """

    blocks: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    messages: Mapping[str, Step] = field(default_factory=dict)
    control: frozenset[str] = frozenset()


PLAIN = ReplyFormat()
"""All of a reply is its answer."""


def reply_format(template: str, vocabulary: Iterable[str], control: Iterable[str]) -> ReplyFormat:
    """The format of a model by its chat template, its tokens, and those of them that are control tokens."""
    tokens = set(vocabulary)
    messages = _messages(template, tokens)
    if messages:
        return ReplyFormat(messages=messages, control=_parts(control, messages))
    blocks = _known(BLOCKS, template, tokens)
    answers = _known(ANSWERS, template, tokens) if blocks else ()
    marks = [mark for pair in (*blocks, *answers) for mark in pair]
    return ReplyFormat(blocks, answers, control=_parts(control, marks))


def _messages(template: str, tokens: Set[str]) -> Mapping[str, Step]:
    if tokens >= ELEMENT_TOKENS:
        return ELEMENTS
    if "<|message|>" in template and ("<|channel|>" in template or "to=self" in template):
        return CHANNELS
    return SECTIONS if all(mark in template for mark in ("<|begin|>", "<|think|>", "<|content|>")) else {}


def _known(pairs: Iterable[tuple[str, str]], template: str, tokens: Set[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (opening, closing)
        for opening, closing in pairs
        if closing in tokens or opening in template or closing in template
    )


def _parts(control: Iterable[str], marks: Iterable[str]) -> frozenset[str]:
    marks = tuple(marks)
    return frozenset(token for token in control if token and any(token in mark for mark in marks))
