"""Direction by the first strong character."""

import pytest

from app.ui.direction import is_right_to_left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("مرحبا", True),
        ("שלום abc", True),
        ("abc שלום", False),
        ("1. (…) مرحبا", True),
        ("123", False),
        ("", False),
    ],
)
def test_first_letter_with_a_direction_decides(text: str, expected: bool) -> None:
    assert is_right_to_left(text) is expected
