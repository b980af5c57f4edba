"""From a reply's tokens to its text: incomplete characters, marks and stop strings are held back."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.thinking.format import PLAIN, ReplyFormat, reply_format
from engine.thinking.marks import possible_start
from engine.thinking.parts import Piece
from engine.thinking.splitter import Splitter

__all__ = ["Decode", "Detokenizer", "Piece", "ReplyText", "StopStrings", "TextOf", "decoder", "text_of"]

Decode = Callable[[Sequence[int]], str]
"""A tokenizer's ids to text."""

WINDOW = 8
"""Tokens decoded together before the window moves on; a character spans at most 4 byte tokens."""

LONGEST_WINDOW = 64
"""Tokens after which the window moves on even where no whole character begins (a row of invalid bytes)."""

PARTIAL_MARKS = 3
"""U+FFFD that one incomplete character decodes to, at most: some decoders write one for each byte."""


PROMPT_END = 16
"""Tokens of a prompt's end that are looked at for a mark that the template opened."""


def decoder(tokenizer: Any, kept: Collection[str] = ()) -> Decode:
    """How ids become text: control tokens but those in `kept` have none, and no space is tidied away."""
    added: Mapping[int, Any] = tokenizer.added_tokens_decoder
    control = {id for id, token in added.items() if token.special} | set(tokenizer.all_special_ids)
    dropped = control - {id for id, token in added.items() if str(token) in kept}

    def decode(tokens: Sequence[int]) -> str:
        text: str = tokenizer.decode(
            [token for token in tokens if token not in dropped],
            skip_special_tokens=False,
            clean_up_tokenization_spaces=False,
        )
        return text

    return decode


@dataclass(frozen=True, slots=True)
class TextOf:
    """One model's replies as text.

    Attributes:
        decode: ids to text, with the control tokens that are marks.
        format: how the model marks what it thinks.
        decode_prompt: ids to text, with all control tokens.
    """

    decode: Decode
    format: ReplyFormat = PLAIN
    decode_prompt: Decode = lambda tokens: ""  # noqa: ARG005

    def reply(self, prompt: Sequence[int], continues: Sequence[int], stops: Sequence[str]) -> "ReplyText":
        """The text of a new reply to `prompt` that goes on from the ids in `continues`."""
        end = self.decode_prompt(prompt[-PROMPT_END:])
        return ReplyText(self.decode, stops, continues, self.format, end)


def text_of(tokenizer: Any) -> TextOf:
    """How a model's replies are read, by its chat template and its tokens."""
    templates = tokenizer.chat_template or ""
    template = "\n".join(templates.values()) if isinstance(templates, dict) else str(templates)
    control = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    format = reply_format(template, tokenizer.get_vocab(), control)
    every = decoder(tokenizer, control)
    return TextOf(decoder(tokenizer, format.control), format, every)


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
        keep = possible_start(text, self._stops)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], False

    def flush(self) -> str:
        """The text still held back: it did not become a stop string."""
        held, self._held = self._held, ""
        return held


class ReplyText:
    """One reply's text as it may be shown."""

    def __init__(
        self,
        decode: Decode,
        stops: Sequence[str],
        context: Sequence[int] = (),
        format: ReplyFormat = PLAIN,
        prompt_end: str = "",
    ) -> None:
        """`context` are the ids of the reply so far, whose text is already shown; `prompt_end`, the text
        before it, control tokens included."""
        self._detokenizer = Detokenizer(decode, context)
        self._splitter = Splitter(format, prompt_end, _whole(decode(context)) if context else "")
        self._stops = StopStrings(stops)

    def push(self, token: int) -> tuple[list[Piece], bool]:
        """Returns: new text to show, and whether a stop string ended the answer."""
        return self._until_stop(self._splitter.push(self._detokenizer.push(token)))

    def flush(self) -> list[Piece]:
        """What a reply that ends now still shows. An incomplete character is dropped: a
        continued reply completes it."""
        pieces, stopped = self._until_stop(self._splitter.flush())
        held = "" if stopped else self._stops.flush()
        return [*pieces, Piece(answer=held)] if held else pieces

    def _until_stop(self, pieces: Sequence[Piece]) -> tuple[list[Piece], bool]:
        shown: list[Piece] = []
        for piece in pieces:
            answer, stopped = self._stops.push(piece.answer)
            if answer or piece.thinking:
                shown.append(Piece(piece.thinking, answer))
            if stopped:
                return shown, True
        return shown, False
