"""Many messages, and where the reader is."""

import statistics
import time

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.records import Message, MessageState
from app.ui import live_text
from app.ui.jump_button import JumpButton
from app.ui.message_view import ReplyView
from app.ui.theme import COLUMN
from app.ui.transcript import PAGE, Transcript
from app.ui.user_view import UserView
from tests.app.ui.fake_session import reply, user

PARAGRAPHS = "A paragraph of some words that goes on for a while.\n\n" * 20


@pytest.fixture
def transcript(qtbot: QtBot) -> Transcript:
    transcript = Transcript("SmolLM2")
    qtbot.addWidget(transcript)
    transcript.resize(900, 500)
    transcript.show()
    return transcript


def streaming() -> Message:
    return reply("", MessageState.STREAMING)


def at_end(transcript: Transcript) -> bool:
    bar = transcript.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def wheel(transcript: Transcript, notches: int) -> None:
    turn = QWheelEvent(
        QPointF(100, 100),
        QPointF(100, 100),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(transcript.viewport(), turn)


def jump_button(transcript: Transcript) -> JumpButton:
    (button,) = transcript.findChildren(JumpButton)
    return button


def grow(qtbot: QtBot, transcript: Transcript, message: Message, text: str) -> None:
    """Appends and waits until it is laid out."""
    view = transcript.views[message.id]
    before = view.height()
    transcript.append(message.id, text)
    qtbot.waitUntil(lambda: view.height() > before)


def test_each_message_is_one_view_named_after_who_speaks(transcript: Transcript) -> None:
    question, answer = user("Hi"), reply("Hello")
    transcript.load([question, answer])
    assert list(transcript.views) == [question.id, answer.id]
    assert [view.text.accessibleName() for view in transcript.views.values()] == ["You", "SmolLM2"]


def test_a_new_name_is_used_for_replies_that_come(transcript: Transcript) -> None:
    first, second = reply("a"), reply("b")
    transcript.add(first)
    transcript.name = "Llama"
    transcript.add(second)
    assert [view.text.accessibleName() for view in transcript.views.values()] == ["SmolLM2", "Llama"]


def test_text_goes_to_its_own_message(qtbot: QtBot, transcript: Transcript) -> None:
    one, other = streaming(), streaming()
    transcript.load([one, other])
    transcript.append(one.id, "first")
    transcript.append(other.id, "second")
    transcript.append("unknown", "third")
    qtbot.waitUntil(lambda: transcript.views[other.id].text.toPlainText() == "second")
    assert transcript.views[one.id].text.toPlainText() == "first"


def test_the_column_is_no_wider_than_one_can_read(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.load([reply(PARAGRAPHS)])
    (view,) = transcript.views.values()
    transcript.resize(1_600, 500)
    qtbot.waitUntil(lambda: view.width() == COLUMN)
    left = view.mapTo(transcript, QPoint()).x()
    assert abs(left - (transcript.viewport().width() - COLUMN) // 2) <= 2
    transcript.resize(400, 500)
    qtbot.waitUntil(lambda: view.width() < 400)


def test_u07_it_follows_the_end(qtbot: QtBot, transcript: Transcript) -> None:
    message = streaming()
    transcript.load([user("Go"), message])
    for _ in range(3):
        grow(qtbot, transcript, message, PARAGRAPHS)
        qtbot.waitUntil(lambda: at_end(transcript))
    assert jump_button(transcript).isHidden()


def test_u07_one_notch_up_and_it_stays_there(qtbot: QtBot, transcript: Transcript) -> None:
    message = streaming()
    transcript.load([user("Go"), message])
    grow(qtbot, transcript, message, PARAGRAPHS)
    qtbot.waitUntil(lambda: at_end(transcript))
    wheel(transcript, 1)
    value = transcript.verticalScrollBar().value()
    assert value < transcript.verticalScrollBar().maximum()
    for _ in range(3):
        grow(qtbot, transcript, message, PARAGRAPHS)
        assert transcript.verticalScrollBar().value() == value
    transcript.change(reply_like(message, PARAGRAPHS * 4, "Stopped."))
    qtbot.waitUntil(lambda: not transcript.following and jump_button(transcript).isVisible())
    assert transcript.verticalScrollBar().value() == value


def unfold(transcript: Transcript, message: Message) -> int:
    """Unfolds the thinking of a reply. Returns where its line is seen."""
    view = transcript.views[message.id]
    assert isinstance(view, ReplyView)
    view.thinking.fold.click()
    return line_seen(transcript, message)


def line_seen(transcript: Transcript, message: Message) -> int:
    return transcript.views[message.id].mapTo(transcript, QPoint()).y()


def test_s09_unfolding_leaves_the_line_where_it_was_clicked(qtbot: QtBot, transcript: Transcript) -> None:
    message = reply("A short answer.", thinking=PARAGRAPHS)
    transcript.load([user(PARAGRAPHS), message])
    qtbot.waitUntil(lambda: at_end(transcript))
    before, maximum = line_seen(transcript, message), transcript.verticalScrollBar().maximum()
    unfold(transcript, message)
    qtbot.waitUntil(lambda: transcript.verticalScrollBar().maximum() > maximum + 300)
    assert line_seen(transcript, message) == before
    assert not at_end(transcript)


def test_s09_unfolding_while_the_model_thinks_goes_on_following(qtbot: QtBot, transcript: Transcript) -> None:
    message = streaming()
    transcript.load([user("Go"), message])
    transcript.think(message.id, PARAGRAPHS, 1.0)
    unfold(transcript, message)
    qtbot.waitUntil(lambda: at_end(transcript))
    maximum = transcript.verticalScrollBar().maximum()
    transcript.think(message.id, PARAGRAPHS, 1.0)
    qtbot.waitUntil(lambda: transcript.verticalScrollBar().maximum() > maximum and at_end(transcript))


def reply_like(message: Message, text: str, note: str) -> Message:
    return Message(message.id, "c", "assistant", text, 0.0, MessageState.STOPPED, note=note)


def test_u07_back_at_the_end_it_follows_again(qtbot: QtBot, transcript: Transcript) -> None:
    message = streaming()
    transcript.load([user("Go"), message])
    grow(qtbot, transcript, message, PARAGRAPHS)
    qtbot.waitUntil(lambda: at_end(transcript))
    wheel(transcript, 2)
    wheel(transcript, -5)
    assert transcript.following
    grow(qtbot, transcript, message, PARAGRAPHS)
    qtbot.waitUntil(lambda: at_end(transcript))


def test_jump_to_latest(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.load([reply(PARAGRAPHS * 2)])
    qtbot.waitUntil(lambda: at_end(transcript))
    wheel(transcript, 3)
    button = jump_button(transcript)
    assert button.isVisible()
    assert transcript.rect().contains(button.geometry())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert at_end(transcript)
    assert button.isHidden()


def test_the_users_own_message_is_brought_into_sight(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.load([reply(PARAGRAPHS * 2)])
    qtbot.waitUntil(lambda: at_end(transcript))
    wheel(transcript, 5)
    transcript.add(user("And now?"))
    qtbot.waitUntil(lambda: at_end(transcript))


def test_u12_a_long_conversation_shows_its_end_first(qtbot: QtBot, transcript: Transcript) -> None:
    messages = [user(f"message {number}") for number in range(PAGE * 2 + 5)]
    transcript.load(messages)
    assert list(transcript.views) == [message.id for message in messages[-PAGE:]]
    qtbot.waitUntil(lambda: at_end(transcript))


def test_u12_earlier_messages_come_above_what_is_read(qtbot: QtBot, transcript: Transcript) -> None:
    messages = [user(f"message {number}\n" * 3) for number in range(PAGE * 2 + 5)]
    transcript.load(messages)
    qtbot.waitUntil(lambda: at_end(transcript))
    bar = transcript.verticalScrollBar()
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    assert bar.value() == 0
    read = transcript.views[messages[-PAGE].id]
    place = read.mapTo(transcript, QPoint()).y()
    more = next(button for button in transcript.findChildren(QPushButton) if "earlier" in button.text())
    seen: list[int] = []
    bar.rangeChanged.connect(lambda: seen.append(read.mapTo(transcript, QPoint()).y()))
    more.click()
    qtbot.waitUntil(lambda: len(seen) >= 2)
    assert list(transcript.views) == [message.id for message in messages[-2 * PAGE :]]
    assert set(seen) == {place}
    assert bar.value() > 0
    more.click()
    assert list(transcript.views) == [message.id for message in messages]
    assert more.isHidden()


@pytest.mark.parametrize("chunk", ["word **bold** `code` and text. ", "word "], ids=["u01", "u02"])
def test_u01_u02_cost_stays_flat_over_4000_chunks(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, chunk: str
) -> None:
    monkeypatch.setattr(live_text, "UPDATE_MS", 0)
    message, costs = streaming(), []
    transcript = Transcript("SmolLM2")
    qtbot.addWidget(transcript)
    transcript.load([user("Go"), message])
    transcript.resize(700, 400)
    transcript.show()
    for _ in range(250):
        transcript.append(message.id, chunk * 16)
        began = time.process_time()
        QApplication.processEvents()
        costs.append(time.process_time() - began)
    assert transcript.views[message.id].text.toPlainText().count("word") == 4_000
    assert statistics.median(costs[-31:]) < 4 * statistics.median(costs[:31])


def test_user_messages_are_bubbles(transcript: Transcript) -> None:
    message = user("Hi")
    transcript.add(message)
    assert isinstance(transcript.views[message.id], UserView)
