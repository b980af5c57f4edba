import errno
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from app.records import Attachment, Conversation, Draft, Message
from app.storage import conversations, workspace
from app.storage.attachments import AttachmentFiles, sweep
from app.storage.errors import AttachmentLost

TEXT = "\ufeffline\r\nline\r\x00\u2028 NBSP\u00a0 👋 end"
NOTES = Attachment("notes", "notes.txt", TEXT, len(TEXT.encode()))


def kept_files(files: AttachmentFiles) -> list[Path]:
    return sorted(path for path in files.folder.rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def conversation(connection: sqlite3.Connection) -> None:
    conversations.create(connection, Conversation("c", "Chat", 1.0, 1.0))


def send(connection: sqlite3.Connection, files: AttachmentFiles, id: str, *attachments: Attachment) -> None:
    message = Message(id, "c", "user", "Read this.", 2.0, attachments=attachments)
    conversations.add_message(connection, files, message)


def test_a_document_comes_back_byte_for_byte(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    send(connection, files, "m", NOTES)
    (path,) = kept_files(files)
    assert path.read_bytes() == TEXT.encode()
    assert path.parent.name == path.name[:2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert conversations.messages(connection, files, "c")[0].attachments == (NOTES,)


def test_the_same_text_is_kept_once(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    copy = Attachment("copy", "again.txt", TEXT, NOTES.size)
    send(connection, files, "m", NOTES, copy)
    assert len(kept_files(files)) == 1
    assert conversations.messages(connection, files, "c")[0].attachments == (NOTES, copy)


def test_a_lone_surrogate_in_a_document_is_replaced(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    send(connection, files, "m", Attachment("a", "n\ud83d", "t\ud83d", 2))
    (kept,) = conversations.messages(connection, files, "c")[0].attachments
    assert (kept.name, kept.text) == ("n\ufffd", "t\ufffd")


def test_a_chip_stays_when_its_draft_is_sent(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    workspace.save_draft(connection, files, "c", Draft("", (NOTES,)))
    send(connection, files, "m", NOTES)
    workspace.save_draft(connection, files, "c", Draft())
    sweep(connection, files)
    assert conversations.messages(connection, files, "c")[0].attachments == (NOTES,)


def test_a_document_is_written_once_however_often_its_draft_is_saved(
    connection: sqlite3.Connection, files: AttachmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def write(data: bytes) -> str:
        written.append(data)
        return AttachmentFiles.write(files, data)

    monkeypatch.setattr(files, "write", write)
    for text in ("a", "ab", "abc"):
        workspace.save_draft(connection, files, "c", Draft(text, (NOTES,)))
    assert len(written) == 1


def test_a_sweep_removes_what_nobody_holds_and_nothing_else(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    other = Attachment("other", "other.txt", "other", 5)
    send(connection, files, "m", NOTES)
    workspace.save_draft(connection, files, "c", Draft("", (other,)))
    files.write(b"written just before a crash")
    (files.folder / "ab").mkdir(exist_ok=True)
    (files.folder / "ab" / ".left.tmp").write_bytes(b"half")
    sweep(connection, files)
    assert {path.read_bytes() for path in kept_files(files)} == {TEXT.encode(), b"other"}

    conversations.delete(connection, "c")
    sweep(connection, files)
    assert kept_files(files) == []
    assert connection.execute("SELECT count(*) FROM attachment").fetchone() == (0,)


def test_a_document_swept_away_can_be_attached_again(
    connection: sqlite3.Connection, files: AttachmentFiles
) -> None:
    send(connection, files, "m", NOTES)
    connection.commit()
    connection.execute("DELETE FROM message")
    sweep(connection, files)
    connection.rollback()  # As if the program had been killed before the commit.
    send(connection, files, "n", NOTES)
    assert conversations.messages(connection, files, "c")[-1].attachments == (NOTES,)


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_lost_document_says_so_and_the_conversation_opens(
    connection: sqlite3.Connection, files: AttachmentFiles, damage: str
) -> None:
    other = Attachment("other", "other.txt", "other", 5)
    send(connection, files, "m", NOTES, other)
    path = next(path for path in kept_files(files) if path.read_bytes() == TEXT.encode())
    if damage == "missing":
        path.unlink()
    else:
        os.truncate(path, 3)
    lost, kept = conversations.messages(connection, files, "c")[0].attachments
    assert lost.text == "[The text of “notes.txt” is missing from this computer.]"
    assert (lost.name, kept) == ("notes.txt", other)
    with pytest.raises(AttachmentLost):
        files.read(path.name)


def test_u21_a_full_disk_stores_no_message_without_its_document(
    connection: sqlite3.Connection, files: AttachmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.commit()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"), connection:
        send(connection, files, "m", NOTES)
    assert conversations.messages(connection, files, "c") == []
    assert kept_files(files) == []
