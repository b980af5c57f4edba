"""Sizes in words."""

import pytest

from app.ui.size_text import size_text


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (20_480, "20 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (10_000_000, "10.0 MB"),
        (2_500_000_000, "2.5 GB"),
    ],
)
def test_decimal_units(size: int, expected: str) -> None:
    assert size_text(size) == expected
