import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.storage.text import clean


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\udc4bb", "\ufffdb"),
        ("\udc4b\ud83d", "\ufffd\ufffd"),
        ("\ud83d\udc4b", "👋"),
        ("\ud83d\ud83d\udc4b", "\ufffd👋"),
        ("a\x00b", "a\x00b"),
        ("\ufeffa\u00a0\u2028\u2029\ufdd0\r\n\ufffe", "\ufeffa\u00a0\u2028\u2029\ufdd0\r\n\ufffe"),
    ],
)
def test_only_what_utf8_cannot_hold_is_replaced(text: str, stored: str) -> None:
    assert clean(text) == stored


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_is_valid_and_stays(text: str) -> None:
    stored = clean(text)
    assert stored.encode().decode() == stored
    assert clean(stored) == stored


@settings(deadline=None)
@given(st.text())
def test_valid_text_is_kept_exactly(text: str) -> None:
    assert clean(text) is text
