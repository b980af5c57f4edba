"""Which marks of a chat template end a reply, where a template has several."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.mlx.stop_tokens import eos_ids, stop_tokens

MARKS = ("<|start|>", "<|end|>", "<|return|>", "<|eot_id|>", "</s>", "<turn|>", "<|call|>")


class Token(str):
    """An added token: its text, and whether it is special."""

    special = True


def tokenizer(template: object, plain: str = "") -> Any:
    """Knows MARKS by their place; the one named `plain` is not special."""
    added = {id: Token(mark) for id, mark in enumerate(MARKS)}
    for token in added.values():
        token.special = token != plain
    return SimpleNamespace(chat_template=template, eos_token_id=None, added_tokens_decoder=added)


@pytest.mark.parametrize(
    ("template", "ids"),
    [
        ("<|start|>user<|end|>", {1}),
        ("<|start|>analysis<|end|> final<|return|>", {2}),
        ("a<|eot_id|>", {3}),
        ("[INST]</s>", {4}),
        ("<turn|>", {5}),
        ({"default": "a</s>", "tool_use": "<|eot_id|>"}, {3, 4}),
        (None, {3}),
    ],
)
def test_s08_only_marks_that_end_a_turn_count(template: object, ids: set[int]) -> None:
    assert stop_tokens({}, tokenizer(template)) == ids


def test_s08_a_mark_that_is_ordinary_text_does_not_count() -> None:
    assert stop_tokens({}, tokenizer("a</s>", plain="</s>")) == frozenset()


@pytest.mark.parametrize(
    ("stated", "ids"),
    [(3, [3]), ([3, 4], [3, 4]), (None, []), ("3", []), (True, []), ([3, None], [3]), (-1, []), (0, [0])],
)
def test_an_end_token_is_one_id_or_a_list(stated: object, ids: list[int]) -> None:
    assert eos_ids({"eos_token_id": stated}) == ids
    assert eos_ids(None) == []
