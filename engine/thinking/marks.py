"""Marks in streamed text: where the next one is, and what may still become one."""

from collections.abc import Iterable

__all__ = ["cut_at_mark", "possible_start"]


def cut_at_mark(text: str, marks: Iterable[str], final: bool) -> tuple[str, str, str]:
    """Divides text at the first mark in it; where several begin, at the longest.

    Returns: the text before the mark, the mark, and the rest. Without a mark, the rest is the end of
        `text` that may still become one; none when the text is `final`.
    """
    marks = tuple(marks)
    found = min(
        ((at, -len(mark), mark) for mark in marks if (at := text.find(mark)) >= 0), default=(len(text), 0, "")
    )
    at, _, mark = found
    unfinished = len(text) if final else len(text) - possible_start(text, marks)
    if mark and at < unfinished:
        return text[:at], mark, text[at + len(mark) :]
    return text[:unfinished], "", text[unfinished:]


def possible_start(text: str, marks: Iterable[str]) -> int:
    """The length of the longest end of `text` that begins one of `marks` and is not all of it."""
    starts = (
        length
        for mark in marks
        for length in range(min(len(mark) - 1, len(text)), 0, -1)
        if text.endswith(mark[:length])
    )
    return max(starts, default=0)
