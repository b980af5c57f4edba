"""No result is larger than was said before it was made."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from engine.template.budget import Budget, LimitExceeded
from engine.template.sizes import filter_size, method_size, operator_size

TEXTS = st.text("ab %{}\n\tä😀", max_size=30)
WIDTHS = st.integers(0, 300)


def budget() -> Budget:
    return Budget(0, lambda: 0.0)


@given(TEXTS, TEXTS, TEXTS, WIDTHS)
def test_methods_of_text_keep_to_their_sizes(text: str, old: str, new: str, width: int) -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("center", (width,)),
        ("ljust", (width, "ä")),
        ("zfill", (width,)),
        ("expandtabs", (width,)),
        ("replace", (old, new)),
        ("join", ([old, new, old],)),
        ("upper", ()),
        ("title", ()),
    ]
    for method, args in calls:
        made = getattr(text, method)(*args)
        assert sys.getsizeof(made) <= method_size(budget(), text, method, args) + 100


@given(TEXTS, TEXTS, TEXTS, WIDTHS)
def test_filters_keep_to_their_sizes(text: str, old: str, new: str, width: int) -> None:
    environment = Environment()
    context = environment.from_string("").new_context()
    calls: list[tuple[str, Any, tuple[Any, ...]]] = [
        ("center", text, (width,)),
        ("indent", text, (width, True, True)),
        ("string", [text, {old: new}], ()),
        ("upper", [text], ()),
        ("list", text, ()),
        ("sort", text, ()),
        ("escape", text, ()),
    ]
    for name, value, args in calls:
        made = environment.call_filter(name, value, args, context=context)
        assert sys.getsizeof(made) <= filter_size(budget(), name, value, args) + 200


@given(TEXTS, st.integers(-3, 300))
def test_operators_keep_to_their_sizes(text: str, times: int) -> None:
    for left, right in ((text, times), (times, text), ([text], times), ((text,), times)):
        assert sys.getsizeof(left * right) <= operator_size(budget(), "*", left, right) + 100  # type: ignore[operator]
    assert sys.getsizeof(text + "ä") <= operator_size(budget(), "+", text, "ä") + 200


@pytest.mark.parametrize(
    ("form", "args"),
    [
        ("%s and %s", ("x" * 500, "y")),
        ("%999d", (1,)),
        ("%r", (["\x00" * 50],)),
        ("%(a)s%(a)s", ({"a": "ä" * 99},)),
    ],
)
def test_formatted_texts_keep_to_their_sizes(form: str, args: tuple[Any, ...]) -> None:
    values = args[0] if isinstance(args[0], dict) else args
    assert sys.getsizeof(form % values) <= operator_size(budget(), "%", form, values) + 100


def test_numbers_of_thousands_of_digits_are_refused() -> None:
    for operator, left, right in (("**", 10, 10**6), ("*", 1 << 10**6, 2), ("-", 1, 1 << 10**6)):
        with pytest.raises(LimitExceeded, match="digits"):
            operator_size(budget(), operator, left, right)
