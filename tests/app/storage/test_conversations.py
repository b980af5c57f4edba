import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.records import Attachment, Conversation, Message, MessageState, new_id
from app.storage import conversations
from app.storage.attachments import AttachmentFiles
from app.storage.migrations import migrate

LOG_FRAME = 4096 + 24
"""Bytes of one page in SQLite's write-ahead log."""


def start(connection: sqlite3.Connection, id: str = "c", at: float = 1.0, **fields: Any) -> Conversation:
    conversation = Conversation(id, fields.pop("title", "New chat"), created=at, updated=at, **fields)
    conversations.create(connection, conversation)
    return conversation


def message(text: str = "", id: str | None = None, conversation: str = "c", **fields: Any) -> Message:
    given: dict[str, Any] = {"role": "user", "created": 2.0} | fields
    return Message(id=id or new_id(), conversation=conversation, text=text, **given)


def reply(id: str = "r", **fields: Any) -> Message:
    return message(id=id, role="assistant", state=MessageState.STREAMING, **fields)


def test_conversations_are_listed_newest_first(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    kept = [
        start(connection, id, at, model="/m.gguf" if at > 1 else None) for id, at in (("a", 1.0), ("b", 2.0))
    ]
    assert conversations.list_conversations(connection) == kept[::-1]
    conversations.add_message(connection, files, message("hi", conversation="a", created=5.0))
    assert conversations.list_conversations(connection) == [replace(kept[0], updated=5.0), kept[1]]
    conversations.add_message(connection, files, message("clock set back", conversation="a", created=0.5))
    assert conversations.list_conversations(connection) == [replace(kept[0], updated=5.0), kept[1]]


def test_renaming_and_choosing_a_model_keep_the_place_in_the_list(connection: sqlite3.Connection) -> None:
    first, second = start(connection, "a", 1.0), start(connection, "b", 2.0)
    conversations.rename(connection, "a", "Tide tables")
    conversations.choose_model(connection, "a", "/models/tiny")
    changed = replace(first, title="Tide tables", model="/models/tiny")
    assert conversations.list_conversations(connection) == [second, changed]
    conversations.choose_model(connection, "a", None)
    assert conversations.list_conversations(connection)[1].model is None


def test_messages_come_back_as_they_were_in_order(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection)
    document = Attachment("d", "notes.txt", "one\r\ntwo\x00", 9)
    kept = [
        message("  spaces\tand\u00a0more\x00 👋 ", attachments=(document, replace(document, id="e"))),
        message("four", role="assistant", tokens=(0, 151_935, 2**32 - 1), created=1.0),
        message("4", role="assistant", thinking="2 + 2", thought=1.25),
        message("", role="assistant", state=MessageState.FAILED, note="The model produced invalid numbers."),
    ]
    for one in kept:
        conversations.add_message(connection, files, one)
    assert conversations.messages(connection, files, "c") == kept


def test_messages_of_one_conversation_only(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    for id in ("c", "other"):
        start(connection, id)
        conversations.add_message(connection, files, message(id, conversation=id))
    assert [one.text for one in conversations.messages(connection, files, "other")] == ["other"]
    assert conversations.messages(connection, files, "unknown") == []


def test_a_reply_is_the_sum_of_its_parts(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    start(connection)
    conversations.add_message(connection, files, message("hi"))
    conversations.add_message(connection, files, reply(text="So: ", tokens=(9,)))
    parts = [(f"w{number} ", (number, number + 1)) for number in range(12)]
    for seq, (text, tokens) in enumerate(parts):
        conversations.append_reply(connection, "r", seq, text, tokens)
    streaming = conversations.messages(connection, files, "c")[1]
    assert streaming.text == "So: " + "".join(text for text, _ in parts)
    assert streaming.tokens == (9, *(token for _, tokens in parts for token in tokens))
    assert streaming.state is MessageState.STREAMING

    conversations.finish_message(connection, "r", MessageState.STOPPED, "Stopped.")
    finished = conversations.messages(connection, files, "c")[1]
    assert finished == replace(streaming, state=MessageState.STOPPED, note="Stopped.")


def test_s09_thinking_is_a_sum_of_parts_of_its_own(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection)
    conversations.add_message(connection, files, reply(thinking="First, "))
    conversations.append_reply(connection, "r", 0, "", (1,), "I thi\ud83d")
    conversations.append_reply(connection, "r", 1, "four", (2,), "nk.")
    conversations.finish_message(connection, "r", MessageState.COMPLETE, thought=12.5)
    (kept,) = conversations.messages(connection, files, "c")
    assert (kept.thinking, kept.text, kept.tokens) == ("First, I thi\ufffdnk.", "four", (1, 2))
    assert kept.thought == 12.5


def test_parts_of_two_replies_do_not_mix(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    start(connection)
    for id in ("r", "s"):
        conversations.add_message(connection, files, reply(id))
    for seq in range(3):
        conversations.append_reply(connection, "r", seq, "r", ())
        conversations.append_reply(connection, "s", seq, "s", ())
    assert [one.text for one in conversations.messages(connection, files, "c")] == ["rrr", "sss"]


def test_one_part_twice_is_a_fault(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    start(connection)
    conversations.add_message(connection, files, reply())
    conversations.append_reply(connection, "r", 0, "a", ())
    with pytest.raises(sqlite3.IntegrityError):
        conversations.append_reply(connection, "r", 0, "a", ())


def test_u20_a_reply_is_never_written_whole(tmp_path: Path, files: AttachmentFiles) -> None:
    connection = sqlite3.connect(tmp_path / "db")
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, tmp_path)
    start(connection)
    for _ in range(5):
        conversations.add_message(connection, files, message("x" * 1_000_000))
    conversations.add_message(connection, files, reply())
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute("PRAGMA wal_autocheckpoint = 0").fetchone()
    for seq in range(1_000):
        conversations.append_reply(connection, "r", seq, "token", (seq,))
        connection.commit()
    conversations.finish_message(connection, "r", MessageState.COMPLETE)
    connection.commit()
    _, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    connection.close()
    assert 1_000 <= frames < 2_000
    assert frames * LOG_FRAME < 10_000_000


def test_what_comes_after_a_deletion_is_ignored(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection)
    conversations.add_message(connection, files, reply())
    conversations.append_reply(connection, "r", 0, "a", (1,))
    conversations.delete(connection, "c")
    conversations.append_reply(connection, "r", 1, "b", (2,))
    conversations.finish_message(connection, "r", MessageState.COMPLETE)
    assert conversations.list_conversations(connection) == []
    for table in ("message", "reply_part", "message_attachment"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_long_chain_of_answers_is_deleted_as_one(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection)
    parent = None
    for _ in range(2_500):
        turn = message("x")
        conversations.add_message(connection, files, turn, parent)
        parent = turn.id
    connection.commit()
    conversations.delete(connection, "c")
    connection.commit()
    assert connection.execute("SELECT count(*) FROM message").fetchone() == (0,)


def test_a_message_of_no_conversation_is_a_fault(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        conversations.add_message(connection, files, message("hi", conversation="unknown"))


def test_u18_a_reply_that_the_last_run_left_is_kept_and_said_to_be_interrupted(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection)
    conversations.add_message(connection, files, message("hi"))
    conversations.add_message(connection, files, message("done", role="assistant", note="Stopped."))
    conversations.add_message(connection, files, reply())
    conversations.append_reply(connection, "r", 0, "half a", (1, 2))
    assert conversations.recover(connection) == 1
    assert conversations.recover(connection) == 0
    _, done, half = conversations.messages(connection, files, "c")
    assert (done.state, done.note) == (MessageState.COMPLETE, "Stopped.")
    assert (half.state, half.text, half.tokens) == (MessageState.STOPPED, "half a", (1, 2))
    assert half.note == "Interrupted: the program ended while this was written."


def test_no_stored_text_holds_a_lone_surrogate(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    start(connection, title="t\ud83d", model="/m\udcff")
    conversations.add_message(connection, files, message("a\ud83d", note="n\udc4b"))
    conversations.append_reply(
        connection, conversations.messages(connection, files, "c")[0].id, 0, "\udc4b", ()
    )
    conversations.rename(connection, "c", "t\ud83d\udc4b")
    (kept,) = conversations.messages(connection, files, "c")
    assert (kept.text, kept.note) == ("a\ufffd\ufffd", "n\ufffd")
    (listed,) = conversations.list_conversations(connection)
    assert (listed.title, listed.model) == ("t👋", "/m\ufffd")
