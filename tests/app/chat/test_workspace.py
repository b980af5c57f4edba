"""Which conversations there are, and which of them have a session."""

import gc
import weakref
from collections.abc import Callable

import pytest
from qasync import QEventLoop

from app.chat.tools import Tools
from app.chat.workspace import Workspace
from app.records import Conversation, Draft, MessageState, Submission
from tests.fake_engine import MemoryArchive, ScriptedEngine

Until = Callable[[Callable[[], object]], None]


@pytest.fixture
def workspace(tools: Tools, archive: MemoryArchive, loop: QEventLoop) -> Workspace:
    archive.create(Conversation("old", "Old", 1.0, 1.0))
    archive.create(Conversation("older", "Older", 0.5, 0.5))
    workspace = Workspace(archive, tools)
    loop.run_until_complete(workspace.load())
    return workspace


def listed(workspace: Workspace) -> list[list[str]]:
    seen: list[list[str]] = []
    workspace.changed.connect(lambda found: seen.append([c.title for c in found]))
    return seen


def test_a_new_conversation_is_stored_and_comes_first(workspace: Workspace, archive: MemoryArchive) -> None:
    seen = listed(workspace)
    session = workspace.new()
    assert session.conversation.id in archive.stored
    assert seen == [["New chat", "Old", "Older"]]


def test_opening_twice_gives_one_session_and_reads_once(
    workspace: Workspace, archive: MemoryArchive, loop: QEventLoop
) -> None:
    first = loop.run_until_complete(workspace.open("old"))
    assert loop.run_until_complete(workspace.open("old")) is first
    assert archive.calls("read") == [("old",)]


def test_writing_moves_a_conversation_up_and_names_it(workspace: Workspace, loop: QEventLoop) -> None:
    seen = listed(workspace)
    session = loop.run_until_complete(workspace.open("older"))
    session.send(Submission("hello"))
    session.abandon("")
    assert seen[-1] == ["Older", "Old"]
    fresh = workspace.new()
    fresh.send(Submission("a question"))
    fresh.abandon("")
    assert seen[-1][0] == "a question"


def test_a_closed_tab_keeps_its_reply_going(
    workspace: Workspace, engine: ScriptedEngine, until: Until
) -> None:
    session = workspace.new()
    session.send(Submission("hello"))
    until(lambda: engine.asked)
    workspace.leave(session.conversation.id)
    engine.say(1, "still here")
    engine.finish(1)
    until(lambda: not session.busy)
    assert session.messages[-1].text == "still here"
    assert engine.cancelled == engine.forgotten == []


def test_an_empty_conversation_is_forgotten_when_its_tab_closes(
    workspace: Workspace, archive: MemoryArchive
) -> None:
    empty, drafted = workspace.new(), workspace.new()
    drafted.set_draft(Draft("not yet"))
    for session in (empty, drafted):
        workspace.leave(session.conversation.id)
    assert empty.conversation.id not in archive.stored
    assert drafted.conversation.id in archive.stored


def test_deleting_ends_the_reply_and_forgets_what_was_read(
    workspace: Workspace, archive: MemoryArchive, engine: ScriptedEngine, until: Until
) -> None:
    session = workspace.new()
    session.send(Submission("hello"))
    until(lambda: engine.asked)
    workspace.delete(session.conversation.id)
    assert engine.forgotten == [1]
    assert session.conversation.id not in archive.stored
    assert session.conversation.id not in workspace.ids


def test_renaming_works_with_and_without_a_session(
    workspace: Workspace, archive: MemoryArchive, loop: QEventLoop
) -> None:
    seen = listed(workspace)
    loop.run_until_complete(workspace.open("old"))
    workspace.rename("old", "First")
    workspace.rename("older", "Second")
    assert archive.calls("rename") == [("old", "First"), ("older", "Second")]
    assert seen[-1] == ["First", "Second"]


def test_only_the_session_looked_at_is_focused(workspace: Workspace) -> None:
    one, two = workspace.new(), workspace.new()
    workspace.focus(one.conversation.id)
    assert (one.focused, two.focused) == (True, False)


def test_abandoning_ends_every_reply(workspace: Workspace, engine: ScriptedEngine, until: Until) -> None:
    sessions = [workspace.new(), workspace.new()]
    for session in sessions:
        session.send(Submission("hello"))
    until(lambda: len(engine.asked) == 2)
    assert workspace.answering == 2
    workspace.abandon("Closed.")
    assert workspace.answering == 0
    assert {session.messages[-1].state for session in sessions} == {MessageState.STOPPED}


def test_a_conversation_that_is_gone_is_not_opened(
    workspace: Workspace, archive: MemoryArchive, loop: QEventLoop
) -> None:
    workspace.delete("old")
    assert loop.run_until_complete(workspace.open("old")) is None
    assert archive.calls("read") == []


def test_a_closed_tabs_session_goes_when_its_reply_has_ended(
    workspace: Workspace, engine: ScriptedEngine, archive: MemoryArchive, loop: QEventLoop, until: Until
) -> None:
    session = workspace.new()
    id = session.conversation.id
    session.send(Submission("hello"))
    until(lambda: engine.asked)
    workspace.leave(id)
    engine.finish(1)
    until(lambda: not session.busy)
    assert loop.run_until_complete(workspace.open(id)) is not session
    assert archive.calls("read") == [(id,)]


def test_a_session_that_was_left_is_freed(workspace: Workspace, loop: QEventLoop) -> None:
    session = weakref.ref(loop.run_until_complete(workspace.open("old")))
    workspace.leave("old")
    gc.collect()
    assert session() is None
