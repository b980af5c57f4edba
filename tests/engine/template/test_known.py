"""The templates that come with the program."""

from datetime import datetime

import pytest

from engine.template.chat_template import ChatTemplate
from engine.template.known import KNOWN

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Yes?"},
    {"role": "user", "content": "Bye."},
]

RENDERED = {
    "plain": "Be brief.\n\nHello.\n\nYes?\n\nBye.",
    "chatml": "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello.<|im_end|>\n"
    "<|im_start|>assistant\nYes?<|im_end|>\n<|im_start|>user\nBye.<|im_end|>\n<|im_start|>assistant\n",
    "llama3": "<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nHello.<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nYes?<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nBye.<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "alpaca": "Be brief.\n\n### Instruction:\nHello.\n\n### Response:\nYes?\n\n"
    "### Instruction:\nBye.\n\n### Response:\n",
    "vicuna": "Be brief.\n\nUSER: Hello.\nASSISTANT: Yes?\nUSER: Bye.\nASSISTANT:",
}


@pytest.mark.parametrize("name", KNOWN)
def test_t01_it_writes_the_chat_in_its_format(name: str) -> None:
    template = ChatTemplate(KNOWN[name].source, {}, lambda: 0.0, datetime.now)
    assert template.render(CHAT) == RENDERED[name]


@pytest.mark.parametrize("name", set(KNOWN) - {"plain"})
def test_t01_what_begins_the_users_next_turn_ends_the_reply(name: str) -> None:
    after_reply = RENDERED[name].split("Yes?")[1]
    assert any(after_reply.strip().startswith(stop) for stop in KNOWN[name].stop)


def test_t01_text_that_goes_on_has_no_end() -> None:
    assert KNOWN["plain"].stop == ()
