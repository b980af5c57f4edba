"""A light and a dark palette like a desktop's."""

from PySide6.QtGui import QColor, QPalette

_ROLES = QPalette.ColorRole


def palette(base: str, text: str, window: str, accent: str, link: str) -> QPalette:
    """A palette with these colours."""
    made = QPalette()
    for role in (_ROLES.Text, _ROLES.WindowText, _ROLES.ButtonText):
        made.setColor(role, QColor(text))
    for role in (_ROLES.Window, _ROLES.Button):
        made.setColor(role, QColor(window))
    made.setColor(_ROLES.Base, QColor(base))
    made.setColor(_ROLES.Accent, QColor(accent))
    made.setColor(_ROLES.Link, QColor(link))
    return made


def light() -> QPalette:
    """Black on white."""
    return palette("#ffffff", "#1d1d1f", "#f4f4f5", "#0a7aff", "#0a60ff")


def dark() -> QPalette:
    """White on nearly black."""
    return palette("#1c1c1e", "#ececee", "#28282a", "#0a84ff", "#0000ff")
