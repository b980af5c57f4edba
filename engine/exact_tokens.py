"""Tokenizing text in which only named places are control tokens, whatever the rest of it reads like."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from engine.control_marks import Piece

__all__ = ["ExactTokenizer"]


class ExactTokenizer:
    """Gives each piece that is a control token its id, and all other text the ids of plain text.

    It is a copy of a model's tokenizer whose control tokens have names that are in no text. All else of
    it, and so the ids of ordinary text, is the same.
    """

    def __init__(self, tokenizer: Any, tokens: frozenset[str]) -> None:
        """`tokenizer` is a transformers tokenizer; `tokens`, the texts of its control tokens."""
        self._tokenizer = tokenizer
        self._tokens = sorted(tokens)
        self._secret = ""
        self._copy: tuple[Any, dict[int, int]] | None = None

    def encode(self, pieces: Sequence[Piece]) -> list[int]:
        """The ids, without those that a tokenizer puts around a text."""
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        if backend is None:
            return self._encode_apart(pieces)
        text = "".join(text for text, _ in pieces)
        if self._copy is None or self._secret in text:
            self._secret = _secret(text)
            self._copy = _copy(backend, self._names())
        copy, ids = self._copy
        names = self._names()
        named = "".join(names[text] if control else text for text, control in pieces)
        return [ids.get(id, id) for id in copy.encode(named, add_special_tokens=False).ids]

    def _names(self) -> dict[str, str]:
        return {token: f"{self._secret}{number}x" for number, token in enumerate(self._tokens)}

    def _encode_apart(self, pieces: Sequence[Piece]) -> list[int]:
        """For a tokenizer that cannot be copied. A text that reads like a control token is cut in two."""
        ids: list[int] = []
        for text, control in pieces:
            parts = [text] if control or text not in self._tokens else [text[:1], text[1:]]
            for part in parts:
                ids += self._tokenizer.encode(part, add_special_tokens=False)
        return ids


def _secret(text: str) -> str:
    """Letters and digits that are not in `text`; for most texts the same."""
    number = 0
    while (secret := f"x{hashlib.sha256(str(number).encode()).hexdigest()[:24]}x") in text:
        number += 1
    return secret


def _copy(backend: Any, names: dict[str, str]) -> tuple[Any, dict[int, int]]:
    """The copy, and the real id of each of its added tokens."""
    content = json.loads(backend.to_str())
    real = {}
    for token in content["added_tokens"]:
        token["content"] = names.get(token["content"], token["content"])
        real[token["content"]] = token["id"]
    _rename(content["model"], names, real)
    copy = type(backend).from_str(json.dumps(content))
    return copy, {copy.token_to_id(token): id for token, id in real.items()}


def _rename(model: dict[str, Any], names: dict[str, str], real: dict[str, int]) -> None:
    """In the vocabulary too, so that no merge and no whole word gives the id of a control token."""
    if isinstance(model.get("vocab"), list):
        model["vocab"] = [[names.get(piece, piece), score] for piece, score in model["vocab"]]
        return
    model["vocab"] = {names.get(token, token): id for token, id in model["vocab"].items()} | real
    if model.get("unk_token") in names:
        model["unk_token"] = names[model["unk_token"]]
    if "merges" in model:
        model["merges"] = [merge for merge in model["merges"] if not _makes(merge, names)]


def _makes(merge: str | list[str], names: dict[str, str]) -> bool:
    """Whether a merge gives, or takes, a control token."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    return "".join(parts) in names or any(part in names for part in parts)
