"""What the user said, as it is shown."""

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.records import Message
from app.ui.chip import Chip
from app.ui.user_view import MOST_CHARACTERS, MOST_LINES, UserView, first_lines
from tests.app.ui.fake_session import attachment, user


def shown(qtbot: QtBot, message: Message, width: int = 700) -> UserView:
    view = UserView(message)
    qtbot.addWidget(view)
    view.resize(width, 300)
    view.show()
    return view


def more(view: UserView) -> QPushButton:
    (button,) = view.findChildren(QPushButton)
    return button


@pytest.mark.parametrize("text", ["**not bold**", "<b>x</b> &amp; [a](b)", "  two\n\n\tlines  ", "# no head"])
def test_text_is_exactly_what_was_typed(qtbot: QtBot, text: str) -> None:
    assert shown(qtbot, user(text)).text.toPlainText() == text


def test_it_is_one_accessible_item_named_you(qtbot: QtBot) -> None:
    view = shown(qtbot, user("Hello"))
    assert (view.text.accessibleName(), view.text.accessibleDescription()) == ("You", "Hello")


def test_a_long_message_is_collapsed_until_asked_for(qtbot: QtBot) -> None:
    text = "\n".join(f"line {number}" for number in range(60))
    view = shown(qtbot, user(text))
    assert view.text.toPlainText() == "\n".join(f"line {number}" for number in range(MOST_LINES))
    low = view.text.height()
    more(view).click()
    assert view.text.toPlainText() == text
    assert view.text.height() > 2 * low
    more(view).click()
    assert view.text.height() == low


def test_a_short_message_has_nothing_more_to_show(qtbot: QtBot) -> None:
    assert more(shown(qtbot, user("short"))).isHidden()


def test_one_long_line_is_collapsed_too() -> None:
    assert first_lines("x" * 50_000) == "x" * MOST_CHARACTERS
    assert first_lines("a\nb") == "a\nb"


def test_the_bubble_is_as_wide_as_its_words_up_to_its_share(qtbot: QtBot) -> None:
    narrow, wide = shown(qtbot, user("Hi")), shown(qtbot, user("some words " * 60))
    assert narrow.text.width() < 60
    assert 500 < wide.text.width() < 0.85 * 700
    assert wide.text.height() > 3 * narrow.text.height()


def test_attachments_are_chips_that_stay(qtbot: QtBot) -> None:
    view = shown(qtbot, user("Read this", attachment("x" * 48_000), attachment("y", "notes.txt")))
    chips = view.findChildren(Chip)
    assert [chip.accessibleName() for chip in chips] == ["Pasted text, 48 KB", "notes.txt, 1 byte"]
    assert not any(child for chip in chips for child in chip.children() if child.isWidgetType())


def test_an_attachment_alone_shows_no_empty_bubble(qtbot: QtBot) -> None:
    view = shown(qtbot, user("", attachment()))
    assert not view.text.isVisible()
