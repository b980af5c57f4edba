"""A Markdown table written at a text cursor."""

from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextTable

from app.ui.direction import is_right_to_left
from app.ui.inline_writer import write_inline
from app.ui.text_style import TextStyle

__all__ = ["Cell", "table_rows", "write_table"]

_ALIGNMENTS = {
    "text-align:right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute,
    "text-align:center": Qt.AlignmentFlag.AlignHCenter,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its source and inline tokens, its alignment as CSS, and whether it heads a column."""

    text: str
    inline: Sequence[Token]
    align: str
    header: bool


def table_rows(tokens: Sequence[Token]) -> list[list[Cell]]:
    """The cells between a table's tokens, row by row."""
    rows: list[list[Cell]] = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open") and following is not None:
            align = str(token.attrs.get("style", ""))
            inline = following.children or []
            rows[-1].append(Cell(following.content, inline, align, token.type == "th_open"))
    return rows


def write_table(cursor: QTextCursor, rows: Sequence[Sequence[Cell]], style: TextStyle, margin: float) -> None:
    """Inserts a table and leaves the cursor in the text block after it."""
    columns = len(rows[0])
    table = cursor.insertTable(len(rows), columns, style.table(columns, margin))
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells[:columns]):
            _write_cell(table, row, column, cell, style)
    cursor.setPosition(table.lastPosition() + 1)


def _write_cell(table: QTextTable, row: int, column: int, cell: Cell, style: TextStyle) -> None:
    place = table.cellAt(row, column)
    text = style.text()
    if cell.header:
        text.setFontWeight(QFont.Weight.DemiBold)
        look = QTextCharFormat()
        look.setBackground(style.theme.panel)
        place.setFormat(look)
    cursor = place.firstCursorPosition()
    block = style.cell(is_right_to_left(cell.text))
    if cell.align in _ALIGNMENTS:
        block.setAlignment(_ALIGNMENTS[cell.align])
    cursor.setBlockFormat(block)
    write_inline(cursor, cell.inline, style, text)
