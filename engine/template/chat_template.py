"""One chat template: compiled once, run for each prompt, its failures told by line."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import CodeType
from typing import NoReturn

from jinja2 import Template, TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from engine.template.budget import Budget, LimitExceeded
from engine.template.guards import guarded
from engine.template.offered import Refusal
from engine.template.sandbox import Sandbox

__all__ = ["ChatTemplate", "Refusal", "TemplateFault"]

LONGEST_SOURCE = 1 << 17
"""Characters; the longest templates known have 30,000."""

FILE_NAME = "<chat template>"

FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What a template's code can raise beside Jinja's own errors."""


class TemplateFault(Exception):
    """A template that cannot be compiled or run.

    Attributes:
        what: the fault, a clause without a full stop.
        line: of the template, from 1; None where none is to blame.
        limit: whether it was stopped for what it wanted to do, not for a mistake in it.
    """

    def __init__(self, what: str, line: int | None, limit: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.limit = limit


class ChatTemplate:
    """A template as the model's files have it. Safe from any thread: each run has a sandbox of its own."""

    def __init__(
        self,
        source: str,
        variables: Mapping[str, str],
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        """Compiles it.

        Args:
            variables: the special tokens by name, such as `bos_token`.
            clock: seconds, for the limit on time.
            now: the date and time that `strftime_now` tells.

        Raises:
            TemplateFault: it is no template.
        """
        self._variables = dict(variables)
        self._clock = clock
        self._now = now
        self._code = self._compiled(source)

    def render(self, messages: Sequence[Mapping[str, str]], signs: str = "") -> str:
        """The chat as text, up to where the reply begins.

        Args:
            signs: the two that stand around marks in the messages; "" for none.

        Raises:
            Refusal: the template does not take these messages.
            TemplateFault: it fails, or wants more time or memory than it may use.
        """
        given = sum(len(part.encode()) for message in messages for part in message.values())
        sandbox = Sandbox(Budget(given + 1024 * len(messages), self._clock), self._now, signs)
        template = Template.from_code(sandbox, self._code, sandbox.make_globals(None))
        try:
            return "".join(
                template.generate(
                    **self._variables,
                    messages=[dict(message) for message in messages],
                    tools=None,
                    documents=None,
                    add_generation_prompt=True,
                )
            )
        except Refusal:
            raise
        except (TemplateError, LimitExceeded, *FAULTS) as error:
            _fail(error)

    def _compiled(self, source: str) -> CodeType:
        if len(source) > LONGEST_SOURCE:
            raise TemplateFault(f"it is {len(source):,} characters long", None, limit=True)
        sandbox = Sandbox(Budget(len(source), self._clock), self._now)
        try:
            tree = guarded(sandbox.parse(source))
            tree.set_environment(sandbox)
            return sandbox.compile(tree, filename=FILE_NAME)
        except (TemplateError, LimitExceeded, *FAULTS) as error:
            _fail(error)


def _fail(error: Exception) -> NoReturn:
    limit = isinstance(error, LimitExceeded | SecurityError | RecursionError | MemoryError)
    raise TemplateFault(_what(error), _line(error), limit) from error


def _what(error: Exception) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply"
    if isinstance(error, SyntaxError):
        return "it is too complicated"
    text = str(error).strip().partition("\n")[0][:200].rstrip(".: ")
    return text or type(error).__name__


def _line(error: Exception) -> int | None:
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE_NAME
    ]
    return lines[-1] if lines else None
