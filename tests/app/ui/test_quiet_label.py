"""Secondary text."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.quiet_label import QuietLabel
from app.ui.theme import Theme
from tests.app.ui.palettes import dark, light


def has_color(label: QuietLabel, color: QColor) -> bool:
    return label.palette().windowText().color() == color


def test_its_colour_follows_the_palette(qtbot: QtBot) -> None:
    before = QApplication.palette()
    try:
        label = QuietLabel("<b>plain</b>")
        qtbot.addWidget(label)
        label.show()
        for palette in (light(), dark()):
            QApplication.setPalette(palette)
            wanted = Theme.of(palette)
            qtbot.waitUntil(partial(has_color, label, wanted.quiet))
            label.set_caution(True)
            assert label.palette().windowText().color() == wanted.caution
            label.set_caution(False)
    finally:
        QApplication.setPalette(before)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.font().pointSizeF() < QApplication.font().pointSizeF()
