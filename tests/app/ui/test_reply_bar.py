"""The reply bar's words, ring and button."""

import pytest
from pytestqt.qtbot import QtBot

from app.records import Progress
from app.ui.reply_bar import ReplyBar, describe, share_done


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(), ""),
        (Progress("preparing"), "Preparing"),
        (Progress("loading"), "Loading"),
        (Progress("queued", ahead=1), "Queued (2nd)"),
        (Progress("queued", ahead=0), "Queued (1st)"),
        (Progress("queued", ahead=2), "Queued (3rd)"),
        (Progress("queued", ahead=3), "Queued (4th)"),
        (Progress("queued", ahead=10), "Queued (11th)"),
        (Progress("queued", ahead=20), "Queued (21st)"),
        (Progress("queued", ahead=110), "Queued (111th)"),
        (Progress("reading"), "Reading"),
        (Progress("reading", done=419, total=1_000), "Reading 41%"),
        (Progress("reading", done=410, total=1_000, seconds_left=12.2), "Reading 41% · 12 s left"),
        (Progress("reading", done=999, total=1_000, seconds_left=0.1), "Reading 99% · 1 s left"),
        (Progress("reading", done=1, total=1_000, seconds_left=600), "Reading 0% · 10 min left"),
        (Progress("reading", done=1, total=1_000, seconds_left=9_000), "Reading 0% · 2.5 h left"),
        (Progress("replying"), "Writing"),
        (Progress("replying", tokens=1), "1 token"),
        (Progress("replying", tokens=34, tokens_per_second=21.34), "34 tokens · 21.3 tokens/s"),
        (Progress("replying", tokens=1_234), "1,234 tokens"),
        (Progress("stopping", tokens=3), "Stopping…"),
    ],
)
def test_progress_in_words(progress: Progress, expected: str) -> None:
    assert describe(progress) == expected


def test_ring_shows_the_share_read_and_nothing_while_queued() -> None:
    assert share_done(Progress("reading", done=1, total=4)) == 0.25
    assert share_done(Progress("queued", ahead=1)) == 0
    assert 0 < share_done(Progress("replying")) < 1


def test_bar_is_hidden_when_idle(qtbot: QtBot) -> None:
    bar = ReplyBar()
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.show_progress(Progress("loading"))
    assert not bar.isHidden()
    assert bar.label.text() == "Loading"
    bar.show_progress(Progress())
    assert bar.isHidden()


def test_stop_is_offered_until_it_was_asked_for(qtbot: QtBot) -> None:
    bar = ReplyBar()
    qtbot.addWidget(bar)
    bar.show_progress(Progress("reading", done=5, total=10, reused=3))
    with qtbot.waitSignal(bar.stopped):
        bar.stop.click()
    bar.show_progress(Progress("stopping"))
    assert not bar.stop.isEnabled()


def test_tool_tip_tells_what_was_read_before(qtbot: QtBot) -> None:
    bar = ReplyBar()
    qtbot.addWidget(bar)
    bar.show_progress(Progress("reading", done=5_000, total=10_000, reused=3_000))
    assert bar.label.toolTip() == "5,000 of 10,000 tokens; 3,000 of them were read before"
