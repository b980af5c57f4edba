"""A tab and its session."""

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.records import Draft, MessageState, Progress, Submission
from app.ui.chat_tab import ChatTab
from app.ui.empty_state import EmptyState
from app.ui.message_view import ReplyView
from tests.app.ui.fake_session import FakeSession, attachment, reply, user


def shown(qtbot: QtBot, session: FakeSession) -> ChatTab:
    tab = ChatTab(session, "SmolLM2")  # type: ignore[arg-type]
    qtbot.addWidget(tab)
    tab.resize(700, 500)
    tab.show()
    return tab


def test_an_empty_chat_greets_until_the_first_message(qtbot: QtBot) -> None:
    session = FakeSession()
    tab = shown(qtbot, session)
    greeting = tab.findChild(EmptyState)
    assert greeting is not None
    assert greeting.isVisible()
    session.message_added.emit(user("Hello"))
    assert not greeting.isVisible()
    assert tab.transcript.isVisible()


def test_it_shows_what_the_session_holds_already(qtbot: QtBot) -> None:
    session = FakeSession(messages=[user("one"), reply("two")])
    session.draft = Draft("half", (attachment(),))
    session.progress = Progress("reading", done=1, total=2)
    tab = shown(qtbot, session)
    assert [view.text.toPlainText() for view in tab.transcript.views.values()] == ["one", "two"]
    assert tab.composer.draft == session.draft
    assert tab.reply_bar.label.text() == "Reading 50%"
    assert session.drafts == []


def test_s09_thinking_streams_in_above_the_answer(qtbot: QtBot) -> None:
    session = FakeSession()
    tab = shown(qtbot, session)
    message = reply("", MessageState.STREAMING)
    session.message_added.emit(message)
    session.reply_thinking.emit(message.id, "plan", 0.5)
    view = tab.transcript.views[message.id]
    assert isinstance(view, ReplyView)
    view.thinking.fold.click()
    qtbot.waitUntil(lambda: view.thinking.text.toPlainText() == "plan")
    session.reply_text.emit(message.id, "four")
    qtbot.waitUntil(lambda: view.text.toPlainText() == "four")
    assert view.thinking.text.toPlainText() == "plan"


def test_a_reply_streams_in_and_ends(qtbot: QtBot) -> None:
    session = FakeSession()
    tab = shown(qtbot, session)
    message = reply("", MessageState.STREAMING)
    session.message_added.emit(user("Hello"))
    session.message_added.emit(message)
    session.move(Progress("replying", tokens=2))
    assert tab.composer.button.stops
    session.reply_text.emit(message.id, "Hi ")
    session.reply_text.emit(message.id, "there")
    view = tab.transcript.views[message.id]
    qtbot.waitUntil(lambda: view.text.toPlainText() == "Hi there")
    with qtbot.waitSignal(tab.answered):
        session.message_changed.emit(message)
    session.move(Progress())
    assert not tab.composer.button.stops
    assert tab.reply_bar.isHidden()


def test_what_the_user_does_reaches_the_session(qtbot: QtBot) -> None:
    session = FakeSession()
    tab = shown(qtbot, session)
    QTest.keyClicks(tab.composer.edit, "Hello")
    QTest.keyClick(tab.composer.edit, Qt.Key.Key_Return)
    assert session.sent == [Submission("Hello")]
    assert session.draft == Draft()
    session.move(Progress("loading"))
    tab.composer.button.click()
    tab.reply_bar.stop.click()
    assert session.stops == 2


def test_u16_a_draft_is_saved_when_another_tab_is_shown(qtbot: QtBot) -> None:
    session = FakeSession()
    tab = shown(qtbot, session)
    QTest.keyClicks(tab.composer.edit, "half a thou")
    tab.hide()
    assert session.draft == Draft("half a thou")


def test_up_recalls_what_was_sent_before_a_relaunch(qtbot: QtBot) -> None:
    tab = shown(qtbot, FakeSession(messages=[user("old"), reply("x"), user("newer"), reply("y")]))
    QTest.keyClick(tab.composer.edit, Qt.Key.Key_Up)
    assert tab.composer.edit.typed_text() == "newer"


def test_a_closed_tab_leaves_its_session_alone(qtbot: QtBot) -> None:
    session = FakeSession(messages=[reply("", MessageState.STREAMING)])
    tab = shown(qtbot, session)
    tab.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    session.reply_text.emit(session.messages[0].id, "more")
    session.move(Progress("replying"))
    session.rename("Title")
    session.message_changed.emit(session.messages[0])
    assert session.stops == 0


def test_an_unanswered_question_can_be_asked_again(qtbot: QtBot) -> None:
    session = FakeSession(messages=[user("one"), reply("", MessageState.STOPPED, "Stopped.")])
    session.unanswered = True
    tab = shown(qtbot, session)
    assert tab.retry_bar.isVisible()
    QTest.mouseClick(tab.retry_bar.button, Qt.MouseButton.LeftButton)
    assert session.retries == 1
    session.unanswered = False
    session.move(Progress("preparing"))
    assert not tab.retry_bar.isVisible()
