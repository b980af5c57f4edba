"""Laws of the division of growing Markdown."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat import block_cuts
from app.chat.block_cuts import balanced_cut
from app.chat.blocks import Block, BlockStream

PIECES = [
    *("word ", "**bold** ", "`code` ", "\n", "\n\n", "- item\n", "  - nested\n", "1. one\n", "> quote\n"),
    *("```py\n", "```\n", "~~~\n", "    indented\n", "a | b\n---|---\n", "1 | 2\n", "---\n", "===\n"),
    *("\r\n", "# Head\n", "[a](b", "<b>", "\t", "é", "👩‍👩‍👧 ", "   ```\n", "* * *\n", "\\", "$"),
    *("x" * 700, "long line, " * 60, "\x00"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def whole(text: str) -> BlockStream:
    stream = BlockStream()
    stream.feed(text)
    return stream


def finished(text: str) -> list[Block]:
    stream = whole(text)
    stream.finish()
    return stream.settled


@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
@settings(deadline=None, max_examples=300)
def test_fed_in_pieces_equals_fed_whole_at_every_moment(text: str, places: list[int]) -> None:
    cuts = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    stream = BlockStream()
    for start, end in pairwise(cuts):
        stream.feed(text[start:end])
        at_once = whole(text[:end])
        assert stream.settled == at_once.settled
        assert stream.open == at_once.open
    stream.finish()
    assert stream.settled == finished(text)
    assert stream.open is None


@given(TEXTS)
@settings(deadline=None, max_examples=300)
def test_joined_sources_are_the_text(text: str) -> None:
    stream = whole(text)
    open_source = stream.open.source if stream.open else ""
    assert "".join(block.source for block in stream.settled) + open_source == text
    assert "".join(block.source for block in finished(text)) == text


@given(TEXTS.filter(lambda text: len(text) < 2_000))
@settings(deadline=None, max_examples=300)
def test_blocks_rendered_one_by_one_equal_the_text_rendered_whole(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")
    parts: list[str] = []
    fence = ""
    for block in finished(text):
        if block.kind in ("fence", "code"):
            fence += block.source
        else:
            parts += [parser.render(fence), parser.render(block.source)]
            fence = ""
    parts.append(parser.render(fence))
    assert "".join(parts) == parser.render(text)


def test_a_block_is_settled_once_a_later_one_has_begun() -> None:
    stream = whole("# Title\n\nFirst paragraph\nstill first\n\nSecond\n")
    assert [block.source for block in stream.settled] == ["# Title\n\n", "First paragraph\nstill first\n\n"]
    assert stream.open == Block("Second\n")


def test_settled_text_is_never_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    parse = block_cuts._PARSER.parse

    def counted(text: str) -> list[Token]:
        seen.append(len(text))
        return parse(text)

    monkeypatch.setattr(block_cuts._PARSER, "parse", counted)
    stream = BlockStream()
    for _ in range(400):
        stream.feed("A paragraph of some words that ends here.\n\n- one\n- two\n\n")
    assert max(seen) < 200


@pytest.mark.parametrize(
    "line",
    [
        "word **bold** `code` and text. ",
        "- item with **some** text\n",
        "> quoted words\n",
        "| a | b |\n",
        "文字。",
        "x",
    ],
)
def test_open_block_stays_short_whatever_comes(line: str) -> None:
    stream = whole("| a | b |\n|---|---|\n" if "|" in line else "")
    longest = 0
    for _ in range(40_000 // len(line)):
        stream.feed(line)
        longest = max(longest, len(stream.open.source) if stream.open else 0)
    assert longest <= 10_000
    assert len(stream.settled) >= 3


def test_long_paragraph_is_cut_at_a_sentence_end_outside_inline_markup() -> None:
    blocks = finished("word **bold one** `code. more` and text. " * 200)
    assert [block.kind for block in blocks] == ["markdown"] + ["continuation"] * (len(blocks) - 1)
    assert len(blocks) > 3
    assert all(block.source.endswith("text. ") for block in blocks)


def test_cut_avoids_open_emphasis_links_and_code() -> None:
    text = "a " * 30 + "**bold [link text. more](https://x.y/z) and. more** `code. in` _x. y_ "
    assert balanced_cut(text[: text.index(" _x. y_") + 4])
    assert text[: balanced_cut(text[: text.index("more](")])] == "a " * 30
    assert text[: balanced_cut(text[: text.index(" in`")])].endswith("more** ")


def test_cut_without_spaces_divides_no_character() -> None:
    family = "👩‍👩‍👧‍👦"
    text = family * 40
    assert balanced_cut(text[:-3]) % len(family) == 0


def test_code_is_settled_in_runs_of_lines() -> None:
    stream = whole("```python\n" + "print(1)\n" * 120)
    kinds = [block.kind for block in stream.settled]
    assert kinds == ["fence", "code", "code"]
    assert stream.settled[0].context == "python"
    assert [block.source.count("\n") for block in stream.settled[1:]] == [50, 50]
    assert stream.open is not None
    assert stream.open.kind == "code"
    assert stream.open.context == "python"


def test_closing_fence_ends_code_and_a_shorter_one_does_not() -> None:
    blocks = finished("````md\n```\ninside\n```\n````\nafter\n")
    assert [(block.kind, block.source) for block in blocks] == [
        ("fence", "````md\n"),
        ("code", "```\ninside\n```\n"),
        ("fence", "````\n"),
        ("markdown", "after\n"),
    ]


def test_long_list_is_cut_between_items() -> None:
    blocks = finished("".join(f"{n}. item number {n}\n" for n in range(1, 400)))
    assert [block.kind for block in blocks] == ["markdown"] + ["joined"] * (len(blocks) - 1)
    assert len(blocks) > 2
    assert all(block.source[0].isdigit() for block in blocks)


def test_long_table_repeats_its_header() -> None:
    header = "| a | b |\n|---|---|\n"
    blocks = finished(header + "| some words | more words |\n" * 700)
    assert [block.kind for block in blocks] == ["markdown"] + ["rows"] * (len(blocks) - 1)
    assert len(blocks) > 1
    assert {block.context for block in blocks[1:]} == {header}


def test_code_in_a_long_list_item_stays_code() -> None:
    code = "  x = 1\n" * 1_500
    blocks = finished(f"- Do this:\n\n  ```py\n{code}  ```\n- Next **item**\n\nEnd\n")
    tail = [block.source for block in blocks if block.kind not in ("code", "fence")][-2:]
    assert tail == ["- Next **item**\n\n", "End\n"]
    assert sum(block.kind == "code" for block in blocks) > 1


def test_long_code_in_a_list_ends_with_its_item() -> None:
    blocks = finished("- a\n\n  ```py\n" + "  x = 1\n" * 1_500 + "Outside now\n\nEnd\n")
    assert [block.source for block in blocks[-2:]] == ["Outside now\n\n", "End\n"]


@pytest.mark.parametrize(
    "text", [">" * 5_000 + " deep", "- " * 3_000 + "deep\n\nafter\n", "[" * 5_000, "*" * 9_000]
)
def test_hostile_nesting_ends_quickly_and_loses_nothing(text: str) -> None:
    assert "".join(block.source for block in finished(text)) == text
