"""The notice of a model without a working chat template, and what can be chosen in it."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.chat.templates import CHOICES, TemplateView
from app.records import Draft, MessageState, Submission
from app.ui.chat_tab import ChatTab
from app.ui.main_window import MainWindow
from app.ui.template_bar import TemplateBar
from tests.app.ui.fake_session import FakeSession, reply, user
from tests.app.ui.windows import opened

BASE = "base-1b is a base model: it has no chat template."
ASKING = TemplateView(BASE, CHOICES, "org/base-1b")


def bar(qtbot: QtBot, view: TemplateView | None) -> TemplateBar:
    bar = TemplateBar()
    qtbot.addWidget(bar)
    bar.show_template(view)
    return bar


def test_t01_the_notice_offers_the_choices_by_name(qtbot: QtBot) -> None:
    notice = bar(qtbot, ASKING)
    assert notice.isVisible()
    assert notice.label.text() == BASE
    assert {name: button.text() for name, button in notice.buttons.items()} == {
        "plain": "Complete text",
        "chatml": "Use ChatML",
    }
    assert not notice.change.isVisible()
    with qtbot.waitSignal(notice.chosen) as chosen:
        notice.buttons["chatml"].click()
    assert chosen.args == ["chatml"]


def test_t02_its_own_template_is_offered_where_its_repository_is_known(qtbot: QtBot) -> None:
    notice = bar(qtbot, ASKING)
    assert notice.fetch.isVisible()
    assert notice.fetch.toolTip() == "From org/base-1b"
    with qtbot.waitSignal(notice.fetch_requested):
        notice.fetch.click()
    notice.show_template(TemplateView(BASE, CHOICES, "org/base-1b", fetching=True))
    assert not notice.fetch.isEnabled()
    notice.show_template(TemplateView(BASE, CHOICES))
    assert not notice.fetch.isVisible()


def test_t01_what_was_chosen_can_be_changed_in_the_same_place(qtbot: QtBot) -> None:
    notice = bar(qtbot, ASKING)
    notice.show_template(TemplateView("Using ChatML."))
    assert notice.label.text() == "Using ChatML."
    assert notice.buttons == {}
    assert not notice.fetch.isVisible()
    with qtbot.waitSignal(notice.chosen) as chosen:
        notice.change.click()
    assert chosen.args == [""]


def test_a_model_whose_template_works_has_no_notice(qtbot: QtBot) -> None:
    notice = bar(qtbot, ASKING)
    notice.show_template(None)
    assert not notice.isVisible()


def tab(qtbot: QtBot, session: FakeSession) -> ChatTab:
    tab = ChatTab(session, "base-1b")  # type: ignore[arg-type]
    qtbot.addWidget(tab)
    tab.show()
    return tab


def test_t07_nothing_is_sent_before_a_choice_and_the_draft_stays(qtbot: QtBot) -> None:
    session = FakeSession()
    shown = tab(qtbot, session)
    shown.show_template(ASKING)
    QTest.keyClicks(shown.composer.edit, "a long message")
    QTest.keyClick(shown.composer.edit, Qt.Key.Key_Return)
    assert not shown.composer.button.isEnabled()
    shown.composer.button.click()
    assert session.sent == []
    assert shown.composer.draft == Draft("a long message")
    shown.show_template(TemplateView("Using ChatML."))
    assert shown.composer.button.isEnabled()
    QTest.keyClick(shown.composer.edit, Qt.Key.Key_Return)
    assert session.sent == [Submission("a long message")]


def test_t07_nothing_is_asked_again_before_a_choice(qtbot: QtBot) -> None:
    session = FakeSession(messages=[user("one"), reply("", MessageState.FAILED, BASE)])
    session.unanswered = True
    shown = tab(qtbot, session)
    shown.show_template(ASKING)
    shown.retry_bar.button.click()
    assert session.retries == 0
    shown.show_template(None)
    shown.retry_bar.button.click()
    assert session.retries == 1


def test_every_tab_has_the_notice_also_one_that_is_opened_later(qtbot: QtBot, window: MainWindow) -> None:
    opened(window, "one")
    window.show_template(ASKING)
    opened(window, "two")
    bars = [shown.template_bar for shown in window.tabs.tabs()]
    assert [notice.label.text() for notice in bars] == [BASE, BASE]
    with qtbot.waitSignal(window.template_chosen) as chosen:
        bars[1].buttons["plain"].click()
    assert chosen.args == ["plain"]
    with qtbot.waitSignal(window.template_fetch_requested):
        bars[0].fetch.click()
    window.show_template(None)
    assert all(notice.isHidden() for notice in bars)
