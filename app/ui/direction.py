"""The direction of a text by its first strong character."""

import unicodedata

__all__ = ["is_right_to_left"]


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction of its own is written from right to left."""
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
