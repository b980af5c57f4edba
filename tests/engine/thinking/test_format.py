"""A model's format follows from its template and its tokens, and from nothing else."""

import pytest

from engine.thinking.format import (
    ANSWERS,
    BLOCKS,
    CHANNELS,
    ELEMENT_TOKENS,
    ELEMENTS,
    PLAIN,
    SECTIONS,
    reply_format,
)


def test_a_model_that_knows_no_marks_has_none() -> None:
    assert reply_format("{{ '<|im_start|>' }}", ["<|im_start|>", "think", "<th"], ["<|im_start|>"]) == PLAIN


@pytest.mark.parametrize("pair", BLOCKS)
def test_a_pair_is_known_from_the_template_or_the_tokens(pair: tuple[str, str]) -> None:
    for template, tokens in ((f"a{pair[0]}", []), (f"{pair[1]}b", []), ("", pair)):
        assert pair in reply_format(template, tokens, []).blocks


@pytest.mark.parametrize("pair", ANSWERS)
def test_marks_around_an_answer_count_where_a_model_thinks(pair: tuple[str, str]) -> None:
    for template, tokens in ((f"<think>{pair[0]}", []), ("<think>", pair)):
        assert reply_format(template, tokens, []).answers == (pair,)
    assert reply_format("<think>", pair, pair).control == set(pair)
    assert reply_format(pair[0], pair, pair) == PLAIN


def test_elements_are_known_from_their_tokens() -> None:
    control = [*ELEMENT_TOKENS, "<|end|>"]
    format = reply_format("", control, control)
    assert format.messages == ELEMENTS
    assert format.control == {"<|open|>", "<|close|>", "<|sep|>"}


def test_control_tokens_that_are_marks_or_parts_of_one_are_kept() -> None:
    control = ["<|channel>", "<channel|>", "<|turn>", ""]
    assert reply_format("", control, control).control == {"<|channel>", "<channel|>"}
    assert reply_format("", ["<think>", "</think>"], []).control == frozenset()


@pytest.mark.parametrize(
    ("template", "messages"),
    [
        ("<|start|>assistant<|channel|>final<|message|>", CHANNELS),
        ("<|start|>assistant to=self<|message|>", CHANNELS),
        ("<|begin|>assistant<|think|><|end|><|content|>", SECTIONS),
    ],
)
def test_replies_of_several_messages_are_known_from_the_template(template: str, messages: object) -> None:
    format = reply_format(template, ["<think>", "</think>"], ["<|end|>", "<|endoftext|>"])
    assert format.messages == messages
    assert format.blocks == ()
    assert format.control == {"<|end|>"}
