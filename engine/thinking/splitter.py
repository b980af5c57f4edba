"""The splitter: one reply's text into thinking and answer, while it streams."""

from engine.thinking.format import ReplyFormat
from engine.thinking.marks import cut_at_mark
from engine.thinking.parts import Piece, ReplyParts
from engine.thinking.readers import BlockReader, MessageReader

__all__ = ["Splitter"]


class Splitter:
    """Divides one reply's text, which comes cut anywhere. Holds back only what may still become a mark."""

    def __init__(self, format: ReplyFormat, prompt_end: str = "", shown: str = "") -> None:
        """`prompt_end` is the end of the prompt, control tokens included: it may have opened the
        thinking. `shown` is the text of a reply to go on from, marks included."""
        self._parts = ReplyParts()
        self._reader = (MessageReader if format.messages else BlockReader)(format, self._parts)
        self._reader.begin(prompt_end)
        self._held = ""
        self._shown = 0
        if shown:
            self.push(shown)
            # What is held back now was shown when that reply ended.
            self._shown = len(self._held)
            self._reader.resume()
            self._parts.take()

    def push(self, text: str) -> list[Piece]:
        """What may be shown now."""
        self._held += text
        self._read(final=False)
        return self._parts.take()

    def flush(self) -> list[Piece]:
        """What was held back: it did not become a mark."""
        self._read(final=True)
        self._reader.end()
        return self._parts.take()

    def _read(self, final: bool) -> None:
        while True:
            marks = self._reader.marks
            before, mark, rest = cut_at_mark(self._held, marks, final)
            self._reader.text(self._new(before))
            if self._reader.marks != marks:  # Behind that text, others count.
                self._held = mark + rest
                continue
            self._held = rest
            if not mark:
                return
            self._new(mark)
            self._reader.mark(mark)

    def _new(self, text: str) -> str:
        """What of `text`, which is no longer held back, is not shown yet."""
        new = text[self._shown :]
        self._shown = max(0, self._shown - len(text))
        return new
