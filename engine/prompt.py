"""From chat messages to the tokens a model reads, through the model's own template and tokenizer."""

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError

from engine.api import Message, Prompt
from engine.errors import BadRequest, NoChatTemplate

__all__ = ["Prompter"]


class Prompter:
    """Renders chats for one model. Safe from any thread: nothing of the tokenizer is changed."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is a transformers tokenizer."""
        self._tokenizer = tokenizer

    def render(self, messages: Sequence[Message]) -> Prompt:
        """The tokens of a chat, up to where the reply begins.

        Raises:
            NoChatTemplate: a base model.
            BadRequest: the template refuses these messages.
        """
        if not self._tokenizer.chat_template:
            raise NoChatTemplate("This is a base model: it has no chat template.")
        try:
            text = self._tokenizer.apply_chat_template(
                [_valid(message) for message in messages], tokenize=False, add_generation_prompt=True
            )
        except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadRequest(f"The model's chat template refuses this conversation ({error}).") from error
        # The template has written every special token there is to be.
        return Prompt(tuple(self._tokenizer.encode(text, add_special_tokens=False)))


def _valid(message: Message) -> dict[str, str]:
    """The message as Unicode can hold it: a lone surrogate becomes U+FFFD, as tokenizers need it."""

    def valid(text: str) -> str:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    return {key: valid(text) for key, text in message.items()}
