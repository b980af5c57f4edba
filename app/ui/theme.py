"""The colours of the window, worked out from the system's palette so that text is always readable."""

from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette

__all__ = ["COLUMN", "GRID", "READABLE", "Theme", "contrast", "mix", "readable"]

GRID = 8
"""The unit of all spacing, in device-independent pixels."""
COLUMN = 760
"""The widest line of text, in device-independent pixels."""
READABLE = 4.5
"""The least contrast of text and what is behind it (WCAG 2.1, AA)."""

_VISIBLE = 3.0
"""Likewise of a mark that is not text."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


def contrast(one: QColor, other: QColor) -> float:
    """The WCAG contrast ratio of two opaque colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(value) for value in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """`one` with a `share` (0 to 1) of `other`, opaque."""
    channels = (
        a + (b - a) * share
        for a, b in zip(
            (one.redF(), one.greenF(), one.blueF()),
            (other.redF(), other.greenF(), other.blueF()),
            strict=True,
        )
    )
    return QColor.fromRgbF(*channels)


def readable(color: QColor, *behind: QColor) -> QColor:
    """`color`, moved towards black or white as far as needed to be read on each of `behind`."""
    target = max((_BLACK, _WHITE), key=lambda end: min(contrast(end, back) for back in behind))
    for step in range(21):
        candidate = mix(color, target, step / 20)
        if all(contrast(candidate, back) >= READABLE for back in behind):
            return candidate
    return target


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours.

    Attributes:
        page: behind replies. text, quiet: on it and on `panel`.
        panel: behind code and table heads. bubble: behind what the user said.
        line: borders and rules.
        link, caution: coloured text on `page`, `panel` and `bubble`.
        accent: the system's accent; on_accent: marks on it.
        selection, selected: behind selected text, and that text.
        dark: whether `page` is dark.
    """

    dark: bool
    page: QColor
    text: QColor
    quiet: QColor
    panel: QColor
    bubble: QColor
    line: QColor
    link: QColor
    caution: QColor
    accent: QColor
    on_accent: QColor
    selection: QColor
    selected: QColor

    @classmethod
    def of(cls, palette: QPalette) -> "Theme":
        """The colours that go with a palette."""
        role = QPalette.ColorRole
        page, accent = palette.color(role.Base), palette.color(role.Accent)
        text = readable(palette.color(role.Text), page)
        panel, bubble = mix(page, text, 0.055), mix(page, accent, 0.14)
        dark = page.lightnessF() < 0.5
        selection = mix(page, accent, 0.4 if dark else 0.3)
        caution = QColor(235, 160, 90) if dark else QColor(150, 75, 10)
        return cls(
            dark=dark,
            page=page,
            text=readable(text, panel, bubble),
            quiet=readable(mix(text, page, 0.4), page, panel, bubble, palette.color(role.Window)),
            panel=panel,
            bubble=bubble,
            line=mix(page, text, 0.18),
            link=readable(palette.color(role.Link), page, panel, bubble),
            caution=readable(caution, page, panel, bubble),
            accent=accent,
            on_accent=_WHITE if contrast(_WHITE, accent) >= _VISIBLE else _BLACK,
            selection=selection,
            selected=readable(text, selection),
        )
