"""From a reply's tokens to its text: incomplete characters and stop strings are held back."""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Decode", "Detokenizer", "ReplyText", "StopStrings", "decoder"]

Decode = Callable[[Sequence[int]], str]
"""A tokenizer's ids to text."""

WINDOW = 8
"""Tokens decoded together before the window moves on; a character spans at most 4 byte tokens."""

LONGEST_WINDOW = 64
"""Tokens after which the window moves on even where no whole character begins (a row of invalid bytes)."""

PARTIAL_MARKS = 3
"""U+FFFD that one incomplete character decodes to, at most: some decoders write one for each byte."""


def decoder(tokenizer: Any) -> Decode:
    """How a reply's ids become text: control tokens have none, and no space is tidied away."""

    def decode(tokens: Sequence[int]) -> str:
        text: str = tokenizer.decode(
            list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text

    return decode


class Detokenizer:
    """Turns tokens into text one at a time; the joined deltas are what decoding all of them gives.

    A window of recent tokens is decoded again at each step, so tokenizers whose tokens mean other
    text at the start of a sequence are right too, and the work per token does not grow with the reply.
    """

    def __init__(self, decode: Decode, context: Sequence[int] = ()) -> None:
        """`context` are ids that came before, whose text is already shown (a continued reply)."""
        self._decode = decode
        self._window = list(context[-WINDOW:])
        self._shown = len(_whole(decode(self._window))) if self._window else 0

    def push(self, token: int) -> str:
        """The text that `token` completes; empty while a character is incomplete."""
        self._window.append(token)
        text = _whole(self._decode(self._window))
        delta = text[self._shown :]
        self._shown = max(self._shown, len(text))
        if len(self._window) >= 2 * WINDOW:
            self._advance(text)
        return delta

    def _advance(self, text: str) -> None:
        """Drops the older half of the window where the newer half decodes to the same text."""
        for keep in range(WINDOW, len(self._window)):
            newer = _whole(self._decode(self._window[-keep:]))
            # A tokenizer may drop the space that a sequence begins with.
            if text.endswith(newer.lstrip(" ")) or len(self._window) >= LONGEST_WINDOW:
                del self._window[:-keep]
                self._shown = len(newer)
                return


def _whole(text: str) -> str:
    """`text` without the marks of a character that is still incomplete."""
    marks = len(text) - len(text.rstrip("\ufffd"))
    return text[: len(text) - min(marks, PARTIAL_MARKS)]


class StopStrings:
    """Finds stop strings in streamed text, holding back no more than what may still become one."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stops)
        self._held = ""

    def push(self, text: str) -> tuple[str, bool]:
        """Returns: the text that may be shown now, and whether a stop string was reached."""
        text = self._held + text
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self._held = ""
            return text[: min(found)], True
        keep = self._possible_start(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], False

    def flush(self) -> str:
        """The text still held back: it did not become a stop string."""
        held, self._held = self._held, ""
        return held

    def _possible_start(self, text: str) -> int:
        """The length of the longest end of `text` that begins a stop string."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for length in range(min(longest, len(text)), 0, -1):
            tail = text[-length:]
            if any(stop.startswith(tail) for stop in self._stops):
                return length
        return 0


class ReplyText:
    """One reply's text as it may be shown."""

    def __init__(self, decode: Decode, stops: Sequence[str], context: Sequence[int] = ()) -> None:
        self._detokenizer = Detokenizer(decode, context)
        self._stops = StopStrings(stops)

    def push(self, token: int) -> tuple[str, bool]:
        """Returns: new text to show, and whether a stop string ended the reply."""
        return self._stops.push(self._detokenizer.push(token))

    def flush(self) -> str:
        """What a reply that ends now still shows. An incomplete character is dropped: a
        continued reply completes it."""
        return self._stops.flush()
