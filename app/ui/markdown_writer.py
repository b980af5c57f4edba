"""Blocks of Markdown written at the end of a text document, without HTML in between."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from markdown_it.token import Token
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextList,
    QTextListFormat,
)

from app.chat.blocks import Block
from app.ui.direction import is_right_to_left
from app.ui.inline_writer import write_inline
from app.ui.markdown_parser import parse_block
from app.ui.table_writer import table_rows, write_table
from app.ui.text_style import GAP, INDENT, ITEM_GAP, PAD, TextStyle

__all__ = ["MarkdownWriter", "Place"]

_BULLETS = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the next block goes.

    Attributes:
        position: of the cursor, at the end of what was written.
        after: what stands above; nothing means that the document's first text block is to be used.
        fence: whether a code fence is open, and has lines.
    """

    position: int = 0
    after: Literal["nothing", "text", "panel"] = "nothing"
    fence: Literal["closed", "opened", "lines"] = "closed"


@dataclass(slots=True)
class _List:
    """A list being written; `list` is None before its first item."""

    format: QTextListFormat
    list: QTextList | None = None


class MarkdownWriter:
    """Writes at the end of a document. Set `place` back to write the same part anew."""

    def __init__(self, document: QTextDocument, style: TextStyle) -> None:
        self.place = Place()
        self.style = style
        self._cursor = QTextCursor(document)
        self._lists: list[_List] = []
        self._quotes = 0
        self._heading = 0
        self._item = False
        self._first_gap: float | None = None

    def write(self, block: Block) -> None:
        """Writes one block below what stands there."""
        self._cursor.setPosition(self.place.position)
        self._first_gap = {"continuation": 0.0, "joined": ITEM_GAP, "rows": 0.0}.get(block.kind)
        if block.kind == "fence":
            fence: Literal["closed", "opened"] = "opened" if self.place.fence == "closed" else "closed"
            self.place = replace(self.place, fence=fence)
        elif block.kind == "code":
            self._write_code(block)
            self.place = replace(self.place, fence="lines")
        else:
            self.place = replace(self.place, fence="closed")
            self._write_tokens(parse_block(block))
        self.place = replace(self.place, position=self._cursor.position())

    def _write_tokens(self, tokens: Sequence[Token]) -> None:
        table: list[Token] = []
        for token in tokens:
            if table or token.type == "table_open":
                table.append(token)
            else:
                self._write_token(token)
            if token.type == "table_close":
                self._write_table(table)
                table = []

    def _write_token(self, token: Token) -> None:
        match token.type:
            case "inline":
                self._write_paragraph(token)
            case "heading_open" | "heading_close":
                self._heading = int(token.tag[1]) if token.nesting > 0 else 0
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case "bullet_list_open" | "ordered_list_open":
                self._lists.append(_List(self._list_format(token)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._item = True
            case "list_item_close" if self._item:
                self._begin(self._paragraph(), ITEM_GAP, self.style.text())
            case "fence" | "code_block":
                self._write_code(Block(token.content, "code", token.info.strip()))
            case "hr":
                self._begin(self.style.rule(), GAP, self.style.text())

    def _paragraph(self, text: str = "") -> QTextBlockFormat:
        return self.style.paragraph(len(self._lists), self._quotes, is_right_to_left(text))

    def _list_format(self, token: Token) -> QTextListFormat:
        """A list one level inside the lists around it; numbers of three digits take a level more."""
        depth = len(self._lists) + 1
        start = int(token.attrs.get("start", 1))
        look = QTextListFormat()
        look.setStyle(_BULLETS[(depth - 1) % len(_BULLETS)])
        if token.type == "ordered_list_open":
            look.setStyle(QTextListFormat.Style.ListDecimal)
            look.setStart(start)
            look.setNumberSuffix(token.markup)
        look.setIndent(depth + (start > 90))
        return look

    def _begin(self, block: QTextBlockFormat, gap: float, text: QTextCharFormat) -> None:
        """Begins a text block `gap` below the one above; the first of an item gets its mark."""
        above = gap if self._first_gap is None else self._first_gap
        self._first_gap = None
        if self.place.after == "nothing":
            above = 0.0
        block.setTopMargin(above + block.topMargin() + PAD * (self.place.after == "panel"))
        if self._item:
            block.setIndent(0)
        if self.place.after == "nothing" and not block.topMargin():
            self._cursor.setBlockFormat(block)
            self._cursor.setBlockCharFormat(text)
        else:
            # Qt drops the upper margin of the first block: then it is a thin one.
            if self.place.after == "nothing":
                self._cursor.setBlockFormat(self.style.thin())
            self._cursor.insertBlock(block, text)
        if self._item:
            self._join_list()
        self.place = replace(self.place, after="text")

    def _join_list(self) -> None:
        self._item = False
        current = self._lists[-1]
        if current.list is None:
            current.list = self._cursor.createList(current.format)
        else:
            current.list.add(self._cursor.block())

    def _write_paragraph(self, token: Token) -> None:
        text = self.style.text(self._heading)
        begins_list = self._item and len(self._lists) == 1 and self._lists[0].list is None
        gap = ITEM_GAP if self._lists and not begins_list else GAP * (1 + 0.8 * bool(self._heading))
        self._begin(self._paragraph(token.content), gap, text)
        write_inline(self._cursor, token.children or [], self.style, text)

    def _write_code(self, block: Block) -> None:
        """Writes lines of code, on a new panel unless an open fence goes on."""
        first, *rest = (_dedent(line, block.indent) for line in block.source.removesuffix("\n").split("\n"))
        plain = self.style.code_line(len(self._lists), self._quotes)
        if self.place.fence == "lines":
            self.place = replace(self.place, after="text")
            self._begin(plain, 0.0, self.style.code())
        else:
            language = block.context.partition(" ")[0]
            top = self.style.code_line(len(self._lists), self._quotes, language)
            top.setTopMargin(PAD + self.style.label_height * bool(language))
            self._begin(top, GAP, self.style.code())
        self._cursor.insertText(first)
        if rest:
            self._cursor.insertBlock(plain, self.style.code())
            self._cursor.insertText("\n".join(rest))
        self.place = replace(self.place, after="panel")

    def _write_table(self, tokens: Sequence[Token]) -> None:
        self._begin(self.style.thin(), GAP, self.style.text())
        write_table(self._cursor, table_rows(tokens), self.style, self._quotes * INDENT)
        self._cursor.setBlockFormat(self.style.thin())


def _dedent(line: str, most: int) -> str:
    """Takes up to `most` leading spaces off."""
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(most, spaces) :]
