"""However a chat is put, every text of it is there, in order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.template.turns import ways


def turn(role: str, content: str, **more: str) -> dict[str, str]:
    return {"role": role, "content": content, **more}


def test_a_chat_that_alternates_has_one_way() -> None:
    chat = [turn("user", "a"), turn("assistant", "b"), turn("user", "c")]
    assert list(ways(chat)) == [chat]


def test_t04_neighbours_of_one_role_become_one_turn() -> None:
    chat = [turn("user", "A"), turn("user", "B"), turn("assistant", "c"), turn("assistant", "d")]
    assert list(ways(chat)) == [chat, [turn("user", "A\n\nB"), turn("assistant", "c\n\nd")]]


def test_t04_the_systems_text_goes_before_the_users_first() -> None:
    chat = [turn("system", "s"), turn("user", "A"), turn("assistant", "b")]
    assert list(ways(chat))[-1] == [turn("user", "s\n\nA"), turn("assistant", "b")]


def test_t04_without_a_user_the_systems_text_stays() -> None:
    chat = [turn("system", "s")]
    assert list(ways(chat)) == [chat]


def test_what_else_a_turn_holds_is_kept() -> None:
    chat = [turn("assistant", "a", reasoning_content="x"), turn("assistant", "b", name="y")]
    assert list(ways(chat))[-1] == [turn("assistant", "a\n\nb", reasoning_content="x", name="y")]


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.sampled_from("abcdef"))))
def test_t04_no_way_loses_or_doubles_a_text(turns: Sequence[Any]) -> None:
    chat = [turn(role, text) for role, text in turns]
    for way in ways(chat):
        said = "\n\n".join(message["content"] for message in way).split("\n\n") if way else []
        assert sorted(said) == sorted(text for _, text in turns)
    merged = list(ways(chat))[-1]
    assert all(first["role"] != second["role"] for first, second in pairwise(merged))
