"""Writing and sending."""

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.records import Draft, Submission
from app.ui.chip import Chip
from app.ui.composer import DRAFT_MS, Composer
from app.ui.glyph_button import GlyphButton
from tests.app.ui.fake_session import attachment


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.resize(500, composer.sizeHint().height())
    composer.show()
    return composer


def paste(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.edit.insertFromMimeData(data)


def send(qtbot: QtBot, composer: Composer) -> Submission:
    with qtbot.waitSignal(composer.submitted) as signal:
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    submission = signal.args[0]
    assert isinstance(submission, Submission)
    return submission


@pytest.mark.parametrize("text", ["", "  \n", "\u00a0\t\n\n "])
def test_k10_nothing_to_send_cannot_be_sent(qtbot: QtBot, composer: Composer, text: str) -> None:
    paste(composer, text)
    assert not composer.button.isEnabled()
    with qtbot.assertNotEmitted(composer.submitted):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert composer.edit.typed_text() == text


def test_k10_an_invisible_character_is_something(qtbot: QtBot, composer: Composer) -> None:
    paste(composer, "\u200b")
    assert composer.button.isEnabled()
    assert send(qtbot, composer).text == "\u200b"


def test_k10_a_chip_alone_is_enough(qtbot: QtBot, composer: Composer) -> None:
    composer.chips.add(attachment())
    assert composer.button.isEnabled()
    assert len(send(qtbot, composer).attachments) == 1


def test_sending_empties_the_field_and_tells_the_draft_at_once(qtbot: QtBot, composer: Composer) -> None:
    document = attachment()
    composer.chips.add(document)
    QTest.keyClicks(composer.edit, "What is this?")
    drafts: list[Draft] = []
    composer.draft_changed.connect(drafts.append)
    assert send(qtbot, composer) == Submission("What is this?", (document,))
    assert drafts == [Draft()]
    assert composer.draft == Draft()
    assert composer.chips.isHidden()


def test_u11_a_large_paste_becomes_a_chip_byte_for_byte(qtbot: QtBot, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "Read ")
    text = "ä line\r\n\twith\u00a0all\x00\n" * 2_000
    paste(composer, text)
    (document,) = composer.chips.attachments
    assert document.text == text
    assert document.name == "Pasted text"
    assert document.size == len(text.encode())
    assert composer.edit.typed_text() == "Read "
    assert composer.chips.isVisible()


def test_u11_a_chip_shows_its_size_and_goes_with_its_cross(qtbot: QtBot, composer: Composer) -> None:
    paste(composer, "x" * 25_000)
    paste(composer, "y" * 30_000)
    first, second = composer.findChildren(Chip)
    assert first.accessibleName() == "Pasted text, 25 KB"
    assert second.accessibleName() == "Pasted text 2, 30 KB"
    (cross,) = first.findChildren(GlyphButton)
    QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert [document.text[0] for document in composer.chips.attachments] == ["y"]


def test_a_small_paste_goes_into_the_field(composer: Composer) -> None:
    paste(composer, "one\ntwo")
    assert composer.edit.typed_text() == "one\ntwo"
    assert composer.chips.attachments == ()


def test_the_button_stops_while_a_reply_is_under_way(qtbot: QtBot, composer: Composer) -> None:
    composer.set_busy(True)
    assert composer.button.accessibleName() == "Stop"
    assert composer.button.isEnabled()
    with qtbot.waitSignal(composer.stopped), qtbot.assertNotEmitted(composer.submitted):
        composer.button.click()
    composer.set_busy(False)
    assert composer.button.accessibleName() == "Send"
    assert not composer.button.isEnabled()


def test_return_keeps_the_text_while_a_reply_is_under_way(qtbot: QtBot, composer: Composer) -> None:
    composer.set_busy(True)
    QTest.keyClicks(composer.edit, "next")
    with qtbot.assertNotEmitted(composer.submitted):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert composer.edit.typed_text() == "next"


def test_the_button_sends(qtbot: QtBot, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "hello")
    with qtbot.waitSignal(composer.submitted):
        composer.button.click()


def test_up_brings_back_what_was_sent_last(qtbot: QtBot, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "first")
    send(qtbot, composer)
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    QTest.keyClicks(composer.edit, "!")
    assert composer.edit.typed_text() == "first!"


def test_u16_a_draft_is_told_soon_and_seldom(qtbot: QtBot, composer: Composer) -> None:
    drafts: list[Draft] = []
    composer.draft_changed.connect(drafts.append)
    with qtbot.waitSignal(composer.draft_changed, timeout=10 * DRAFT_MS):
        QTest.keyClicks(composer.edit, "typed quickly")
    assert drafts == [Draft("typed quickly")]


def test_u16_a_draft_is_told_at_once_when_hidden(qtbot: QtBot, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "half a thou")
    with qtbot.waitSignal(composer.draft_changed, timeout=DRAFT_MS // 3) as signal:
        composer.hide()
    assert signal.args == [Draft("half a thou")]


def test_u16_a_draft_comes_back_and_is_not_told_again(qtbot: QtBot, composer: Composer) -> None:
    draft = Draft("kept\u00a0text\nof two lines", (attachment(), attachment("y", "notes.txt")))
    with qtbot.assertNotEmitted(composer.draft_changed, wait=DRAFT_MS + 50):
        composer.set_draft(draft)
    assert composer.draft == draft
    composer.set_draft(Draft())
    assert composer.draft == Draft()
