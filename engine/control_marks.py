"""The text of control tokens inside messages, marked so that it is told apart from what a template writes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.errors import BadRequest

__all__ = ["ControlMarks", "Piece", "control_tokens"]

Piece = tuple[str, bool]
"""Rendered text, and whether it is a control token that the template wrote."""

LOOKS_LIKE_CONTROL = re.compile(r"<[|｜].+[|｜]>|\[/?[A-Z_]+\]|</?(?:think|tool_call|tool_response)>")
"""Templates put such tokens together from parts, so they need not be in their text."""

PRIVATE_USE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))


def control_tokens(tokenizer: Any, templates: Iterable[str]) -> frozenset[str]:
    """The texts that become a token which is more than text.

    All special tokens are, and of the other added ones those that a template writes or that look like one.
    The rest, such as runs of line ends or HTML tags, is ordinary text.
    """
    written = "\0".join(templates)
    control = {str(token) for token in tokenizer.all_special_tokens}
    for token in tokenizer.added_tokens_decoder.values():
        text = str(token)
        written_as_mark = text in written and not text.isalnum()
        if token.special or LOOKS_LIKE_CONTROL.fullmatch(text) or written_as_mark:
            control.add(text)
    return frozenset(text for text in control if text.strip())


class ControlMarks:
    """Finds one model's control tokens in text. Safe from any thread."""

    def __init__(self, tokens: frozenset[str]) -> None:
        self._any = _longest_of(tokens)
        starts = {token[:length] for token in tokens for length in range(1, len(token))}
        ends = {token[length:] for token in tokens for length in range(1, len(token))}
        self._starts, self._ends = frozenset(starts), frozenset(ends)
        self._marked = tokens | starts | ends
        self._longest = max(map(len, tokens), default=0)

    def mark(self, chat: Sequence[Mapping[str, str]]) -> tuple[list[dict[str, str]], str]:
        """Puts a sign before and after what is, or may become, the text of a control token.

        Returns: the chat, and the two signs; "" where there was nothing to mark.

        Raises:
            BadRequest: no character is left for a sign.
        """
        signs = _unused("".join(text for message in chat for text in message.values()))
        marked = [{key: self._with_signs(text, signs) for key, text in message.items()} for message in chat]
        return marked, signs if any(dict(old) != new for old, new in zip(chat, marked, strict=True)) else ""

    def pieces(self, rendered: str, signs: str) -> Iterator[Piece]:
        """Rendered text in pieces, without the signs. A sign that lost the other one just goes."""
        scan = re.compile(f"[{signs}]|{self._any.pattern}" if signs else self._any.pattern)
        at = 0
        while match := scan.search(rendered, at):
            yield rendered[at : match.start()], False
            at = match.end()
            if match[0] not in signs:
                yield match[0], True
            elif match[0] == signs[0] and (inside := self._inside(rendered, at, signs[1])):
                yield inside, False
                at += len(inside) + 1
        yield rendered[at:], False

    def _with_signs(self, text: str, signs: str) -> str:
        """A template may also write the rest of a token that a message begins, or the beginning of one
        that it ends, so the parts of tokens at both ends count."""
        body = text.strip()
        before = text[: len(text) - len(text.lstrip())]
        sizes = range(min(self._longest - 1, len(body)), 0, -1)
        head = next((body[:size] for size in sizes if body[:size] in self._ends), "")
        rest = body[len(head) :]
        tail = next((rest[-size:] for size in sizes if rest[-size:] in self._starts), "")
        middle = self._any.sub(lambda match: match[0].join(signs), rest[: len(rest) - len(tail)])
        parts = [part.join(signs) if part else "" for part in (head, tail)]
        return before + parts[0] + middle + parts[1] + text[len(before) + len(body) :]

    def _inside(self, rendered: str, at: int, after: str) -> str:
        end = rendered.find(after, at, at + self._longest + 1)
        inside = rendered[at : max(end, at)]
        return inside if inside in self._marked else ""


def _longest_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Matches the longest of the texts, in a time that does not grow with their number."""
    tree: dict[str, Any] = {}
    for text in texts:
        node = tree
        for character in text:
            node = node.setdefault(character, {})
        node[""] = {}
    return re.compile(_branches(tree) if tree else "(?!)")


def _branches(tree: Mapping[str, Any]) -> str:
    ways = [re.escape(character) + _branches(rest) for character, rest in sorted(tree.items()) if character]
    if not ways:
        return ""
    return f"(?:{'|'.join(ways)})" + ("?" if "" in tree else "")


def _unused(texts: str) -> str:
    """Two private characters that are in none of the texts."""
    present = set(texts)
    free = (chr(code) for codes in PRIVATE_USE for code in codes if chr(code) not in present)
    try:
        return next(free) + next(free)
    except StopIteration:
        raise BadRequest("The conversation holds every private character that there is.") from None
