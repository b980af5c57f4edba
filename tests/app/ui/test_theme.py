"""Colours: always readable, light and dark."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QPalette

from app.ui.theme import READABLE, Theme, contrast, mix, readable
from tests.app.ui.palettes import dark, light

COLORS = st.integers(0, 0xFFFFFF).map(lambda rgb: QColor(rgb))


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("red"), QColor("red")) == pytest.approx(1)


def test_mix_ends_at_either_colour() -> None:
    assert mix(QColor("red"), QColor("blue"), 0).name() == QColor("red").name()
    assert mix(QColor("red"), QColor("blue"), 1).name() == QColor("blue").name()


@given(COLORS, COLORS)
def test_any_colour_is_made_readable_on_any_other(color: QColor, behind: QColor) -> None:
    assert contrast(readable(color, behind), behind) >= READABLE


def test_a_readable_colour_stays_as_it_is() -> None:
    assert readable(QColor("#0a60ff"), QColor("white")).name() == "#0a60ff"


@pytest.mark.parametrize("palette", [light(), dark()], ids=["light", "dark"])
def test_u25_text_code_links_and_selection_are_readable(palette: QPalette) -> None:
    theme = Theme.of(palette)
    for text in (theme.text, theme.quiet, theme.link, theme.caution):
        for behind in (theme.page, theme.panel, theme.bubble):
            assert contrast(text, behind) >= READABLE
    assert contrast(theme.selected, theme.selection) >= READABLE
    assert contrast(theme.on_accent, theme.accent) >= 3


def test_light_and_dark_differ_in_every_colour_but_marks() -> None:
    one, other = Theme.of(light()), Theme.of(dark())
    assert (one.dark, other.dark) == (False, True)
    same = {field.name for field in fields(Theme) if getattr(one, field.name) == getattr(other, field.name)}
    assert same <= {"on_accent"}
