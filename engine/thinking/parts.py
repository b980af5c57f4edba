"""A reply's two texts, thinking and answer, as they are gathered while it streams."""

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["Piece", "ReplyParts"]

LINE_ENDS = "\r\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """New text of a reply. The thinking comes before the answer."""

    thinking: str = ""
    answer: str = ""


class ReplyParts:
    """Gathers pieces. Line ends around a block of either text are not part of it."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        # Line ends that end the thinking are known as such once it goes on.
        self._thinking = _Part(holds_end=True)
        self._answer = _Part(holds_end=False)

    def begin(self, area: Literal["thinking", "answer"]) -> None:
        """A block of one of the texts begins."""
        (self._thinking if area == "thinking" else self._answer).begin()

    def think(self, text: str) -> None:
        """More thinking."""
        new = self._thinking.add(text)
        if not new:
            return
        if not self._pieces or self._pieces[-1].answer:
            self._pieces.append(Piece())
        last = self._pieces[-1]
        self._pieces[-1] = replace(last, thinking=last.thinking + new)

    def answer(self, text: str) -> None:
        """More of the answer."""
        new = self._answer.add(text)
        if new:
            last = self._pieces.pop() if self._pieces else Piece()
            self._pieces.append(replace(last, answer=last.answer + new))

    def take(self) -> list[Piece]:
        """What was gathered since the last time."""
        pieces, self._pieces = self._pieces, []
        return pieces


class _Part:
    """One of the texts; an empty line divides its blocks."""

    def __init__(self, holds_end: bool) -> None:
        self._holds_end = holds_end
        self._begins = False
        self._any = False
        self._waiting = ""

    def begin(self) -> None:
        self._begins = True
        self._waiting = "\n\n" if self._any else ""

    def add(self, text: str) -> str:
        """Returns: what of it may be shown now, after what waited."""
        if self._begins:
            text = text.lstrip(LINE_ENDS)
        body = text.rstrip(LINE_ENDS) if self._holds_end else text
        if not body:
            self._waiting += text
            return ""
        new, self._waiting = self._waiting + body, text[len(body) :]
        self._begins, self._any = False, True
        return new
