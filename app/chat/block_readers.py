"""How the lines of a growing Markdown text are read: as prose, or as the lines of an open code fence."""

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from app.chat.block_cuts import Fence, Top, balanced_cut, open_fence, top_level

__all__ = ["CONTINUATION", "Block", "Code", "Kind", "Prose", "Reading"]

Kind = Literal["markdown", "joined", "continuation", "rows", "fence", "code"]
"""What a source is: whole top-level blocks; Markdown that goes on without a gap (list items, quoted
lines); the rest of a cut paragraph; the rest of a cut table; one fence line; lines of code."""

SOFT_LIMIT = 2_000
"""Characters from which a paragraph, list or quote is cut."""
HARD_LIMIT = 8_000
"""Characters from which a table or a single list item is cut."""
TABLE_LINES = 42
"""Lines from which a table is cut: laying one out takes time with its cells."""
CODE_LINES = 50
CODE_LIMIT = 4_000
CONTINUATION = "x "
"""Put before the rest of a cut paragraph, so that its first characters are read as text."""

_BEGINS_BLOCK = re.compile(r" {0,3}[#`~>\-*+|_=\d]")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the text. The sources of all blocks, joined, are the text.

    Attributes:
        source: the characters it covers.
        kind: how they are to be read.
        context: the info string of code and of the fence that opens it; the header lines of `rows`.
        indent: spaces to take off each line of code, as far as it has them.
    """

    source: str
    kind: Kind = "markdown"
    context: str = ""
    indent: int = 0


Reading: TypeAlias = "tuple[list[Block], Prose | Code]"
"""The blocks settled, and who reads on from their end."""


@dataclass(frozen=True, slots=True)
class Code:
    """Reads lines of code up to the closing fence, or to a line less indented than `floor`."""

    fence: Fence
    floor: int = 0

    @property
    def block(self) -> Block:
        """What the unsettled text is, without its source."""
        return Block("", "code", self.fence.info, self.fence.indent)

    def read(self, tail: str, begin: int, whole: bool) -> Reading:
        """Reads the line from `begin` to the end of the unsettled `tail`; `whole` if it starts a line."""
        before, line = tail[:begin], tail[begin:]
        lines = [replace(self.block, source=before)] if before else []
        if whole and self._is_closing(line):
            return [*lines, Block(line, "fence")], Prose()
        if whole and self._is_outside(line):
            settled, reader = Prose().read(line, 0, True)
            return [*lines, *settled], reader
        if tail.count("\n") >= CODE_LINES or len(tail) >= CODE_LIMIT:
            return [replace(self.block, source=tail)], self
        return [], self

    def close(self, tail: str) -> list[Block]:
        """Settles the rest: no more text will come."""
        return [replace(self.block, source=tail)] if tail else []

    def _is_closing(self, line: str) -> bool:
        mark = self.fence.markup
        return bool(re.fullmatch(rf" {{0,{self.floor + 3}}}{mark}{mark[0]}*[ \t\r]*\n?", line))

    def _is_outside(self, line: str) -> bool:
        return bool(line.strip()) and len(line) - len(line.lstrip(" ")) < self.floor


@dataclass(frozen=True, slots=True)
class Prose:
    """Reads everything that is not a line of code.

    Attributes:
        block: what the unsettled text is, without its source.
        limit: characters from which it is cut.
        container: first characters of lines that go on with the open list, quote or table.
        after_blank: whether the line before was blank.
    """

    block: Block = field(default_factory=lambda: Block(""))
    limit: int = SOFT_LIMIT
    container: str = ""
    after_blank: bool = True

    def read(self, tail: str, begin: int, whole: bool) -> Reading:
        """Reads the line from `begin` to the end of the unsettled `tail`; `whole` if it starts a line."""
        line = tail[begin:]
        settled: list[Block] = []
        reader: Prose | Code = self
        if self._is_full(tail):
            settled, reader = self._shorten(tail)
        elif whole and self._may_begin_block(line):
            settled, reader = self._divide(tail)
        if isinstance(reader, Prose):
            reader = replace(reader, after_blank=not line.strip())
        return settled, reader

    def close(self, tail: str) -> list[Block]:
        """Settles the rest: no more text will come."""
        settled, reader = self._divide(tail)
        rest = tail[sum(len(block.source) for block in settled) :]
        return [*settled, replace(reader.block, source=rest)] if rest else settled

    def _is_full(self, tail: str) -> bool:
        lines = tail.count("\n") if self.container == "|" else 0
        return len(tail) >= self.limit or lines >= TABLE_LINES

    def _may_begin_block(self, line: str) -> bool:
        """Whether to look for a new block. A miss only settles the blocks before it later."""
        if _FENCE.match(line):
            return True
        if not line.strip() or line.startswith(tuple(self.container)):
            return False
        return self.after_blank or bool(_BEGINS_BLOCK.match(line))

    def _tops(self, tail: str) -> list[Top]:
        """The top-level blocks of `tail`; the first starts where it does."""
        lead = CONTINUATION if self.block.kind == "continuation" else ""
        lead = self.block.context if self.block.kind == "rows" else lead
        return [
            replace(
                top,
                start=max(0, top.start - len(lead)) if index else 0,
                items=tuple(item - len(lead) for item in top.items),
            )
            for index, top in enumerate(top_level(lead + tail))
        ]

    def _divide(self, tail: str) -> Reading:
        """Settles every top-level block but the last, which is open."""
        tops = self._tops(tail)
        if not tops:
            return [], self
        ends = [top.start for top in tops[1:]]
        sources = [tail[start:end] for start, end in pairwise([0, *ends])]
        settled = [
            replace(self.block if not index else Block(""), source=source)
            for index, source in enumerate(sources)
        ]
        last, rest = tops[-1], tail[tops[-1].start :]
        if last.type == "fence":
            fence = Fence(last.markup, last.info.strip(), rest.lstrip("\r\n").index(last.markup))
            return [*settled, Block(rest, "fence", fence.info)], Code(fence)
        reader = Prose() if settled else self
        return settled, replace(reader, container=_container(last))

    def _shorten(self, tail: str) -> Reading:
        """Settles what it can of a tail that has reached its limit."""
        settled, reader = self._divide(tail)
        rest = tail[sum(len(block.source) for block in settled) :]
        if isinstance(reader, Code) or not reader._is_full(rest):
            return settled, reader
        more, reader = reader._cut(rest)
        return [*settled, *more], reader

    def _cut(self, tail: str) -> Reading:
        """Cuts one top-level block that has reached its limit, or raises the limit."""
        tops = self._tops(tail)
        top = tops[0] if tops else Top("blank", 0)
        position, following = _cut_between_lines(top, tail, self)
        if position:
            return [replace(self.block, source=tail[:position])], following
        if top.type in _GROWING and self.limit < HARD_LIMIT:
            return [], replace(self, limit=HARD_LIMIT)
        fence = open_fence(tail) if tail.endswith("\n") else None
        if fence:
            return [replace(self.block, source=tail)], Code(fence, floor=fence.indent)
        position = balanced_cut(tail)
        following = Prose(Block("", "continuation"))
        return [replace(self.block, source=tail[:position])], following


_GROWING = {"bullet_list_open", "ordered_list_open", "table_open"}


def _container(top: Top) -> str:
    marks = {"blockquote_open": ">", "table_open": "|", "ordered_list_open": " \t0123456789"}
    return " \t" + top.markup if top.type == "bullet_list_open" else marks.get(top.type, "")


def _cut_between_lines(top: Top, tail: str, reader: Prose) -> tuple[int, Prose]:
    """Where a list, table, quote or indented code is cut (0: nowhere), and who reads on."""
    last_line = len(tail) if tail.endswith("\n") else tail.rfind("\n") + 1
    joined = Prose(Block("", "joined"), container=_container(top))
    if top.type in ("bullet_list_open", "ordered_list_open"):
        return (top.items[-1] if top.items else 0), joined
    if top.type in ("blockquote_open", "code_block", "blank"):
        return last_line, joined
    if top.type == "table_open" and (len(tail) >= HARD_LIMIT or tail.count("\n") >= TABLE_LINES):
        header = reader.block.context or "".join(tail.lstrip("\r\n").splitlines(keepends=True)[:2])
        return last_line, Prose(Block("", "rows", header), container="|", limit=HARD_LIMIT)
    return 0, reader
