"""The blocks of a growing Markdown text: the settled ones, which never change, and the open one."""

from dataclasses import replace

from app.chat.block_readers import Block, Code, Kind, Prose

__all__ = ["Block", "BlockStream", "Kind"]

LONGEST_PIECE = 2_000
"""Characters after which a line is looked at before it has ended."""


class BlockStream:
    """Divides text as it comes. What stands in `settled` depends on the text so far alone.

    Decisions are made at fixed places, line ends and every `LONGEST_PIECE` characters of a line,
    on the text up to there: the pieces in which it was fed do not matter. Settled text is never
    looked at again.
    """

    def __init__(self) -> None:
        self.settled: list[Block] = []
        self._reader: Prose | Code = Prose()
        self._text = ""
        self._start = 0
        self._seen = 0
        self._at_line_start = True

    @property
    def open(self) -> Block | None:
        """The block at the end, which the next characters may change; None at the start of one."""
        tail = self._text[self._start :]
        return replace(self._reader.block, source=tail) if tail else None

    def feed(self, text: str) -> None:
        """Appends `text`."""
        self._text += text
        while (end := self._next_end()) <= len(self._text):
            self._read(end)
        self._text = self._text[self._start :]
        self._seen -= self._start
        self._start = 0

    def finish(self) -> None:
        """Settles everything: no more text will come."""
        if self._seen < len(self._text):
            self._read(len(self._text))
        self.settled += self._reader.close(self._text[self._start :])
        self._start = self._seen

    def _next_end(self) -> int:
        """Where the next line, or piece of a long one, ends."""
        longest = self._seen + LONGEST_PIECE
        newline = self._text.find("\n", self._seen, longest)
        return newline + 1 if newline >= 0 else longest

    def _read(self, end: int) -> None:
        tail = self._text[self._start : end]
        settled, self._reader = self._reader.read(tail, self._seen - self._start, self._at_line_start)
        self.settled += settled
        self._start += sum(len(block.source) for block in settled)
        self._seen = end
        self._at_line_start = tail.endswith("\n")
