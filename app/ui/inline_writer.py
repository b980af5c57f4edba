"""Inline Markdown written at a text cursor: emphasis, code, links, line breaks, names of images."""

from collections.abc import Sequence
from html import escape

from markdown_it.token import Token
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor

from app.ui.text_style import TextStyle

__all__ = ["LINE_SEPARATOR", "link_tip", "write_inline"]

LINE_SEPARATOR = "\u2028"


def link_tip(address: str) -> str:
    """The tool tip of a link: where it really leads, as text whatever it contains."""
    return f"<qt>{escape(address)}</qt>"


def write_inline(
    cursor: QTextCursor, tokens: Sequence[Token], style: TextStyle, base: QTextCharFormat
) -> None:
    """Writes the children of an inline token. Nothing is ever read as HTML, nothing is loaded."""
    formats = [base]
    for token in tokens:
        if token.nesting < 0:
            formats.pop()
        elif token.nesting > 0:
            formats.append(_inside(token, style, formats[-1]))
        elif token.type in ("softbreak", "hardbreak"):
            cursor.insertText(LINE_SEPARATOR, formats[-1])
        else:
            _write_leaf(cursor, token, style, formats[-1])


def _inside(token: Token, style: TextStyle, around: QTextCharFormat) -> QTextCharFormat:
    """The format between an opening token and its closing one."""
    inside = QTextCharFormat(around)
    match token.type:
        case "strong_open":
            inside.setFontWeight(QFont.Weight.Bold)
        case "em_open":
            inside.setFontItalic(True)
        case "s_open":
            inside.setFontStrikeOut(True)
        case "link_open":
            address = str(token.attrs.get("href", ""))
            inside.merge(style.link(address, link_tip(address)))
    return inside


def _write_leaf(cursor: QTextCursor, token: Token, style: TextStyle, around: QTextCharFormat) -> None:
    leaf, text = QTextCharFormat(around), token.content
    if token.type == "code_inline":
        foreground = leaf.foreground()
        leaf.merge(style.code())
        leaf.setForeground(foreground)
        leaf.setBackground(style.theme.panel)
    elif token.type == "image":
        leaf.setForeground(style.theme.quiet)
        text = f"[Image: {token.content} {token.attrs.get('src', '')}]"
    cursor.insertText(text, leaf)
