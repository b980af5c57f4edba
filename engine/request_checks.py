"""What a request may hold: each function returns it in a form that cannot change, or raises BadRequest."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import SupportsIndex

from engine.errors import BadRequest

__all__ = ["chat", "stop_strings", "token_ids"]


def token_ids(name: str, value: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """`value` as plain integers. `name` is what the caller called it."""
    try:
        return tuple(int(index(id)) for id in value)
    except TypeError as error:
        raise BadRequest(f"{name} takes a list of token ids, whole numbers.") from error


def chat(value: Iterable[Mapping[str, str]]) -> tuple[Mapping[str, str], ...]:
    """Messages of a role and a content each."""
    messages = tuple(value)
    for message in messages:
        parts = [message.get(key) for key in ("role", "content")] if isinstance(message, Mapping) else [None]
        if not all(isinstance(part, str) for part in parts):
            raise BadRequest("messages takes a list of {role, content}, both of them strings.")
    return messages


def stop_strings(value: Iterable[str]) -> tuple[str, ...]:
    """Strings, none of them empty."""
    wrong = BadRequest("stop takes a list of strings, none of them empty.")
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong
    strings = tuple(value)
    if not all(isinstance(string, str) and string for string in strings):
        raise wrong
    return strings
