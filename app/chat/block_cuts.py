"""Where Markdown may be divided: at top-level blocks, at list items, and inside a long paragraph."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt

__all__ = ["MAX_NESTING", "Fence", "Top", "balanced_cut", "open_fence", "top_level"]

MAX_NESTING = 60
"""Levels of quotes and lists that are told apart; more would exhaust the parser's stack."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_INLINE = re.compile(r"\\.|`+|\*+|_+|~~+|\[|\]\(?|\)|\s+|[。！？…]+", re.DOTALL)
_SENTENCE_END = tuple(".!?:;…。！？")
_JOINERS = "\u200d\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Top:
    """One top-level block: its type, where it starts and where its list items start, in characters."""

    type: str
    start: int
    markup: str = ""
    info: str = ""
    items: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Fence:
    """A code fence left open. `indent` is the column of its mark, in characters."""

    markup: str
    info: str
    indent: int


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_PARSER = _block_parser()


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def top_level(text: str) -> list[Top]:
    """The top-level blocks of `text` in order. Inline markup is not looked at."""
    starts = _line_starts(text)
    tops: list[Top] = []
    for token in _PARSER.parse(text):
        if token.map is None:
            continue
        start = starts[token.map[0]]
        if token.level == 0:
            tops.append(Top(token.type, start, token.markup, token.info))
        elif token.level == 1 and token.type == "list_item_open":
            tops[-1] = replace(tops[-1], items=(*tops[-1].items, start))
    return tops


def open_fence(text: str) -> Fence | None:
    """The fence, at any depth, that `text`, made of whole lines, leaves open."""
    starts = _line_starts(text)
    last = len(starts) - 2
    fences = [token for token in _PARSER.parse(text) if token.type == "fence"]
    if not fences or fences[-1].map is None or fences[-1].map[1] <= last:
        return None
    token, first = fences[-1], fences[-1].map[0]
    closing = rf"[\s>]*{re.escape(token.markup)}{re.escape(token.markup[0])}*\s*"
    if first != last and re.fullmatch(closing, text[starts[last] :]):
        return None
    return Fence(token.markup, token.info, text[starts[first] :].index(token.markup))


def balanced_cut(text: str) -> int:
    """The best place to divide a paragraph, in its second half.

    The last sentence end outside inline markup, else the last space outside it, else the last
    space, else the end, moved so that no combined character is divided.
    """
    sentence = balanced = space = 0
    for position, closed in _gaps(text):
        if position <= len(text) // 2:
            continue
        space = position
        if closed:
            balanced = position
            if text[:position].rstrip().endswith(_SENTENCE_END):
                sentence = position
    return sentence or balanced or space or _whole_character(text)


def _gaps(text: str) -> Iterator[tuple[int, bool]]:
    """Each place after white space or a full stop without one, and whether inline markup is closed there."""
    opened = {"*": 0, "_": 0, "~": 0, "`": 0, "[": 0}
    destination = False
    position = 0
    while match := _INLINE.search(text, position):
        run, position = match.group(), match.end()
        mark = run[0]
        if mark == "`":
            close = re.compile(rf"(?<!`){run}(?!`)").search(text, position)
            opened["`"] += close is None
            position = close.end() if close else position
        elif mark in "*_~":
            opened[mark] = _after_run(text, match, opened[mark])
        elif mark == "[":
            opened["["] += 1
        elif run == "](":
            destination = opened["["] > 0
        elif run == "]" or (run == ")" and destination):
            opened["["] = max(0, opened["["] - 1)
            destination = False
        elif mark.isspace() or mark in _SENTENCE_END:
            yield position, not any(opened.values())


def _after_run(text: str, run: re.Match[str], opened: int) -> int:
    """How many emphasis marks are open after this run of them."""
    before = text[run.start() - 1 : run.start()] if run.start() else ""
    after = text[run.end() : run.end() + 1]
    count = len(run.group())
    if opened and before and not before.isspace():
        return max(0, opened - count)
    within_word = run.group()[0] == "_" and before.isalnum()
    opens = bool(after) and not after.isspace() and not within_word
    return opened + count if opens else opened


def _whole_character(text: str) -> int:
    """The last place in the second half that does not divide a combined character, else the end."""
    for position in range(len(text) - 1, len(text) // 2, -1):
        char, before = text[position], text[position - 1]
        if char in _JOINERS or before == "\u200d" or unicodedata.combining(char):
            continue
        if unicodedata.category(char) == "Sk" or "\U0001f1e6" <= char <= "\U0001f1ff" or char == "\n":
            continue
        return position
    return len(text)
