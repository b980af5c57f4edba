"""The user's settings, kept in one small JSON file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.atomic import write_atomically
from app.problems import KnownError, Problem
from engine.api import Sampling
from engine.errors import BadRequest

__all__ = ["Settings", "SettingsError", "load_settings", "save_settings"]


class SettingsError(KnownError):
    """The settings cannot be written; they hold until the program ends."""

    action = "Check the space on the disk and the folder's permissions, then change the setting again."


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose.

    Attributes:
        model: path of the model that new conversations use; None for the one that comes with the program.
        temperature, top_p: how tokens are drawn, as in engine.Sampling.
        max_tokens: most tokens of a reply; None for as many as the context holds.
        seed: of every reply; None for a new one each time.
        sidebar: whether the list of conversations is shown.
        templates: by a model's path, what its chats are put with where its own template cannot be used.
        others: what the file holds besides, written by another version; kept as it is.
    """

    model: str | None = None
    temperature: float = 0.7
    top_p: float = 0.95
    max_tokens: int | None = None
    seed: int | None = None
    sidebar: bool = True
    templates: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "model": (str, type(None)),
    "temperature": (float, int),
    "top_p": (float, int),
    "max_tokens": (int, type(None)),
    "seed": (int, type(None)),
    "sidebar": (bool,),
    "templates": (dict,),
}


def load_settings(path: Path) -> tuple[Settings, Problem | None]:
    """The settings, and what was wrong with the file: a damaged one is set aside and the defaults hold."""
    try:
        return _settings(path.read_bytes()), None
    except FileNotFoundError:
        return Settings(), None
    except OSError as error:
        return Settings(), Problem(
            f"The settings in {path} cannot be read ({error.strerror}), so the defaults are used.",
            "Check the file's permissions, then start Interlace again.",
        )
    except (ValueError, RecursionError, BadRequest):
        return Settings(), _set_aside(path)


def save_settings(path: Path, settings: Settings) -> None:
    """Writes the settings, whole or not at all. Raises SettingsError."""
    content = dict(settings.others) | {name: getattr(settings, name) for name in _TYPES}
    # ASCII: a path that is not valid Unicode holds lone surrogates, which UTF-8 refuses.
    data = json.dumps(content, ensure_ascii=True, indent=2).encode() + b"\n"
    try:
        write_atomically(path, data)
    except OSError as error:
        raise SettingsError(f"The settings cannot be saved to {path} ({error.strerror}).") from error


def _settings(data: bytes) -> Settings:
    content = json.loads(data)
    if not isinstance(content, dict):
        raise ValueError("not an object")
    known = {name: content.pop(name) for name in _TYPES if name in content}
    for name, value in known.items():
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "sidebar"):
            raise ValueError(name)
    settings = Settings(**known, others=content)
    if not all(isinstance(name, str) for name in settings.templates.values()):
        raise ValueError("templates")
    Sampling(temperature=settings.temperature, top_p=settings.top_p)
    if settings.max_tokens is not None and settings.max_tokens < 1:
        raise ValueError("max_tokens")
    return settings


def _set_aside(path: Path) -> Problem:
    aside = _free_name(path)
    try:
        path.rename(aside)
    except OSError as error:
        return Problem(
            f"The settings in {path} are damaged, so the defaults are used.",
            f"Move the file away ({error.strerror}), then start Interlace again.",
        )
    return Problem(
        f"The settings were damaged, so the defaults are used; the old file is kept as {aside.name}.",
        "Choose your settings again.",
    )


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    return aside
