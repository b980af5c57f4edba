"""A streaming reply on its way to the disk: small parts, each written once."""

import asyncio
from collections.abc import Callable, Sequence

from engine.api import Text

__all__ = ["SAVE_CHARACTERS", "SAVE_SECONDS", "Journal"]

SAVE_SECONDS = 1.0
"""Longest time that streamed text stays unsaved."""

SAVE_CHARACTERS = 4096
"""Text that is saved at once when so much came."""


class Journal:
    """Collects what streamed and hands it over a part at a time. Belongs to the loop's thread."""

    def __init__(self, append: Callable[[int, str, str, Sequence[int]], None]) -> None:
        """`append` stores a part: its number from 0 on, its text, its thinking, its ids."""
        self._append = append
        self._unsaved: list[Text] = []
        self._characters = 0
        self._parts = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, event: Text) -> None:
        self._unsaved.append(event)
        self._characters += len(event.text) + len(event.thinking)
        if self._characters >= SAVE_CHARACTERS:
            self.save()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SAVE_SECONDS, self.save)

    def save(self) -> None:
        """Hands over what came since the last time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unsaved:
            text = "".join(event.text for event in self._unsaved)
            thinking = "".join(event.thinking for event in self._unsaved)
            tokens = [token for event in self._unsaved for token in event.tokens]
            self._append(self._parts, text, thinking, tokens)
            self._parts += 1
            self._unsaved.clear()
            self._characters = 0
