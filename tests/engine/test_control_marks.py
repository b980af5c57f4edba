"""What a message says is told apart from what the template writes, and nobody's text is changed."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_marks import ControlMarks, control_tokens
from engine.errors import BadRequest

TOKENS = frozenset({"<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|im_end|>x", "[INST]"})
MARKS = ControlMarks(TOKENS)
TEXTS = st.lists(
    st.sampled_from([*sorted(TOKENS), "<|im_", "end|>", "<", ">", "a", " ", "\n", "\ue000"])
).map("".join)


def turn(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def rendered(text: str, before: str = "", after: str = "") -> tuple[str, int]:
    """What comes of a message between two texts of a template: its text, and its control tokens."""
    (marked,), signs = MARKS.mark([turn(text)])
    pieces = list(MARKS.pieces(before + marked["content"] + after, signs))
    return "".join(text for text, _ in pieces), sum(control for _, control in pieces)


@given(TEXTS)
def test_t10_no_text_of_a_message_is_a_control_token(text: str) -> None:
    if MARKS.mark([turn(text)])[1]:
        assert rendered(text) == (text, 0)
    else:
        assert not any(token in text for token in TOKENS)


@given(
    TEXTS, st.sampled_from(["", "<s>", "<|", "<|im_start|>user\n"]), st.sampled_from(["", "</s>", "|>", "x"])
)
def test_t10_what_the_template_writes_around_it_counts_as_before(text: str, before: str, after: str) -> None:
    harmless = list(MARKS.pieces(before + "-" + after, ""))
    assert rendered("[INST]" + text + "<s>", before, after)[1] == sum(control for _, control in harmless)


@given(TEXTS)
def test_trimming_a_marked_text_trims_what_it_would(text: str) -> None:
    (marked,), signs = MARKS.mark([turn(text)])
    if signs:
        assert "".join(text for text, _ in MARKS.pieces(marked["content"].strip(), signs)) == text.strip()


def test_a_template_that_cuts_a_text_at_a_mark_finds_it() -> None:
    (marked,), signs = MARKS.mark([turn("thought</s>answer<s>")])
    answer = marked["content"].split("</s>")[-1]
    assert list(MARKS.pieces(answer + "</s>", signs))[-2:] == [("</s>", True), ("", False)]
    assert "".join(text for text, _ in MARKS.pieces(answer, signs)) == "answer<s>"


def test_a_harmless_chat_is_left_as_it_is() -> None:
    assert MARKS.mark([turn("a < b"), turn("\ue000")]) == ([turn("a < b"), turn("\ue000")], "")


def test_the_signs_are_in_no_message() -> None:
    _, signs = MARKS.mark([turn("<s>\ue000"), turn("\ue001\ue002")])
    assert not set(signs) & set("\ue000\ue001\ue002")


def test_a_chat_of_all_private_characters_is_refused() -> None:
    codes = [*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE), *range(0x100000, 0x10FFFE)]
    with pytest.raises(BadRequest, match="private"):
        MARKS.mark([turn("".join(map(chr, codes)))])


def token(text: str, special: bool) -> Any:
    class Token(SimpleNamespace):
        def __str__(self) -> str:
            return text

    return Token(special=special)


def test_special_tokens_and_what_templates_write_are_control_and_other_text_is_not() -> None:
    added = [
        token("<|im_end|>", True),
        token("<|odd|>", False),
        token("<think>", False),
        token("<<turn>>", False),
        token("<table>", False),
        token("\n\n", False),
        token("user", False),
    ]
    tokenizer = SimpleNamespace(all_special_tokens=["<s>"], added_tokens_decoder=dict(enumerate(added)))
    found = control_tokens(tokenizer, ["{{ '<<turn>>user\n\n' }}"])
    assert found == {"<s>", "<|im_end|>", "<|odd|>", "<think>", "<<turn>>"}
