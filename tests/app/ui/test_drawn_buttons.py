"""Buttons and marks that draw themselves: each says what it is and looks like it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.glyph_button import Glyph, GlyphButton
from app.ui.marks import Ring, busy_icon, unread_icon
from app.ui.send_button import SendButton
from app.ui.theme import Theme
from tests.app.ui.palettes import dark, light


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


@pytest.mark.parametrize("glyph", ["cross", "plus", "sidebar"])
def test_a_glyph_is_drawn_named_and_pressed(qtbot: QtBot, glyph: Glyph) -> None:
    button, bare = GlyphButton(glyph, "Name"), QWidget()
    for widget in (button, bare):
        qtbot.addWidget(widget)
    bare.setFixedSize(button.size())
    assert picture(button) != picture(bare)
    assert button.accessibleName() == button.toolTip() == "Name"
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, Qt.Key.Key_Space)


def test_send_stop_and_disabled_look_different(qtbot: QtBot) -> None:
    button = SendButton()
    qtbot.addWidget(button)
    send = picture(button)
    button.setEnabled(False)
    disabled = picture(button)
    button.setEnabled(True)
    button.set_stops(True)
    stop = picture(button)
    assert send != disabled != stop != send
    assert (button.accessibleName(), button.toolTip()) == ("Stop", "Stop (Esc)")


def test_the_ring_fills(qtbot: QtBot) -> None:
    ring = Ring()
    qtbot.addWidget(ring)
    looks = []
    for share in (0.0, 0.5, 1.0):
        ring.set_share(share)
        looks.append(picture(ring))
    assert looks[0] != looks[1] != looks[2]


def test_tab_icons_are_made_once_and_follow_the_theme(qapp: QApplication) -> None:
    one, other = Theme.of(light()), Theme.of(dark())
    assert busy_icon(one, 0.5).cacheKey() == busy_icon(one, 0.501).cacheKey()
    assert busy_icon(one, 0.5).cacheKey() != busy_icon(one, 0.9).cacheKey()
    assert unread_icon(one).cacheKey() == unread_icon(one).cacheKey()
    assert unread_icon(one).cacheKey() != unread_icon(other).cacheKey()
