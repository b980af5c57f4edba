"""What Markdown is read as."""

import pytest

from app.chat.blocks import Block
from app.ui.markdown_parser import is_safe_link, parse_block


@pytest.mark.parametrize("address", ["http://a.b", "HTTPS://a.b/c?d", "mailto:a@b.c"])
def test_web_and_mail_may_be_opened(address: str) -> None:
    assert is_safe_link(address)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "smb://x/y", "data:text/html,x", "page.html", ""]
)
def test_nothing_else_may_be_opened(address: str) -> None:
    assert not is_safe_link(address)


def test_rest_of_a_paragraph_is_read_as_text_whatever_it_begins_with() -> None:
    for source in ("- no item", "# no head", "1. no number", "_word_ and more", "> no quote"):
        tokens = parse_block(Block(source, "continuation"))
        assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        children = tokens[1].children or []
        assert "".join(child.content for child in children) == source.replace("_", "")


def test_rows_are_read_with_their_header() -> None:
    tokens = parse_block(Block("| 1 | 2 |\n", "rows", "| a | b |\n|---|---|\n"))
    assert [token.content for token in tokens if token.type == "inline"] == ["a", "b", "1", "2"]


def test_nesting_too_deep_to_tell_apart_is_text() -> None:
    source = ">" * 500 + " deep"
    tokens = parse_block(Block(source))
    assert [child.content for token in tokens for child in token.children or []] == [source]
