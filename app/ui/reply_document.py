"""A text document that follows a block stream: settled blocks are written once, the open one anew."""

import re
from dataclasses import replace

from PySide6.QtGui import QTextCursor, QTextDocument

from app.chat.blocks import Block, BlockStream
from app.ui.markdown_writer import MarkdownWriter, Place
from app.ui.text_style import TextStyle

__all__ = ["ReplyDocument"]

MOST_AT_ONCE = 20_000
"""Characters written in one update; a long history comes in several."""

_FENCE_BEGUN = re.compile(r"(?:^|\n) {0,3}(?:`+|~+)$")


class ReplyDocument:
    """Shows a stream in a document.

    Attributes:
        stream: the text so far.
        written: characters of source written so far, those written again included.
    """

    def __init__(self, document: QTextDocument, style: TextStyle) -> None:
        self.stream = BlockStream()
        self.written = 0
        self._document = document
        self._style = style
        self._writer = MarkdownWriter(document, style)
        self._settled = 0
        self._end = Place()

    @property
    def settled_end(self) -> int:
        """The position from which the next update may change the document."""
        return self._end.position

    def update(self) -> bool:
        """Writes what is new; False when some of it is left for another update."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        self._remove_open(cursor)
        complete = self._write_settled()
        self._end = self._writer.place
        if complete and self.stream.open:
            self._write_open(self.stream.open)
        cursor.endEditBlock()
        return complete

    def restyle(self, style: TextStyle) -> None:
        """Writes all of it anew, in other fonts and colours."""
        self._style = style
        self._clear()
        while not self.update():
            pass

    def restart(self) -> None:
        """Forgets the text."""
        self.stream = BlockStream()
        self._clear()

    def _clear(self) -> None:
        self._document.clear()
        self._writer = MarkdownWriter(self._document, self._style)
        self._settled = 0
        self._end = Place()

    def _remove_open(self, cursor: QTextCursor) -> None:
        cursor.setPosition(self._end.position)
        kept = cursor.blockFormat()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        # An empty block would take the format of what was removed.
        cursor.setBlockFormat(kept)
        self._writer.place = self._end

    def _write_open(self, block: Block) -> None:
        # The first marks of a closing fence would flash as code.
        source = _FENCE_BEGUN.sub("", block.source) if block.kind == "code" else block.source
        if source:
            self._writer.write(replace(block, source=source))
            self.written += len(source)

    def _write_settled(self) -> bool:
        most = self.written + MOST_AT_ONCE
        for block in self.stream.settled[self._settled :]:
            if self.written >= most:
                return False
            self._writer.write(block)
            self._settled += 1
            self.written += len(block.source)
        return True
