"""Thinking is told apart from the answer, wherever the text is cut and whoever opened it."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.thinking.format import CHANNELS, ELEMENT_TOKENS, ELEMENTS, PLAIN, SECTIONS, ReplyFormat
from engine.thinking.parts import Piece
from engine.thinking.splitter import Splitter

THINK = ReplyFormat((("<think>", "</think>"),))
GEMMA = ReplyFormat((("<|channel>thought", "<channel|>"),), control=frozenset({"<|channel>", "<channel|>"}))
HARMONY = ReplyFormat(messages=CHANNELS)
SOLAR = ReplyFormat(messages=SECTIONS)
HUNYUAN = ReplyFormat(THINK.blocks, (("<answer>", "</answer>"),))
KIMI = ReplyFormat(messages=ELEMENTS, control=ELEMENT_TOKENS)

ANALYSIS = "<|channel|>analysis<|message|>need 2+2<|end|>"
COMMENTARY = "<|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{}<|call|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>four<|return|>"

Split = tuple[str, str]


def joined(pieces: Iterable[Piece]) -> Split:
    pieces = list(pieces)
    return "".join(piece.thinking for piece in pieces), "".join(piece.answer for piece in pieces)


def split(format: ReplyFormat, chunks: Iterable[str], prompt_end: str = "") -> Split:
    """The thinking and the answer of a whole reply."""
    splitter = Splitter(format, prompt_end)
    return joined([*(piece for chunk in chunks for piece in splitter.push(chunk)), *splitter.flush()])


def cuts(text: str) -> Iterable[list[str]]:
    """In one piece, at each place into two, and a character at a time."""
    yield [text]
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield list(text)


def test_s09_an_unclosed_block_is_thinking_and_its_mark_never_shows() -> None:
    splitter = Splitter(THINK)
    seen = [splitter.push(chunk) for chunk in ("<thi", "nk>plan", "ning")]
    assert seen == [[], [Piece("plan")], [Piece("ning")]]
    assert splitter.flush() == []


def test_s10_a_block_opened_by_the_prompt_needs_no_opening_mark() -> None:
    for chunks in (["plan</th", "ink>\n\n4"], *cuts("plan</think>\n\n4")):
        assert split(THINK, chunks, "<|im_start|>assistant\n<think>\n") == ("plan", "4")


def test_s10_a_block_closed_by_the_prompt_is_over() -> None:
    assert split(THINK, ["4"], "assistant\n<think>\n\n</think>\n\n") == ("", "4")
    assert split(THINK, ["a </think> b"], "assistant\n") == ("", "a </think> b")


def test_s10_a_mark_in_what_the_user_said_opens_nothing() -> None:
    assert split(THINK, ["Hi"], "What is <think><|im_end|>\n<|im_start|>assistant\n") == ("", "Hi")


def test_s10_an_opening_mark_repeated_after_the_prompts_is_no_text() -> None:
    for chunks in cuts("<think>\nplan</think>4"):
        assert split(THINK, chunks, "<think>\n") == ("plan", "4")


@pytest.mark.parametrize("text", [ANALYSIS + FINAL, ANALYSIS + COMMENTARY + FINAL])
@pytest.mark.parametrize("prompt_end", ["<|start|>user<|message|>2+2?<|end|><|start|>assistant", ""])
def test_s12_channels_are_told_apart_at_every_cut(text: str, prompt_end: str) -> None:
    for chunks in cuts(text):
        assert split(HARMONY, chunks, prompt_end) == ("need 2+2", "four")


def test_s12_the_prompt_may_have_begun_the_message() -> None:
    opened = "<|start|>assistant<|channel|>"
    assert split(HARMONY, ["four"], opened + "final<|message|>") == ("", "four")
    assert split(HARMONY, ["hm<|end|>" + FINAL], opened + "analysis<|message|>") == ("hm", "four")


@pytest.mark.parametrize("text", ["Hello there, my friend", "Hello", "你好" * 100])
def test_a_reply_without_the_marks_its_model_should_write_is_the_answer(text: str) -> None:
    for chunks in ([text], list(text)):
        assert split(HARMONY, chunks, "<|end|><|start|>assistant") == ("", text)


def test_two_analyses_are_divided_by_an_empty_line() -> None:
    again = "<|start|>assistant" + ANALYSIS
    for chunks in cuts(ANALYSIS + again + FINAL):
        assert split(HARMONY, chunks) == ("need 2+2\n\nneed 2+2", "four")


def test_muse_names_whom_it_speaks_to() -> None:
    text = (
        " to=self<|message|>plan<|eom|><|start|>assistant to=web.find<|message|>{}<|eom|>"
        "<|start|>assistant to=user<|message|>four"
    )
    for chunks in cuts(text):
        assert split(HARMONY, chunks, "<|eot|><|start|>assistant") == ("plan", "four")


def test_solar_writes_a_message_for_each_section() -> None:
    text = "<|think|>plan<|end|><|begin|>assistant<|tool_calls|>{}<|end|><|begin|>assistant<|content|>four"
    for chunks in cuts(text):
        assert split(SOLAR, chunks, "<|end|><|begin|>assistant") == ("plan", "four")


def test_gemma_names_the_channel_in_its_mark() -> None:
    for chunks in cuts("<|channel>thought\nplan\n<channel|>four"):
        assert split(GEMMA, chunks, "<|turn>model\n") == ("plan", "four")
    for chunks in cuts("four<channel|>\n"):
        assert split(GEMMA, chunks, "<|channel>thought\n<channel|>") == ("", "four\n")


@pytest.mark.parametrize("before", ["<think>\nplan\n</think>\n", "<think>plan</think> "])
def test_the_marks_around_an_answer_are_no_text(before: str) -> None:
    for chunks in cuts(before + "<answer>\nfour\n</answer>\n"):
        assert split(HUNYUAN, chunks) == ("plan", "four\n")
    for chunks in cuts("<answer>four</answer>"):
        assert split(HUNYUAN, chunks, "<think>\n\n</think>\n") == ("", "four")


def test_the_marks_around_an_answer_are_text_within_it() -> None:
    for chunks in cuts("<answer>a <answer> b </answer> c</answer>"):
        assert split(HUNYUAN, chunks) == ("", "a <answer> b </answer> c")
    for chunks in cuts("a <answer>b</answer>"):
        assert split(HUNYUAN, chunks) == ("", "a <answer>b</answer>")


def test_control_tokens_around_an_answer_are_never_text() -> None:
    pair = ("<|START_RESPONSE|>", "<|END_RESPONSE|>")
    cohere = ReplyFormat((("<|START_THINKING|>", "<|END_THINKING|>"),), (pair,), control=frozenset(pair))
    for chunks in cuts("<|START_THINKING|>plan<|END_THINKING|><|START_RESPONSE|>four<|END_RESPONSE|> more"):
        assert split(cohere, chunks) == ("plan", "four more")


OPENED = '<|open|>message role="assistant"<|sep|><|open|>think<|sep|>'


def test_kimi_k3_divides_its_message_into_elements() -> None:
    closing = "<|close|>response<|sep|><|close|>message<|sep|>"
    tools = '<|open|>tools<|sep|><|open|>call tool="f"<|sep|>x<|close|>call<|sep|><|close|>tools<|sep|>'
    text = f"plan<|close|>think<|sep|><|open|>response<|sep|>four{closing}"
    for chunks in (*cuts(text), *cuts(text.replace(closing, tools))):
        assert split(KIMI, chunks, OPENED) == ("plan", "four")


def test_kimi_k3_shows_no_part_of_a_mark_that_the_reply_ends_in() -> None:
    for end in ("<|close|>", "<|close|>resp", "<|open|>", "<|sep|>"):
        assert split(KIMI, ["<|close|>think<|sep|>four" + end], OPENED) == ("", "four")


def test_line_ends_around_a_block_are_no_text_and_those_within_are() -> None:
    for chunks in cuts(" \n<think>\n\na\n\nb\n</think>\n\n  x\n\ny\n"):
        assert split(THINK, chunks) == ("a\n\nb", "  x\n\ny\n")


def test_a_second_block_right_after_the_first_is_thinking_too() -> None:
    for chunks in cuts("<think>a</think>\n<think>b</think>\nx"):
        assert split(THINK, chunks) == ("a\n\nb", "x")


def test_a_mark_within_the_answer_is_what_the_answer_is_about() -> None:
    text = "Use <think>so</think> here"
    for chunks in (*cuts(text), *cuts("<think></think>" + text)):
        assert split(THINK, chunks) == ("", text)


def test_an_answer_before_more_thinking_comes_in_a_piece_of_its_own() -> None:
    text = FINAL.replace("<|return|>", "<|end|>") + "<|start|>assistant" + ANALYSIS
    assert Splitter(HARMONY).push(text) == [Piece(answer="four"), Piece("need 2+2")]


def test_a_model_without_marks_shows_everything_at_once() -> None:
    splitter = Splitter(PLAIN, "<think>")
    for chunk in ("  ", "<thi", "nk>\n", "\n"):
        assert splitter.push(chunk) == [Piece(answer=chunk)]
    assert splitter.flush() == []


def test_no_more_is_held_back_than_may_become_a_mark() -> None:
    splitter = Splitter(THINK, "<think>")
    assert splitter.push("a</thin") == [Piece("a")]
    assert splitter.push("g </") == [Piece("</thing ")]
    assert splitter.flush() == [Piece("</")]


TEXTS = [
    (THINK, "", "<think>\nplan\n</think>\n\nfour"),
    (THINK, "<think>\n", "plan</think>\n\n  four <think>"),
    (THINK, "", "  four"),
    (GEMMA, "", "<|channel>thought\nplan<channel|>four"),
    (HUNYUAN, "", "<think>plan</think>\n<answer>\nfour</answer>"),
    (KIMI, OPENED, "plan<|close|>think<|sep|><|open|>response<|sep|>four<|close|>response<|sep|>"),
    (HARMONY, "<|start|>assistant", ANALYSIS + COMMENTARY + FINAL),
]


@pytest.mark.parametrize(("format", "prompt_end", "text"), TEXTS)
def test_a_continued_reply_goes_on_in_the_state_it_ended_in(
    format: ReplyFormat, prompt_end: str, text: str
) -> None:
    for at in range(len(text) + 1):
        begun, ended = Splitter(format, prompt_end), Splitter(format, prompt_end)
        assert begun.push(text[:at]) == ended.push(text[:at])
        released = joined(ended.flush())
        wanted = joined([*begun.push(text[at:]), *begun.flush()])
        continued = Splitter(format, prompt_end, text[:at])
        more = joined([*continued.push(text[at:]), *continued.flush()])
        # What was held back showed when the reply ended: it does not come again.
        assert more == tuple(part.removeprefix(end) for part, end in zip(wanted, released, strict=True))


MARKS = [mark for pair in (*HUNYUAN.blocks, *HUNYUAN.answers, *GEMMA.blocks) for mark in pair]
HEADERS = ["assistant", "analysis", "final", "commentary", " to=self", " to=x"]
PARTS = ["<|channel>", "<thi", "nk>", "\n", " ", "a", "<", "word "]
WORDS = st.sampled_from([*MARKS, *CHANNELS, *SECTIONS, *ELEMENTS, *HEADERS, *PARTS])
PROMPT_ENDS = st.sampled_from(
    ["", "<think>\n", "<|channel>thought\n", "<|start|>assistant", "<|begin|>assistant<|think|>", OPENED]
)


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from([PLAIN, THINK, HUNYUAN, GEMMA, HARMONY, SOLAR, KIMI]),
    PROMPT_ENDS,
    st.lists(WORDS, max_size=12),
    st.lists(st.integers(0, 100), max_size=6),
)
def test_s12_where_text_is_cut_changes_nothing(
    format: ReplyFormat, prompt_end: str, words: list[str], places: list[int]
) -> None:
    text = "".join(words)
    ends = [*sorted(place for place in places if place < len(text)), len(text)]
    pieces = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    whole = split(format, [text], prompt_end)
    assert split(format, pieces, prompt_end) == whole
    assert split(format, list(text), prompt_end) == whole
