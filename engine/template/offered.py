"""What a chat template finds beside Jinja's own: the functions and the tag that transformers offers."""

import json
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.utils import Namespace

from engine.template.budget import LimitExceeded
from engine.template.sizes import LONG_WIDTH

__all__ = ["Dict", "Generation", "Refusal", "SafeNamespace", "refuse", "to_json", "written_date"]


LONGEST_DATE = 200
"""Characters of a date's format."""


LONGEST_REFUSAL = 200
"""Characters."""


class Refusal(TemplateError):
    """A template does not take these messages, in its own words."""


def written_date(now: datetime, format: object) -> str:
    """Raises LimitExceeded: some systems take widths in a date's format."""
    text = str(format)
    if len(text) > LONGEST_DATE or LONG_WIDTH.search(text):
        raise LimitExceeded("it writes a date of thousands of characters")
    return now.strftime(text)


def refuse(message: object) -> NoReturn:
    """Raises Refusal, in one line."""
    raise Refusal(" ".join(str(message).split())[:LONGEST_REFUSAL].rstrip("."))


def to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Without Jinja's escapes for web pages."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


class Dict:
    """`dict` without the attributes of a type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class SafeNamespace(Namespace):
    """Holds no name that begins with an underscore, and shows nothing of what it holds."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # `self` may be one of the keywords.
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _check_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)

    def __repr__(self) -> str:
        return "<Namespace>"


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"the name {name!r} begins with an underscore")


class Generation(Extension):
    """`{% generation %}` marks what a model learned to write; here its content is just written."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)
