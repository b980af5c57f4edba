"""A tab's controller: what is stored and when, and that every reply ends, however it goes."""

import threading
from collections.abc import Callable

import pytest

from app.chat.reply import STILL_THINKING
from app.chat.session import NEW_CHAT, Session
from app.chat.tools import Tools
from app.records import Attachment, Conversation, Draft, Message, MessageState, Progress, Submission
from engine.api import Priority, Reason, StreamStatus
from engine.errors import BadRequest, InvalidNumbers, PromptTooLong
from tests.fake_engine import MemoryArchive, ScriptedEngine
from tests.fakes import FakeClock

Until = Callable[[Callable[[], object]], None]
DOCUMENT = Attachment("a1", "Pasted text", "line\n" * 3, 15)


def open_session(tools: Tools, id: str = "c1", title: str = NEW_CHAT) -> Session:
    return Session(Conversation(id, title, 0.0, 0.0), (), Draft(), tools)


@pytest.fixture
def session(tools: Tools) -> Session:
    return open_session(tools)


def phases(session: Session) -> list[str]:
    seen: list[str] = []

    def note(progress: Progress) -> None:
        if not seen or seen[-1] != progress.phase:
            seen.append(progress.phase)

    session.progress_changed.connect(note)
    return seen


def asked(session: Session, engine: ScriptedEngine, until: Until, text: str = "hello") -> int:
    """Sends and waits until the engine was asked. Returns the reply's id."""
    before = len(engine.asked)
    session.send(Submission(text))
    until(lambda: len(engine.asked) > before)
    return len(engine.asked)


def test_a_reply_streams_is_shown_and_is_stored(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    shown: list[str] = []
    seen = phases(session)
    session.reply_text.connect(lambda _, text: shown.append(text))
    id = asked(session, engine, until)
    engine.fill(id, 0)
    engine.fill(id, 100)
    engine.say(id, "Hello", " you")
    engine.finish(id)
    until(lambda: not session.busy)
    reply = session.messages[-1]
    assert "".join(shown) == reply.text == "Hello you"
    assert (reply.state, reply.note) == (MessageState.COMPLETE, "")
    assert archive.calls("append") == [(reply.id, 0, "Hello you", (5, 4))]
    assert archive.calls("finish") == [(reply.id, MessageState.COMPLETE, "")]
    assert seen[-1] == "idle"
    assert {"preparing", "reading", "replying"} <= set(seen)


def test_s09_thinking_is_shown_and_stored_apart_from_the_answer(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, clock: FakeClock, until: Until
) -> None:
    thoughts: list[tuple[str, float]] = []
    texts: list[str] = []
    session.reply_thinking.connect(lambda _, thinking, seconds: thoughts.append((thinking, seconds)))
    session.reply_text.connect(lambda _, text: texts.append(text))
    id = asked(session, engine, until)
    clock.now = 5.0
    engine.think(id, "two and ")
    until(lambda: len(thoughts) == 1)
    clock.now = 17.0
    engine.think(id, "two")
    until(lambda: len(thoughts) == 2)
    assert session.messages[-1].thinking == "two and two", "a tab that opens now shows what came so far"
    clock.now = 30.0
    engine.say(id, "four")
    engine.finish(id)
    until(lambda: not session.busy)
    reply = session.messages[-1]
    assert (reply.thinking, reply.text, reply.note) == ("two and two", "four", "")
    assert thoughts == [("two and ", 0.0), ("two", 12.0)]
    assert texts == ["four"]
    assert "".join(str(thinking) for _, _, thinking in archive.calls("thinking")) == "two and two"
    assert archive.calls("thought") == [(reply.id, 12.0)]
    asked(session, engine, until, "and now?")
    assert engine.chats[-1][1] == {"role": "assistant", "content": "four"}


@pytest.mark.parametrize(
    ("reason", "state", "note"),
    [
        ("stop", MessageState.COMPLETE, STILL_THINKING),
        ("length", MessageState.COMPLETE, f"The reply reached its limit of tokens. {STILL_THINKING}"),
        ("cancelled", MessageState.STOPPED, f"Stopped. {STILL_THINKING}"),
    ],
)
def test_s09_a_reply_that_ended_while_thinking_says_so(
    session: Session,
    engine: ScriptedEngine,
    archive: MemoryArchive,
    until: Until,
    reason: Reason,
    state: MessageState,
    note: str,
) -> None:
    id = asked(session, engine, until)
    engine.think(id, "planning")
    engine.finish(id, reason)
    until(lambda: not session.busy)
    reply = session.messages[-1]
    assert (reply.text, reply.thinking, reply.state, reply.note) == ("", "planning", state, note)
    assert archive.calls("finish") == [(reply.id, state, note)]
    assert session.unanswered
    session.retry()
    until(lambda: len(engine.asked) == 2)
    assert engine.chats[-1] == [{"role": "user", "content": "hello"}]


def test_u18_thinking_counts_towards_what_is_stored_at_once(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.think(id, "x" * 5000)
    engine.say(id, "y")
    until(lambda: session.messages[-1].text)
    assert [call[1:] for call in archive.calls("thinking")] == [(0, "x" * 5000)]


def test_u18_the_message_is_stored_before_anything_is_asked(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive
) -> None:
    session.set_draft(Draft("hello"))
    session.send(Submission("hello", (DOCUMENT,)))
    assert [call[0] for call in archive.log] == ["draft", "rename", "add", "draft", "add"]
    assert archive.calls("add") == [("c1", "user", "hello"), ("c1", "assistant", "")]
    assert archive.messages["c1"][0].attachments == (DOCUMENT,)
    assert archive.drafts["c1"] == Draft()
    assert engine.asked == {}
    session.abandon("")


def test_u18_streamed_text_is_stored_within_a_second(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.say(id, "first")
    until(lambda: archive.calls("append"))
    engine.say(id, "x" * 5000)
    until(lambda: len(archive.calls("append")) == 2)
    assert [call[1:3] for call in archive.calls("append")] == [(0, "first"), (1, "x" * 5000)]


def test_documents_are_read_before_the_question_and_unanswered_turns_are_kept(
    session: Session, engine: ScriptedEngine, until: Until
) -> None:
    session.send(Submission("what?", (DOCUMENT,)))
    until(lambda: engine.asked)
    engine.finish(1, "cancelled")
    until(lambda: not session.busy)
    asked(session, engine, until, "again")
    assert engine.chats[-1] == [
        {"role": "user", "content": "line\nline\nline\n\n\nwhat?"},
        {"role": "user", "content": "again"},
    ]


def test_a_second_send_while_a_reply_streams_is_ignored(
    session: Session, engine: ScriptedEngine, until: Until
) -> None:
    asked(session, engine, until)
    session.send(Submission("too early"))
    assert len(session.messages) == 2


def test_c04_text_goes_to_its_own_conversation(
    tools: Tools, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    """A streams; B is looked at, renamed and answered meanwhile."""
    a, b = open_session(tools, "a"), open_session(tools, "b")
    first = asked(a, engine, until, "to a")
    engine.say(first, "for a ")
    b.focused, a.focused = True, False
    b.rename("Other")
    second = asked(b, engine, until, "to b")
    engine.say(second, "for b")
    a.rename("Mine")
    engine.say(first, "too")
    engine.finish(second)
    engine.finish(first)
    until(lambda: not a.busy and not b.busy)
    assert a.messages[-1].text == "for a too"
    assert b.messages[-1].text == "for b"
    owners = {a.messages[-1].id: "for a too", b.messages[-1].id: "for b"}
    for id, text in owners.items():
        assert "".join(str(call[2]) for call in archive.calls("append") if call[0] == id) == text


@pytest.mark.parametrize("moment", ["loading", "rendering"])
def test_stop_before_the_engine_was_asked_ends_at_once(
    tools: Tools, engine: ScriptedEngine, until: Until, moment: str
) -> None:
    session = open_session(tools)
    reached, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        go_on.wait(20)

    if moment == "rendering":
        until(lambda: tools.engines.ready)
        engine.rendering = hold
    session.send(Submission("hello"))
    if moment == "rendering":
        until(reached.is_set)
    session.stop()
    go_on.set()
    assert not session.busy
    assert (session.messages[-1].state, session.messages[-1].note) == (MessageState.STOPPED, "Stopped.")
    until(lambda: tools.engines.ready)
    assert engine.asked == {}


def test_stop_while_reading_shows_stopping_until_the_engine_confirms(
    session: Session, engine: ScriptedEngine, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.fill(id, 40)
    until(lambda: session.progress.phase == "reading")
    session.stop()
    assert session.progress.phase == "stopping"
    assert engine.cancelled == [id]
    engine.fill(id, 50)
    engine.finish(id, "cancelled")
    until(lambda: not session.busy)
    assert session.messages[-1].state is MessageState.STOPPED


def test_stop_while_replying_keeps_the_text(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.say(id, "half a")
    until(lambda: session.messages and session.progress.phase == "replying")
    session.stop()
    engine.finish(id, "cancelled")
    until(lambda: not session.busy)
    assert session.messages[-1].text == "half a"
    assert archive.calls("append")[-1][2] == "half a"


@pytest.mark.parametrize("error", [PromptTooLong(9000, 4096), InvalidNumbers(), BadRequest("No.")])
def test_an_error_is_shown_under_the_reply_and_the_next_send_works(
    session: Session, engine: ScriptedEngine, until: Until, error: Exception
) -> None:
    if isinstance(error, BadRequest):
        engine.refusal = error
        session.send(Submission("hello"))
    else:
        engine.finish(asked(session, engine, until), "error", error)  # type: ignore[arg-type]
    until(lambda: not session.busy)
    failed = session.messages[-1]
    assert failed.state is MessageState.FAILED
    assert failed.note == str(error)
    engine.refusal = None
    engine.finish(asked(session, engine, until, "again"))
    until(lambda: not session.busy)
    assert session.messages[-1].state is MessageState.COMPLETE


def test_a_model_that_cannot_be_loaded_fails_the_reply(tools: Tools, until: Until) -> None:
    def fail(path: object, cancelled: object) -> ScriptedEngine:
        raise BadRequest("There is no model here.")

    tools.engines._opener = fail  # type: ignore[assignment]
    until(lambda: tools.engines.ready)
    session = open_session(tools)
    tools.engines.choose(tools.engines.path)  # type: ignore[arg-type]
    session.send(Submission("hello"))
    until(lambda: not session.busy)
    assert "There is no model here." in session.messages[-1].note


def test_l06_every_phase_is_told_and_progress_is_monotonic(
    session: Session, engine: ScriptedEngine, clock: FakeClock, until: Until
) -> None:
    seen: list[Progress] = []
    session.progress_changed.connect(lambda p: seen.append(p) if seen[-1:] != [p] else None)
    id = asked(session, engine, until)
    for done in range(0, 1100, 100):
        clock.now += 2.0
        engine.fill(id, done, 1000, 0)
        until(lambda done=done: seen[-1].phase == "reading" and seen[-1].done == done)
        if done >= 300:
            left = seen[-1].seconds_left
            true = (1000 - done) / 100 * 2.0
            assert left is not None
            assert true / 2 <= left <= true * 2
    assert seen[0].phase == "preparing"
    assert {p.phase for p in seen} <= {"preparing", "loading", "reading"}
    done = [p.done for p in seen if p.phase == "reading"]
    assert done == sorted(done)
    assert done[-1] == 1000


def test_a_waiting_reply_tells_its_place(session: Session, engine: ScriptedEngine, until: Until) -> None:
    id = asked(session, engine, until)
    engine.streams = (StreamStatus(id, "queued", 0, 100, 0, 0, ahead=2),)
    engine.fill(id, 0)
    until(lambda: session.progress.phase == "queued")
    assert session.progress.ahead == 2
    engine.streams = ()
    engine.fill(id, 50)
    until(lambda: session.progress.phase == "reading")
    assert not session._positions.isActive()


def test_the_focused_tab_asks_first(session: Session, engine: ScriptedEngine, until: Until) -> None:
    session.focused = True
    id = asked(session, engine, until)
    assert engine.asked[id][0].priority is Priority.FOCUSED


def test_a_conversation_is_named_after_its_first_words(tools: Tools, archive: MemoryArchive) -> None:
    titles: list[str] = []
    for number, submission in enumerate(
        [
            Submission("\n  What is \t this?\nMore"),
            Submission("", (DOCUMENT,)),
            Submission("word " * 40),
        ]
    ):
        session = open_session(tools, f"c{number}")
        session.title_changed.connect(titles.append)
        session.send(submission)
        session.abandon("")
    assert titles[:2] == ["What is this?", "Pasted text"]
    assert titles[2].endswith("…")
    assert len(titles[2]) <= 48


def test_a_renamed_conversation_keeps_its_name(tools: Tools, archive: MemoryArchive) -> None:
    session = open_session(tools, title="Mine")
    session.send(Submission("hello"))
    session.abandon("")
    assert archive.calls("rename") == []


def test_abandoning_keeps_what_came_and_forgets_the_stream(
    session: Session, engine: ScriptedEngine, archive: MemoryArchive, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.say(id, "part")
    until(lambda: session.progress.phase == "replying")
    assert session.messages[-1].text == "part", "a tab that opens now shows what came so far"
    session.abandon("Interlace was closed.")
    assert engine.forgotten == [id]
    assert archive.calls("finish")[-1][1:] == (MessageState.STOPPED, "Interlace was closed.")
    assert archive.calls("append")[-1][2] == "part"
    engine.finish(id, "cancelled")
    assert len(archive.calls("finish")) == 1


def test_a_draft_is_stored_when_it_changes(session: Session, archive: MemoryArchive) -> None:
    for text in ("a", "a", "ab"):
        session.set_draft(Draft(text))
    assert archive.calls("draft") == [("c1", Draft("a")), ("c1", Draft("ab"))]


def test_a_late_event_of_an_ended_reply_changes_nothing(
    session: Session, engine: ScriptedEngine, until: Until
) -> None:
    id = asked(session, engine, until)
    engine.finish(id)
    until(lambda: not session.busy)
    messages: list[Message] = list(session.messages)
    second = asked(session, engine, until, "next")
    engine.say(id, "late")
    engine.say(second, "right")
    engine.finish(second)
    until(lambda: not session.busy)
    assert session.messages[:2] == messages
    assert session.messages[-1].text == "right"


def test_a_reply_that_never_began_can_be_asked_for_again(
    session: Session, engine: ScriptedEngine, until: Until
) -> None:
    """The same prompt again: what was read of it serves."""
    id = asked(session, engine, until)
    engine.finish(id, "cancelled")
    until(lambda: not session.busy)
    assert session.unanswered
    session.retry()
    assert not session.unanswered
    until(lambda: len(engine.asked) == 2)
    assert engine.chats[0] == engine.chats[1]
    engine.say(2, "now")
    engine.finish(2)
    until(lambda: not session.busy)
    session.retry()
    assert len(session.messages) == 3
    assert session.messages[-1].text == "now"


def test_a_model_chosen_while_a_chat_is_rendered_answers_it(
    tools: Tools, engine: ScriptedEngine, until: Until
) -> None:
    until(lambda: tools.engines.ready)
    other, reached, go_on = ScriptedEngine("other"), threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        go_on.wait(20)

    engine.rendering = hold
    session = open_session(tools)
    session.send(Submission("hello"))
    until(reached.is_set)
    tools.engines._opener = lambda path, cancelled: other
    tools.engines.choose(tools.engines.path)  # type: ignore[arg-type]
    go_on.set()
    until(lambda: other.asked)
    assert engine.asked == {}
    other.finish(1)
    until(lambda: not session.busy)
