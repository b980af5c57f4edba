"""Text documents made from Markdown, and what can be read off them."""

from collections.abc import Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextDocument, QTextTable

from app.chat.blocks import BlockStream
from app.ui.markdown_writer import MarkdownWriter
from app.ui.text_style import TextStyle
from app.ui.theme import Theme
from tests.app.ui.palettes import light


def style() -> TextStyle:
    """A light style."""
    font = QFont()
    font.setPointSizeF(12)
    return TextStyle(Theme.of(light()), font)


def written(text: str) -> QTextDocument:
    """A document with the whole of a text."""
    document = QTextDocument()
    writer = MarkdownWriter(document, style())
    stream = BlockStream()
    stream.feed(text)
    stream.finish()
    for block in stream.settled:
        writer.write(block)
    return document


def blocks(document: QTextDocument) -> list[QTextBlock]:
    """The text blocks in order, those in tables included."""
    found: list[QTextBlock] = []
    block = document.begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def lines(document: QTextDocument) -> list[str]:
    """The text of each block that has any."""
    return [block.text() for block in blocks(document) if block.text()]


def fragments(document: QTextDocument) -> Iterator[tuple[str, QTextCharFormat]]:
    """Each run of text with its format."""
    for block in blocks(document):
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            yield fragment.text(), fragment.charFormat()
            iterator += 1


def look_of(document: QTextDocument, text: str) -> QTextCharFormat:
    """The format of the run that is this text."""
    return next(look for run, look in fragments(document) if run == text)


def tables(document: QTextDocument) -> list[QTextTable]:
    """The tables in order."""
    return [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
