"""Chats become tokens through the model's own template."""

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from engine.errors import BadRequest, NoChatTemplate
from engine.prompt import Prompter
from engine.text import decoder
from tests.tiny import SPECIALS, make_tiny

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "the fox"}]


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    return AutoTokenizer.from_pretrained(make_tiny(tmp_path))


def test_a_chat_ends_where_the_reply_begins(tokenizer: Any) -> None:
    tokens = Prompter(tokenizer).render(CHAT).tokens
    assert tokenizer.decode(tokens) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n"
        "<|im_start|>user\nthe fox<|im_end|>\n<|im_start|>assistant\n"
    )
    assert tokens.count(SPECIALS.index("<|im_start|>")) == 3


def test_a_base_model_has_no_chat(tokenizer: Any) -> None:
    tokenizer.chat_template = None
    with pytest.raises(NoChatTemplate):
        Prompter(tokenizer).render(CHAT)


def test_what_the_template_refuses_is_told_in_its_words(tokenizer: Any) -> None:
    tokenizer.chat_template = "{{ raise_exception('no system text, please') }}"
    with pytest.raises(BadRequest, match="no system text, please"):
        Prompter(tokenizer).render(CHAT)


def test_control_tokens_have_no_text(tokenizer: Any) -> None:
    ids = [2, *tokenizer.encode("a  b", add_special_tokens=False), 3]
    assert decoder(tokenizer)(ids) == "a  b"


@pytest.mark.parametrize("template", ["{{ 1 / 0 }}", "{{ messages[9].content + 1 }}", "{{ messages + 1 }}"])
def test_a_template_that_fails_is_told_in_a_sentence(tokenizer: Any, template: str) -> None:
    tokenizer.chat_template = template
    with pytest.raises(BadRequest, match="template refuses"):
        Prompter(tokenizer).render(CHAT)
