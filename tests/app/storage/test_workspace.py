import sqlite3

import pytest

from app.records import Attachment, Conversation, Draft
from app.storage import conversations
from app.storage.attachments import AttachmentFiles
from app.storage.workspace import (
    Tabs,
    load_draft,
    load_geometry,
    load_tabs,
    save_draft,
    save_geometry,
    save_tabs,
)

ONE = Attachment("one", "one.txt", "first\r\n", 7)
TWO = Attachment("two", "two.txt", "second", 6)


@pytest.fixture(autouse=True)
def three_conversations(connection: sqlite3.Connection) -> None:
    for id in ("a", "b", "c"):
        conversations.create(connection, Conversation(id, "Chat", 1.0, 1.0))


def test_u16_a_draft_stays_with_its_own_conversation(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    draft = Draft("typed\u00a0\x00 👋\n ", (TWO, ONE))
    save_draft(connection, files, "a", draft)
    assert load_draft(connection, files, "a") == draft
    assert load_draft(connection, files, "b") == Draft()


def test_u16_the_last_draft_holds(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    save_draft(connection, files, "a", Draft("first", (ONE, TWO)))
    save_draft(connection, files, "a", Draft("second", (TWO,)))
    assert load_draft(connection, files, "a") == Draft("second", (TWO,))
    save_draft(connection, files, "a", Draft("", (ONE,)))
    assert load_draft(connection, files, "a") == Draft("", (ONE,))
    save_draft(connection, files, "a", Draft())
    assert load_draft(connection, files, "a") == Draft()
    assert connection.execute("SELECT count(*) FROM draft_attachment").fetchone() == (0,)


def test_a_draft_has_no_lone_surrogate(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    save_draft(connection, files, "a", Draft("half \ud83d"))
    assert load_draft(connection, files, "a").text == "half \ufffd"


def test_a_draft_saved_after_the_deletion_is_ignored(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    save_draft(connection, files, "a", Draft("typed", (ONE,)))
    conversations.delete(connection, "a")
    save_draft(connection, files, "a", Draft("late", (ONE,)))
    assert load_draft(connection, files, "a") == Draft()
    for table in ("draft", "draft_attachment"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_tabs_come_back_in_order_with_the_focused_one(connection: sqlite3.Connection) -> None:
    assert load_tabs(connection) == Tabs()
    save_tabs(connection, ["c", "a", "b"], "a")
    assert load_tabs(connection) == Tabs(("c", "a", "b"), "a")
    save_tabs(connection, ["b"], None)
    assert load_tabs(connection) == Tabs(("b",), None)


def test_a_deleted_conversation_has_no_tab(connection: sqlite3.Connection) -> None:
    save_tabs(connection, ["c", "a", "b"], "a")
    conversations.delete(connection, "a")
    assert load_tabs(connection) == Tabs(("c", "b"), None)
    save_tabs(connection, ["a", "b", "unknown"], "b")
    assert load_tabs(connection) == Tabs(("b",), "b")


def test_the_geometry_is_kept_to_the_byte(connection: sqlite3.Connection) -> None:
    assert load_geometry(connection) == b""
    save_geometry(connection, b"\x01\xd9\x00")
    save_geometry(connection, b"\x01\xd9\x00\xd0\xcb")
    assert load_geometry(connection) == b"\x01\xd9\x00\xd0\xcb"
