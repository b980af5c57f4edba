"""Jinja as chat templates are written for it, where everything a template does counts against its budget."""

import functools
from collections.abc import Callable, Mapping
from datetime import datetime
from types import BuiltinMethodType, GeneratorType
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.runtime import Context, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from engine.template.budget import Budget
from engine.template.guards import CONCATENATED, MADE, TICK, WEIGHED, WRITTEN
from engine.template.offered import Dict, Generation, SafeNamespace, refuse, to_json, written_date
from engine.template.sizes import filter_size, method_size, operator_size

__all__ = ["Sandbox"]

LEFT_OUT = (
    *("filesizeformat", "forceescape", "pprint", "random", "striptags"),
    *("urlencode", "urlize", "wordwrap", "xmlattr"),
)
"""Filters for web pages, which no chat template needs: slow, or different each time."""

LAZY = frozenset({"map", "select", "reject", "selectattr", "rejectattr", "items", "default", "d"})
"""Filters that take what they are given item by item, or not at all."""

CUTTING = ("split", "rsplit", "partition", "rpartition")
"""Methods that take a text apart at another."""

METHODS: Mapping[type, frozenset[str]] = {
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    range: frozenset({"count", "index"}),
    float: frozenset({"is_integer"}),
}
"""What may be called of Python's own types beside strings."""

COMPARING = (
    *("eq", "==", "equalto", "ne", "!=", "in"),
    *("lt", "<", "lessthan", "le", "<=", "gt", ">", "greaterthan", "ge", ">="),
)
"""Tests that look into all of a value."""


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one compilation or one run. Everything in it raises LimitExceeded."""

    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "%", "**"])

    def __init__(self, budget: Budget, now: Callable[[], datetime], signs: str = "") -> None:
        """`signs` are the two that stand around marks in the messages, if there are any."""
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=[Generation, loopcontrols]
        )
        self.budget = budget
        self._signs = signs
        filters: dict[str, Callable[..., Any]] = {**self.filters, "tojson": to_json}
        self.filters = {name: self._guarded(name, filter) for name, filter in filters.items()}
        for name in LEFT_OUT:
            del self.filters[name]
        self.filters |= self._own_filters()
        tests: dict[str, Any] = self.tests
        self.tests |= {name: self._weighing(tests[name]) for name in COMPARING}
        del self.globals["lipsum"]
        self.globals |= {
            "raise_exception": refuse,
            "strftime_now": lambda format: written_date(now(), format),
            "dict": Dict(),
            "namespace": SafeNamespace,
        }

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        budget = __self.budget
        budget.tick()
        args = tuple(__self._all_of(part) for part in args)
        method = getattr(__obj, "__wrapped__", __obj)  # str.format comes wrapped
        owner = getattr(method, "__self__", None)
        if isinstance(owner, str):
            budget.afford(method_size(budget, owner, method.__name__, (*args, *kwargs.values())))
        elif isinstance(method, BuiltinMethodType) and not _is_harmless(owner, method.__name__):
            raise SecurityError(f"it calls {method.__name__!r}, which no template needs")
        elif not isinstance(__obj, Macro):
            budget.weigh(args)
        result = budget.made(super().call(__context, __obj, *args, **kwargs))
        cuts = __self._signs and isinstance(owner, str) and method.__name__ in CUTTING
        return type(result)(map(__self._without_lone_signs, result)) if cuts else result

    def _without_lone_signs(self, piece: str) -> str:
        """What was cut at a mark must not begin or end with the sign that stood on its other side."""
        return piece.removeprefix(self._signs[1]).removesuffix(self._signs[0])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.budget.tick()
        self.budget.afford(operator_size(self.budget, operator, left, right))
        return self.budget.made(super().call_binop(context, operator, left, right))

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(argument, tuple):  # It is hashed.
            self.budget.weigh(argument)
        return super().getitem(obj, argument)

    def _all_of(self, value: Any) -> Any:
        """The items of a lazy sequence, so that their size is known; any other value as it is."""
        if not isinstance(value, GeneratorType):
            return value
        items = []
        for item in value:
            self.budget.tick()
            self.budget.charge(8)
            items.append(item)
        return items

    def _guarded(self, name: str, filter: Callable[..., Any]) -> Callable[..., Any]:
        place = 1 if hasattr(filter, "jinja_pass_arg") else 0

        @functools.wraps(filter)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            self.budget.tick()
            passed, value, rest = args[:place], args[place], args[place + 1 :]
            if name not in LAZY:
                value = self._all_of(value)
            self.budget.afford(filter_size(self.budget, name, value, (*rest, *kwargs.values())))
            return self.budget.made(filter(*passed, value, *rest, **kwargs))

        return guarded

    def _weighing(self, test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def weighing(*args: Any) -> Any:
            self.budget.weigh(args)
            return test(*args)

        return weighing

    def _own_filters(self) -> Mapping[str, Callable[..., Any]]:
        """What `guards` writes into a template. A filter that takes the context runs in a run only."""
        budget = self.budget

        @pass_context
        def tick(_context: Context, value: Any) -> Any:
            budget.tick()
            return value

        @pass_context
        def written(_context: Context, value: Any) -> str:
            text = _text(budget, value)
            budget.charge(len(text))
            return text

        @pass_context
        def concatenated(_context: Context, values: list[Any]) -> Any:
            budget.tick()
            texts = [_text(budget, value) for value in values]
            budget.afford(sum(map(len, texts)))
            return budget.made("".join(texts))

        @pass_context
        def made(_context: Context, value: Any) -> Any:
            budget.tick()
            return budget.made(value)

        @pass_context
        def weighed(_context: Context, value: Any) -> Any:
            if not isinstance(value, str | int | float | Undefined | None):
                budget.weigh(value)
            return value

        return {TICK: tick, WRITTEN: written, CONCATENATED: concatenated, MADE: made, WEIGHED: weighed}


def _text(budget: Budget, value: object) -> str:
    if not isinstance(value, str):
        budget.afford(filter_size(budget, "string", value, ()))
    return value if isinstance(value, str) else str(value)


def _is_harmless(owner: object, method: str) -> bool:
    return any(isinstance(owner, kind) and method in names for kind, names in METHODS.items())
