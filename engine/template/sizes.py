"""How large a result will be, in bytes, before it is made: of operators, methods of strings, filters."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.template.budget import Budget, LimitExceeded

__all__ = ["LONG_WIDTH", "filter_size", "method_size", "operator_size"]

LARGEST_NUMBER = 100_000
"""For a width, a count or an indent."""
LONGEST_NUMBER = 8_000
"""Bytes of an integer that is calculated with."""
ESCAPED = 10
"""Characters that one character becomes in a quoted text, at most."""
WIDEST = 4
"""Bytes that a character takes once a text holds a wider one."""
PIECE = 64
"""Bytes of an object beside its characters, such as one piece of a text that is split."""

MANY = (str, bytes, list, tuple)
LONG_WIDTH = re.compile(r"\d{5,}")
WIDTH_FROM_ARGUMENT = re.compile(r"%[^a-zA-Z%]*\*|\{[^}]*\{")
FIELD = re.compile(r"[%{]")

LOOKS = frozenset({"first", "last", "length", "count", "default", "d", "items", "attr"})
"""Filters that look at the outside of a value only."""

BY_ITEM = frozenset(
    [
        *("batch", "dictsort", "groupby", "list", "map", "max", "min", "reject", "rejectattr", "reverse"),
        *("select", "selectattr", "slice", "sort", "sum", "title", "unique", "wordcount"),
    ]
)
"""Filters that make an object for each item of a sequence, or each character or word of a text."""


def operator_size(budget: Budget, operator: str, left: Any, right: Any) -> int:
    """Of `left operator right`. Raises LimitExceeded."""
    if operator == "%" and isinstance(left, str):
        values = right.values() if isinstance(right, Mapping) else right
        return _formatted(budget, left, values if isinstance(values, tuple) else (values,))
    if operator == "*" and isinstance(right, MANY):
        left, right = right, left
    if operator == "*" and isinstance(left, MANY):
        return _items_size(left) * max(right, 0) if isinstance(right, int) else 0
    if operator == "+" and isinstance(left, MANY):
        return _items_size(left) + sys.getsizeof(right)
    if operator == "**" and isinstance(left, int) and isinstance(right, int):
        _bound_integer(left.bit_length() * right // 8)
    for operand in (left, right):
        if isinstance(operand, int):
            _bound_integer(operand.bit_length() // 8)
    return 0


def method_size(budget: Budget, text: str, method: str, args: Sequence[Any]) -> int:
    """Of `text.method(*args)`. Raises LimitExceeded."""
    budget.weigh(args)
    match method:
        case "encode":
            raise LimitExceeded("it makes bytes, which no template needs")
        case "center" | "ljust" | "rjust" | "zfill":
            return sys.getsizeof(text) + WIDEST * _largest(args)
        case "expandtabs":
            return sys.getsizeof(text) + WIDEST * text.count("\t") * max(_largest(args), 8)
        case "replace":
            return _replaced(text, args)
        case "join":
            return _joined(budget, text, args[0] if args else ())
        case "format" | "format_map":
            return _formatted(budget, text, args)
        case "translate":
            return len(text) * budget.weigh(args).bytes
        case "split" | "rsplit" | "splitlines" | "partition" | "rpartition":
            return sys.getsizeof(text) + PIECE * _pieces(text, args)
    return 3 * sys.getsizeof(text)


def filter_size(budget: Budget, name: str, value: Any, args: Sequence[Any]) -> int:
    """Of `value | name(*args)`. Raises LimitExceeded."""
    if name in LOOKS:
        return 0
    if name in SIZES:
        return SIZES[name](budget, value, args)
    if name in BY_ITEM:
        items = len(value) if isinstance(value, str) else budget.weigh(value).nodes
        return PIECE * items
    return _text_size(budget, value)


def _items_size(value: Any) -> int:
    """Of what is multiplied when a sequence is."""
    return sys.getsizeof(value) - sys.getsizeof(type(value)())


def _text_size(budget: Budget, value: object) -> int:
    """Of `str(value)`."""
    return sys.getsizeof(value) if isinstance(value, str) else ESCAPED * budget.weigh(value).bytes


def _text(budget: Budget, value: object) -> str:
    budget.afford(_text_size(budget, value))
    return str(value)


def _bound_integer(size: int) -> None:
    if size > LONGEST_NUMBER:
        raise LimitExceeded("it calculates with numbers of thousands of digits")


def _largest(args: Iterable[object]) -> int:
    """The largest whole number among arguments, which may not be out of all proportion."""
    largest = max((abs(part) for part in args if isinstance(part, int)), default=0)
    if largest > LARGEST_NUMBER:
        raise LimitExceeded(f"it asks for a width or a count above {LARGEST_NUMBER:,}")
    return largest


def _replaced(text: str, args: Sequence[object]) -> int:
    old, new = [*(part if isinstance(part, str) else str(part) for part in args[:2]), "", ""][:2]
    return WIDEST * (len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def _joined(budget: Budget, separator: str, items: object) -> int:
    if isinstance(items, str):
        return len(items) * (PIECE + WIDEST * len(separator))
    weight = budget.weigh(items)
    flat = isinstance(items, list | tuple) and all(isinstance(item, str) for item in items)
    return (1 if flat else ESCAPED) * weight.bytes + WIDEST * weight.nodes * len(separator)


def _formatted(budget: Budget, form: str, args: Sequence[object]) -> int:
    """Each field may name any of the arguments, and a width of up to four digits."""
    if LONG_WIDTH.search(form):
        raise LimitExceeded(f"it asks for a width above {LARGEST_NUMBER:,}")
    widest = _largest(args) if WIDTH_FROM_ARGUMENT.search(form) else 0
    widest += 10_000 if re.search(r"\d", form) else 0
    plain = all(isinstance(part, str | int | float) for part in args) and not re.search(r"[ra]", form)
    longest = budget.weigh(args).bytes * (WIDEST if plain else ESCAPED)
    return WIDEST * len(form) + len(FIELD.findall(form)) * (WIDEST * widest + longest)


def _pieces(text: str, args: Sequence[object]) -> int:
    """Into how many a text may be split."""
    separator = next((part for part in args if isinstance(part, str) and part), "")
    if separator:
        return 1 + text.count(separator)
    return 1 + sum(map(text.count, " \n\r\t\v\f")) if text.isascii() else 1 + len(text)


def _format_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    return _formatted(budget, _text(budget, value), args)


def _replace_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    return _replaced(_text(budget, value), args)


def _join_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    return _joined(budget, _text(budget, args[0]) if args else "", value)


def _json_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    weight, around = budget.weigh(value), budget.weigh(args).bytes + WIDEST * _largest(args)
    return 6 * weight.bytes + weight.nodes * around * weight.depth


def _indent_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    text = _text(budget, value)
    width = max([4, _largest(args), *(len(part) for part in args if isinstance(part, str))])
    return WIDEST * (len(text) + width * (1 + sum(map(text.count, "\n\r\v\f"))))


def _wide_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    return _text_size(budget, value) + PIECE * _largest(args)


def _int_filter(_budget: Budget, value: Any, _args: Sequence[Any]) -> int:
    _bound_integer(len(value) if isinstance(value, str) else 0)
    return 0


def _sum_filter(budget: Budget, value: Any, args: Sequence[Any]) -> int:
    if any(isinstance(part, list | tuple) for part in args):
        raise LimitExceeded("it adds up lists")
    return budget.weigh(value).bytes


SIZES: dict[str, Callable[[Budget, Any, Sequence[Any]], int]] = {
    "batch": _wide_filter,
    "center": _wide_filter,
    "e": lambda budget, value, _: 6 * _text_size(budget, value),
    "escape": lambda budget, value, _: 6 * _text_size(budget, value),
    "format": _format_filter,
    "indent": _indent_filter,
    "int": _int_filter,
    "join": _join_filter,
    "replace": _replace_filter,
    "round": _wide_filter,
    "slice": _wide_filter,
    "sum": _sum_filter,
    "tojson": _json_filter,
}
"""Filters whose result depends on more than the size of what they are given."""
