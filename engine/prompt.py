"""From chat messages to the tokens a model reads, through a chat template and the model's tokenizer."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.api import Message, Prompt
from engine.chat_tokens import ChatTokens
from engine.errors import BadRequest, EngineError, NoChatTemplate, TemplateBroken
from engine.template.chat_template import ChatTemplate, Refusal, TemplateFault
from engine.template.known import KNOWN
from engine.template.turns import ways

__all__ = ["Prompter"]

DRY_CHAT: Sequence[Message] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hello. What can I do for you?"},
    {"role": "user", "content": "Count to three."},
]
"""What a template must be able to render before it is offered."""


class Prompter:
    """Renders chats for one model. Safe from any thread: nothing of the tokenizer is changed."""

    def __init__(
        self,
        tokenizer: Any,
        name: str = "This",
        clock: Callable[[], float] = time.thread_time,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Compiles the model's template.

        Args:
            tokenizer: of transformers.
            name: what the user calls the model.
            clock: seconds, for the limit on a template's time.
            now: the date and time that a template may write.
        """
        self._tokenizer = tokenizer
        self._name = name
        self._clock = clock
        self._now = now
        self._source = _own_template(tokenizer)
        self._tokens = ChatTokens(tokenizer, [self._source, *(known.source for known in KNOWN.values())])
        self._templates: dict[str, ChatTemplate | EngineError] = {"": self._own()}

    @property
    def problem(self) -> EngineError | None:
        """Why chats cannot be rendered with the model's own template; None where they can.

        NoChatTemplate for a base model. TemplateBroken where the template fails on a short chat.
        """
        try:
            self._text(DRY_CHAT, "")
        except BadRequest as error:
            return self._refusal(error)
        except EngineError as error:
            return error
        return None

    def render(self, messages: Sequence[Message], template: str = "") -> Prompt:
        """The tokens of a chat, up to where the reply begins.

        Args:
            template: one of `KNOWN`; "" for the model's own.

        Raises:
            NoChatTemplate: a base model.
            TemplateBroken: the template is no template, or wants more time or memory than it may use.
            BadRequest: the template refuses these messages.
        """
        marked, signs = self._tokens.mark(messages)
        rendered = self._text(marked, template, signs)
        return Prompt(tuple(self._tokens.encode(rendered, signs)), KNOWN[template].stop if template else ())

    def _own(self) -> ChatTemplate | EngineError:
        if not self._source:
            return NoChatTemplate(f"{self._name} is a base model: it has no chat template.")
        try:
            return self._compiled(self._source)
        except TemplateFault as fault:
            return self._broken(fault)

    def _compiled(self, source: str) -> ChatTemplate:
        named = self._tokenizer.special_tokens_map.items()
        variables = {name: str(token) for name, token in named if not isinstance(token, list)}
        return ChatTemplate(source, variables, self._clock, self._now)

    def _template(self, name: str) -> ChatTemplate:
        if name and name not in KNOWN:
            raise BadRequest(
                f"There is no chat template called {name!r}.", f"Choose one of {', '.join(KNOWN)}."
            )
        template = self._templates.get(name) or self._compiled(KNOWN[name].source)
        if isinstance(template, EngineError):
            raise template
        self._templates[name] = template
        return template

    def _text(self, chat: Sequence[Message], name: str, signs: str = "") -> str:
        """The chat as text, put in the first way that the template takes."""
        template = self._template(name)
        refused: list[Refusal | TemplateFault] = []
        for way in ways(chat):
            try:
                return template.render(way, signs)
            except (Refusal, TemplateFault) as error:
                if isinstance(error, TemplateFault) and error.limit:
                    raise self._broken(error) from error
                refused.append(error)
        first = refused[0]
        raise BadRequest(f"The model's chat template refuses this conversation ({first}).") from first

    def _refusal(self, error: BadRequest) -> TemplateBroken | None:
        """What refusing the dry chat tells: a fault; or no more than that the template takes only one
        question, which is none."""
        if isinstance(error.__cause__, TemplateFault):
            return self._broken(error.__cause__)
        try:
            self._text(DRY_CHAT[1:2], "")
        except EngineError as other:
            return TemplateBroken(self._name, str(other.__cause__ or other), None)
        return None

    def _broken(self, fault: TemplateFault) -> TemplateBroken:
        return TemplateBroken(self._name, fault.what, fault.line)


def _own_template(tokenizer: Any) -> str:
    """A tokenizer may hold several templates by name."""
    templates = tokenizer.chat_template or ""
    if isinstance(templates, Mapping):
        templates = templates.get("default") or next(iter(templates.values()), "")
    return str(templates)
