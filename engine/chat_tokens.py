"""From a rendered chat to ids: no message's text becomes a control token, and the beginning is there once."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from engine.api import Message
from engine.control_marks import ControlMarks, control_tokens
from engine.exact_tokens import ExactTokenizer

__all__ = ["ChatTokens"]


class ChatTokens:
    """One model's. Safe from any thread: nothing of the tokenizer is changed."""

    def __init__(self, tokenizer: Any, templates: Iterable[str]) -> None:
        """`tokenizer` is of transformers; `templates`, the sources of all that chats are rendered with."""
        self._tokenizer = tokenizer
        control = control_tokens(tokenizer, templates)
        self._marks = ControlMarks(control)
        self._exact = ExactTokenizer(tokenizer, control)

    def mark(self, chat: Sequence[Message]) -> tuple[list[dict[str, str]], str]:
        """The chat as it is to be rendered, and the signs in it. See `ControlMarks.mark`."""
        return self._marks.mark([_valid(message) for message in chat])

    def encode(self, rendered: str, signs: str) -> list[int]:
        """The ids of what was rendered from a marked chat."""
        ids = self._encode(rendered, signs)
        size = len(self._beginning)
        while size and ids[:size] == self._beginning:
            ids = ids[size:]
        return self._beginning + ids

    def _encode(self, rendered: str, signs: str) -> list[int]:
        if not signs:
            return self._plain(rendered)
        pieces = list(self._marks.pieces(rendered, signs))
        text = "".join(text for text, _ in pieces)
        written = sum(control for _, control in pieces)
        if written == sum(control for _, control in self._marks.pieces(text, "")):
            return self._plain(text)
        return self._exact.encode(pieces)

    def _plain(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    @cached_property
    def _beginning(self) -> list[int]:
        """What the tokenizer puts before a text of its own accord, such as BOS."""
        plain = self._plain("a")
        around = list(self._tokenizer.encode("a", add_special_tokens=True))
        at = next((at for at in range(len(around)) if around[at : at + len(plain)] == plain), 0)
        return around[:at]


def _valid(message: Message) -> dict[str, str]:
    """The message as Unicode can hold it: a lone surrogate becomes U+FFFD, as tokenizers need it."""

    def valid(text: str) -> str:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    return {key: valid(text) for key, text in message.items()}
