"""What is painted behind text."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.message_view import ReplyView
from app.ui.text_style import GAP, INDENT
from app.ui.theme import Theme
from tests.app.ui.documents import blocks
from tests.app.ui.fake_session import reply
from tests.app.ui.palettes import light

THEME = Theme.of(light())


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> Iterator[None]:
    before = qapp.palette()
    qapp.setPalette(light())
    yield
    qapp.setPalette(before)


class Picture:
    """A painted reply. Attributes: `image`; `middles` and `bottoms` of its text blocks, by their text."""

    def __init__(self, qtbot: QtBot, text: str) -> None:
        view = ReplyView(reply(text), "SmolLM2")
        qtbot.addWidget(view)
        view.resize(400, 300)
        view.show()
        qtbot.waitExposed(view)
        document = view.text.document()
        rects = [document.documentLayout().blockBoundingRect(block) for block in blocks(document)]
        texts = [block.text() for block in blocks(document)]
        self.middles = {text: rect.center().y() for text, rect in zip(texts, rects, strict=True)}
        self.bottoms = {text: rect.bottom() for text, rect in zip(texts, rects, strict=True)}
        self.image: QImage = view.text.grab().toImage()

    def color(self, x: float, y: float) -> QColor:
        """The colour at a place in the document."""
        scale = self.image.devicePixelRatio()
        return self.image.pixelColor(QPoint(int(x * scale), int(y * scale)))


def is_panel(color: QColor) -> bool:
    return color.name() == THEME.panel.name()


def test_code_stands_on_one_panel_to_its_last_line(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "before\n\n```\na\n\nb\n```\n\nafter\n")
    for line in ("a", "", "b"):
        assert is_panel(picture.color(200, picture.middles[line]))
    for line in ("before", "after"):
        assert not is_panel(picture.color(200, picture.middles[line]))


def test_two_panels_do_not_touch(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "```\na\n```\n\n```\nb\n```\n")
    middle = (picture.middles["a"] + picture.middles["b"]) / 2
    assert is_panel(picture.color(200, picture.middles["a"]))
    assert is_panel(picture.color(200, picture.middles["b"]))
    assert not is_panel(picture.color(200, middle))


def test_a_panel_alone_has_room_above_and_below(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "```\na\n```\n")
    assert is_panel(picture.color(200, 2))
    assert is_panel(picture.color(200, picture.bottoms["a"] + 4))


def test_a_quote_has_a_bar_for_each_level(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "> one\n>\n> > two\n")
    bar = THEME.line.name()
    assert picture.color(1, picture.middles["one"]).name() == bar
    assert picture.color(INDENT + 1, picture.middles["one"]).name() != bar
    assert picture.color(1, picture.middles["two"]).name() == bar
    assert picture.color(INDENT + 1, picture.middles["two"]).name() == bar


def test_the_bar_of_a_right_to_left_quote_stands_at_the_right(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "> مرحبا\n")
    width = picture.image.width() / picture.image.devicePixelRatio()
    assert picture.color(width - 2, picture.middles["مرحبا"]).name() == THEME.line.name()
    assert picture.color(1, picture.middles["مرحبا"]).name() != THEME.line.name()


def test_a_rule_goes_across(qtbot: QtBot) -> None:
    picture = Picture(qtbot, "above\n\n---\n\nbelow\n")
    rows = range(int(picture.middles["above"]), int(picture.middles["below"]))
    assert sum(picture.color(390, row).name() == THEME.line.name() for row in rows) == 1
    assert picture.middles["below"] - picture.middles["above"] > 2 * GAP
