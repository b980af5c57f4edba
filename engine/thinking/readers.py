"""The two ways to read marked text: thinking in blocks, and a reply of several messages."""

import re
from collections.abc import Sequence
from typing import Literal

from engine.thinking.format import Area, ReplyFormat
from engine.thinking.marks import cut_at_mark
from engine.thinking.parts import ReplyParts

__all__ = ["BlockReader", "MessageReader"]

HEADER_WORDS = frozenset({"assistant", "analysis", "commentary", "final", "json"})
RECIPIENT = "to="
NO_TOOLS = frozenset({"to=self", "to=user"})

_WORD = re.compile(r"\S{100,}|\S+(?=\s)")
"""A word that has ended, or is longer than any in a header."""


class BlockReader:
    """Reads thinking in blocks. One is opened before any other text or right after another block:
    further on, an answer may be about such marks."""

    def __init__(self, format: ReplyFormat, parts: ReplyParts) -> None:
        self._parts = parts
        self._closing = dict(format.blocks)
        self._answers = dict(format.answers)
        self._answer_end: tuple[str, ...] = ()
        self._control = tuple(format.control)
        self._area: Literal["start", "thinking", "answer"] = "start" if format.blocks else "answer"
        self._opening = ""
        self._empty = True
        self._held = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks to look for now."""
        if self._area == "answer":
            return (*self._answer_end, *self._control)
        if self._area == "start":
            return (*self._closing, *self._answers, *self._control)
        # A model may repeat the mark that the prompt ends with.
        repeated = (self._opening,) if self._empty else ()
        return (self._closing[self._opening], *repeated, *self._control)

    def begin(self, prompt_end: str) -> None:
        """Reads the end of the prompt."""
        end = prompt_end.rstrip()
        for opening in self._closing:
            if end.endswith(opening):
                self._open(opening)

    def resume(self) -> None:
        """What was held back so far has been shown."""
        self._held = ""

    def text(self, text: str) -> None:
        """Reads text without a mark."""
        if self._area == "thinking":
            self._empty = self._empty and not text.strip()
            self._parts.think(text)
            return
        if self._area == "start" or self._held:
            if not text.strip():
                self._held += text
                return
            text, self._held = self._held + text, ""
            self._area = "answer"
        self._parts.answer(text)

    def mark(self, mark: str) -> None:
        """Reads one of `marks`."""
        if self._area == "start" and mark in self._closing:
            self._open(mark)
        elif self._area == "thinking" and mark == self._closing[self._opening]:
            self._area = "start"
            self._parts.begin("answer")
        elif self._area == "start" and mark in self._answers:
            self._area, self._held = "answer", ""
            self._answer_end = tuple({self._answers[mark]} - set(self._control))
            self._parts.begin("answer")
        elif mark in self._answer_end:
            # More text may follow: then the mark is what the answer is about.
            self._held += mark

    def end(self) -> None:
        """The reply has ended."""
        if self._area == "start":
            self._parts.answer(self._held)

    def _open(self, opening: str) -> None:
        self._area, self._opening, self._empty, self._held = "thinking", opening, True, ""
        self._parts.begin("thinking")


class MessageReader:
    """Reads a reply of several messages, each with a header that says where it goes."""

    def __init__(self, format: ReplyFormat, parts: ReplyParts) -> None:
        self._parts = parts
        self._steps = format.messages
        self._area: Area = "answer"
        self._header = ""
        self.marks = tuple(format.messages.keys() | format.control)

    def begin(self, prompt_end: str) -> None:
        """Reads the end of the prompt: it may end in a header, or in a message."""
        rest = prompt_end
        while rest:
            before, mark, rest = cut_at_mark(rest, self.marks, final=True)
            if self._area == "header":
                self._header += before
            if mark:
                self.mark(mark)
        self._header += " "

    def resume(self) -> None:
        """What was held back so far has been shown."""
        self.end()

    def text(self, text: str) -> None:
        """Reads text without a mark."""
        match self._area:
            case "thinking":
                self._parts.think(text)
            case "answer":
                self._parts.answer(text)
            case "header":
                self._header += text
                self._leave_header(self._header)

    def mark(self, mark: str) -> None:
        """Reads one of `marks`."""
        step = self._steps.get(mark)
        if step is None:  # A control token that is a part of one.
            return
        if step == "header":
            self._header = self._header + " " if self._area == "header" else ""
            self._area = "header"
        elif step != "body":
            self._enter(step)
        elif self._area == "header":
            self._enter(_area(self._header.split()))

    def end(self) -> None:
        """The reply has ended."""
        last = self._header.split(" ")[-1]
        if self._area == "header" and not any(word.startswith(last) for word in (*HEADER_WORDS, RECIPIENT)):
            self._leave_header(self._header + "\n")

    def _leave_header(self, header: str) -> None:
        """Goes over to the answer at a word that is in no header: the model left its marks out."""
        for word in _WORD.finditer(header):
            if word.group() not in HEADER_WORDS and not word.group().startswith(RECIPIENT):
                self._area = "answer"
                self._parts.answer(self._header[word.start() :])
                return

    def _enter(self, area: Area) -> None:
        self._area = area
        if area == "thinking" or area == "answer":
            self._parts.begin(area)


def _area(header: Sequence[str]) -> Area:
    """Where a message with these words in its header goes."""
    if any(word.startswith(RECIPIENT) and word not in NO_TOOLS for word in header):
        return "hidden"
    if "analysis" in header or "to=self" in header:
        return "thinking"
    return "hidden" if "commentary" in header else "answer"
