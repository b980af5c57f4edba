"""Markdown read the way replies are shown: no HTML, no references, links to the web and mail only."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.block_cuts import MAX_NESTING
from app.chat.block_readers import CONTINUATION
from app.chat.blocks import Block

__all__ = ["is_safe_link", "parse_block"]

_SAFE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def is_safe_link(address: str) -> bool:
    """Whether an address may be opened at all: http, https or mailto."""
    return bool(_SAFE.match(address))


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return is_safe_link(url)


def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    # An entity stays as it was written, a definition too: every character is visible.
    return parser.enable(["table", "strikethrough"]).disable(["reference", "entity"])


_PARSER = _parser()


def parse_block(block: Block) -> Sequence[Token]:
    """The tokens of a block of prose; a plain paragraph when it is nested too deeply to be told apart."""
    lead = {"continuation": CONTINUATION, "rows": block.context}.get(block.kind, "")
    tokens = _PARSER.parse(lead + block.source)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        text = Token("text", "", 0, content=block.source)
        return [Token("inline", "", 0, children=[text])]
    if block.kind == "continuation":
        _drop_lead(tokens)
    return tokens


def _drop_lead(tokens: Sequence[Token]) -> None:
    """Takes the characters off again that made the first line read as text."""
    children = next(token.children for token in tokens if token.type == "inline") or []
    first = children[0]
    first.content = first.content.removeprefix(CONTINUATION.strip()).removeprefix(" ")
    if not first.content and len(children) > 1 and children[1].type in ("softbreak", "hardbreak"):
        del children[1]
