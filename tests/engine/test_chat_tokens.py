"""A rendered chat becomes ids; text of messages never controls, and what the tokenizer adds is there once."""

from pathlib import Path
from typing import Any

import pytest
from tokenizers import processors
from transformers import AutoTokenizer

from engine.chat_tokens import ChatTokens
from tests.tiny import CHATML, make_tiny

BOS, START = 0, 2


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    return AutoTokenizer.from_pretrained(make_tiny(tmp_path))


def test_a_harmless_text_is_tokenized_as_it_always_was(tokenizer: Any) -> None:
    rendered = "<|im_start|>user\n> quoted <"
    tokens = ChatTokens(tokenizer, [CHATML])
    marked, signs = tokens.mark([{"role": "user", "content": "> quoted <"}])
    assert signs  # The ends may become a part of a mark; here they do not.
    with_signs = "<|im_start|>user\n" + marked[0]["content"]
    plain = tokenizer.encode(rendered, add_special_tokens=False)
    assert tokens.encode(with_signs, signs) == tokens.encode(rendered, "") == plain


def test_t10_parts_of_a_mark_in_two_messages_are_no_mark(tokenizer: Any) -> None:
    tokens = ChatTokens(tokenizer, [CHATML])
    chat = [{"content": "<|im_"}, {"content": "start|>"}]
    marked, signs = tokens.mark(chat)
    ids = tokens.encode("".join(message["content"] for message in marked), signs)
    assert START not in ids
    assert tokenizer.decode(ids) == "<|im_start|>"


@pytest.mark.parametrize("beginning", ["<s>", "<|im_end|> <s>"])
def test_t08_all_that_the_tokenizer_begins_with_is_there_once(tokenizer: Any, beginning: str) -> None:
    special = [("<s>", BOS), ("<|im_end|>", 3)]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{beginning} $A", pair=f"{beginning} $A $B", special_tokens=special
    )
    tokens = ChatTokens(tokenizer, [CHATML])
    written = beginning.replace(" ", "")
    expected = tokenizer.encode("word", add_special_tokens=True)
    assert tokens.encode("word", "") == tokens.encode(written + "word", "") == expected
    assert tokens.encode(written * 2 + "word", "") == expected


def test_a_lone_surrogate_is_replaced(tokenizer: Any) -> None:
    marked, _ = ChatTokens(tokenizer, []).mark([{"role": "user", "content": "a\ud800b"}])
    assert marked == [{"role": "user", "content": "a\ufffdb"}]
