"""Streamed text is what decoding the whole reply gives, and stop strings never show."""

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken
from transformers import AutoTokenizer

from engine.text import Decode, Detokenizer, Piece, ReplyText, StopStrings, TextOf, decoder, text_of
from engine.thinking.format import ReplyFormat
from tests.tiny import CHATML, make_tiny

BYTES: Decode = lambda tokens: bytes(tokens).decode("utf-8", errors="replace")  # noqa: E731


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = make_tiny(tmp_path_factory.mktemp("tiny"))
    return AutoTokenizer.from_pretrained(folder)


def streamed(decode: Decode, ids: list[int], context: list[int] | None = None) -> list[str]:
    detokenizer = Detokenizer(decode, context or [])
    return [detokenizer.push(token) for token in ids]


def answers(reply: ReplyText, ids: list[int]) -> list[str]:
    """The pieces of an answer that ends after these ids."""
    pieces = [piece for token in ids for piece in reply.push(token)[0]]
    return [piece.answer for piece in [*pieces, *reply.flush()]]


def test_s01_characters_that_span_tokens_arrive_whole(tokenizer: Any) -> None:
    ids = tokenizer.encode("a👩‍👩‍👧‍👦b 你好 ďábelské 🇩🇪", add_special_tokens=False)
    deltas = streamed(decoder(tokenizer), ids)
    assert len(ids) > 40
    assert not any("\ufffd" in delta for delta in deltas)
    assert "".join(deltas) == tokenizer.decode(ids)


def test_s03_a_reply_that_ends_inside_a_character_is_completed_by_continuing(tokenizer: Any) -> None:
    ids = tokenizer.encode("ok 👋", add_special_tokens=False)
    cut = ids[:-1]
    reply = ReplyText(decoder(tokenizer), ())
    shown = "".join(answers(reply, cut))
    assert shown == "ok "
    shown.encode()
    assert shown + "".join(streamed(decoder(tokenizer), ids[-1:], cut)) == "ok 👋"


def test_s04_spaces_at_the_start_and_where_a_reply_goes_on_are_kept(tokenizer: Any) -> None:
    ids = tokenizer.encode("  two", add_special_tokens=False)
    assert "".join(streamed(decoder(tokenizer), ids)) == tokenizer.decode(ids) == "  two"
    stored = tokenizer.encode("A", add_special_tokens=False)
    more = tokenizer.encode(" leading", add_special_tokens=False)
    assert "A" + "".join(streamed(decoder(tokenizer), more, stored)) == "A leading"


def test_s05_a_nul_byte_stays_one(tokenizer: Any) -> None:
    ids = tokenizer.encode("a\x00b", add_special_tokens=False)
    assert "".join(streamed(decoder(tokenizer), ids)) == "a\x00b"


def test_a_tokenizer_that_drops_the_first_space_loses_no_other() -> None:
    words = ["▁one", "▁two", "▁▁", "▁three", "x"] * 30
    decode: Decode = lambda ids: "".join(words[i] for i in ids).replace("▁", " ").removeprefix(" ")  # noqa: E731
    ids = list(range(len(words)))
    assert "".join(streamed(decode, ids)) == decode(ids)


def test_one_mark_for_each_missing_byte_is_held_back_too() -> None:
    decode: Decode = lambda ids: BYTES(ids).replace("\ufffd", "\ufffd" * len(ids[-3:]))  # noqa: E731
    assert streamed(decode, list("€".encode())) == ["", "", "€"]


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\ufffd", exclude_categories=["Cs"]), max_size=80))
def test_joined_deltas_are_the_whole_text(text: str) -> None:
    assert "".join(streamed(BYTES, list(text.encode()))) == text


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_invalid_bytes_change_nothing_but_the_held_end(data: bytes) -> None:
    joined = "".join(streamed(BYTES, list(data)))
    whole = BYTES(list(data))
    assert whole.startswith(joined)
    assert set(whole[len(joined) :]) <= {"\ufffd"}


def test_s14_work_per_token_does_not_grow_without_line_ends() -> None:
    decoded = 0

    def counting(ids: object) -> str:
        nonlocal decoded
        decoded += len(ids)  # type: ignore[arg-type]
        return BYTES(ids)  # type: ignore[arg-type]

    costs = []
    for count in (2000, 4000, 8000):
        decoded = 0
        ids = random.Random(1).choices(range(32, 127), k=count)
        assert "".join(streamed(counting, ids)) == BYTES(ids)
        costs.append(decoded)
    assert costs[1] <= 2.1 * costs[0]
    assert costs[2] <= 2.1 * costs[1]
    assert costs[0] <= 2000 * 40


def test_endless_invalid_bytes_cost_no_more_than_text() -> None:
    longest = 0

    def watching(ids: object) -> str:
        nonlocal longest
        longest = max(longest, len(ids))  # type: ignore[arg-type]
        return BYTES(ids)  # type: ignore[arg-type]

    streamed(watching, [0xF0, 0x80] * 2000)
    assert longest <= 70


@pytest.mark.parametrize(
    ("chunks", "shown", "stopped"),
    [
        (["ok", "\nUser", ":", " x"], "ok", True),
        (["ok", "\nUser", " guide"], "ok\nUser guide", False),
        (["ok", "\nUs"], "ok\nUs", False),
        (["ok\nUser: hi"], "ok", True),
    ],
)
def test_s06_a_stop_string_split_over_tokens(chunks: list[str], shown: str, stopped: bool) -> None:
    stops = StopStrings(["\nUser:"])
    text = ""
    for chunk in chunks:
        new, ended = stops.push(chunk)
        text += new
        if ended:
            break
    else:
        text += stops.flush()
    assert (text, ended) == (shown, stopped)


def test_s06_no_more_is_held_back_than_may_become_a_stop_string() -> None:
    stops = StopStrings(["\nUser:", "END"])
    assert stops.push("a\nUse") == ("a", False)
    assert stops.push("ful E") == ("\nUseful ", False)
    assert stops.push("NE") == ("EN", False)
    assert stops.flush() == "E"


@given(st.lists(st.text("abX", max_size=4)), st.sampled_from(["ab", "aab", "XX"]))
def test_stop_strings_do_not_depend_on_how_text_is_cut(chunks: list[str], stop: str) -> None:
    stops = StopStrings([stop])
    text = ""
    for chunk in chunks:
        new, ended = stops.push(chunk)
        text += new
        if ended:
            break
    else:
        text += stops.flush()
    assert text == "".join(chunks).split(stop)[0]


HARMONY = (
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}<|channel|>"
)


def with_tokens(tokenizer: Any, tokens: list[str], template: str, special: bool) -> Any:
    """A copy that knows these tokens, as control tokens or as ones with text, and that template."""
    other = deepcopy(tokenizer)
    other.add_tokens([AddedToken(token, special=special, normalized=False) for token in tokens])
    other.chat_template = template
    return other


def read(text_of: TextOf, prompt: list[int], ids: list[int], stops: tuple[str, ...] = ()) -> tuple[str, str]:
    """The thinking and the answer of a reply with these ids."""
    reply = text_of.reply(prompt, (), stops)
    pieces: list[Piece] = []
    for token in ids:
        new, stopped = reply.push(token)
        pieces += new
        if stopped:
            break
    else:
        pieces += reply.flush()
    return "".join(p.thinking for p in pieces), "".join(p.answer for p in pieces)


@pytest.mark.parametrize("special", [False, True])
def test_s09_marks_are_found_whether_they_are_control_tokens_or_not(tokenizer: Any, special: bool) -> None:
    thinks = with_tokens(tokenizer, ["<think>", "</think>"], CHATML, special)
    ids = thinks.encode("<think>plan 👋\n</think>\n\n  four", add_special_tokens=False)
    assert read(text_of(thinks), [5], ids) == ("plan 👋", "  four")


def test_s09_marks_of_a_model_that_knows_none_are_text(tokenizer: Any) -> None:
    text = "<think>plan</think>four"
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert read(text_of(tokenizer), [5], ids) == ("", text)


def test_s10_the_end_of_the_prompt_opens_the_thinking(tokenizer: Any) -> None:
    thinks = with_tokens(tokenizer, ["<think>", "</think>"], CHATML, special=False)
    reply = thinks.encode("plan</think>\n\n4", add_special_tokens=False)
    for prompt, read_as in (
        ("<|im_start|>assistant\n<think>\n", ("plan", "4")),
        ("<|im_start|>assistant\n<think>\n</think>\n", ("", "plan</think>\n\n4")),
        ("about <think><|im_end|>", ("", "plan</think>\n\n4")),
    ):
        ids = thinks.encode("word " * 50 + prompt, add_special_tokens=False)
        assert read(text_of(thinks), ids, reply) == read_as


def test_s12_channel_marks_are_control_tokens_and_others_still_have_no_text(tokenizer: Any) -> None:
    marks = ["<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|pad|>"]
    channels = with_tokens(tokenizer, marks, HARMONY, special=True)
    text = (
        "<|channel|>analysis<|message|>need 2+2<|end|>"
        "<|start|>assistant<|channel|>final<|message|>fo<|pad|>ur<|im_end|>"
    )
    ids = channels.encode(text, add_special_tokens=False)
    assert read(text_of(channels), [5], ids) == ("need 2+2", "four")


def test_s06_stop_strings_end_the_answer_and_not_the_thinking(tokenizer: Any) -> None:
    thinks = with_tokens(tokenizer, ["<think>", "</think>"], CHATML, special=False)
    ids = thinks.encode("<think>END of it</think>so END it", add_special_tokens=False)
    assert read(text_of(thinks), [5], ids, ("END",)) == ("END of it", "so ")


def test_a_continued_reply_thinks_on(tokenizer: Any) -> None:
    thinks = with_tokens(tokenizer, ["<think>", "</think>"], CHATML, special=False)
    ids = thinks.encode("<think>one two</think>\n\nfour 👋", add_special_tokens=False)
    whole = read(text_of(thinks), [5], ids)
    assert whole == ("one two", "four 👋")
    for at in range(len(ids)):
        before = read(text_of(thinks), [5], ids[:at])
        reply = text_of(thinks).reply([5], ids[:at], ())
        pieces = [piece for token in ids[at:] for piece in reply.push(token)[0]]
        after = ("".join(p.thinking for p in pieces), "".join(p.answer for p in pieces))
        assert (before[0] + after[0], before[1] + after[1]) == whole


def test_f05_work_per_token_does_not_grow_while_a_model_thinks() -> None:
    decoded = 0

    def counting(ids: object) -> str:
        nonlocal decoded
        decoded += len(ids)  # type: ignore[arg-type]
        return BYTES(ids)  # type: ignore[arg-type]

    format = ReplyFormat((("<think>", "</think>"),))
    costs = []
    for count in (1000, 2000, 4000):
        decoded = 0
        text = "<think>" + "word < " * count
        assert len(read(TextOf(counting, format), [], list(text.encode()))[0]) == len(text) - len("<think>")
        costs.append(decoded)
    assert costs[2] <= 2.1 * costs[1] <= 4.4 * costs[0]
