"""The storage side of U18: a process that writes is killed, again and again, on one data folder."""

import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from app.paths import Paths
from app.records import MessageState
from app.storage import conversations, workspace
from app.storage.attachments import AttachmentFiles, sweep

WRITER = """
import asyncio, itertools, json, sys
from app.paths import default_paths
from app.records import Attachment, Conversation, Draft, Message, MessageState, new_id
from app.storage import conversations, workspace
from app.storage.attachments import AttachmentFiles
from app.storage.database import Database

def fail(error):
    raise SystemExit(error)

async def main():
    paths = default_paths()
    files, database = AttachmentFiles(paths.attachments), Database(paths.database, fail)
    async def do(record, fn, *args):
        await database.run(lambda connection: fn(connection, *args))
        print(json.dumps(record), flush=True)
    chat = new_id()
    await do(["chat", chat], conversations.create, Conversation(chat, "Chat", 1.0, 1.0))
    for turn in itertools.count():
        text = f"{turn} " + "word " * 1000
        document = Attachment(new_id(), "notes.txt", text * 3, len(text) * 3)
        draft = Draft(f"draft {turn}", (document,))
        await do(["draft", chat, draft.text, document.text], workspace.save_draft, files, chat, draft)
        asked = Message(new_id(), chat, "user", text, 2.0, attachments=(document,))
        await do(["message", chat, asked.id, text, document.text], conversations.add_message, files, asked)
        reply = Message(new_id(), chat, "assistant", "", 2.0, MessageState.STREAMING)
        await do(["message", chat, reply.id, "", ""], conversations.add_message, files, reply)
        for seq in range(20):
            part = f"{seq} part "
            record = ["part", chat, reply.id, part]
            await do(record, conversations.append_reply, reply.id, seq, part, (seq,), part)
        await do(["done", chat, reply.id], conversations.finish_message, reply.id, MessageState.COMPLETE)

asyncio.run(main())
"""

KILLS = 10


def written_until_killed(moment: int) -> list[list[Any]]:
    """What a writer said was stored; it is killed as soon as it has said so `moment` times."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    with writer, writer.stdout as said:
        lines = [said.readline() for _ in range(moment)]
        writer.kill()
        lines += said.readlines()
    assert writer.returncode == -9
    return [json.loads(line) for line in lines if line.endswith("\n")]


def check(connection: sqlite3.Connection, files: AttachmentFiles, said: list[list[Any]]) -> None:
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    (chat,) = {record[1] for record in said}
    kept = {message.id: message for message in conversations.messages(connection, files, chat)}
    parts: dict[str, str] = {}
    for kind, _, *record in said:
        if kind == "message":
            id, text, document = record
            assert kept[id].text.startswith(text)
            assert "".join(one.text for one in kept[id].attachments) == document
        elif kind == "part":
            parts[record[0]] = parts.get(record[0], "") + record[1]
        elif kind == "done":
            assert kept[record[0]].state is MessageState.COMPLETE
    for id, text in parts.items():
        assert kept[id].text.startswith(text)
        assert kept[id].thinking == kept[id].text
        assert kept[id].tokens[: text.count("part")] == tuple(range(text.count("part")))
    check_draft(connection, files, chat, [record for record in said if record[0] == "draft"])


def check_draft(
    connection: sqlite3.Connection, files: AttachmentFiles, chat: str, said: list[list[Any]]
) -> None:
    draft = workspace.load_draft(connection, files, chat)
    saved = int(draft.text.removeprefix("draft ") or -1)
    assert saved in (len(said) - 1, len(said)), "the last one said, or the one being saved"
    if saved == len(said) - 1:
        assert draft.attachments[0].text == said[-1][3]


def test_u18_everything_said_to_be_stored_survives_a_kill_at_any_moment(paths: Paths) -> None:
    moments = random.Random(18)
    files = AttachmentFiles(paths.attachments)
    for _ in range(KILLS):
        said = written_until_killed(moments.randint(2, 90))
        assert len(said) >= 2
        connection = sqlite3.connect(paths.database)
        check(connection, files, said)
        conversations.recover(connection)
        sweep(connection, files)
        check_recovered(connection, files, said[0][1])
        check(connection, files, [record for record in said if record[0] != "done"])
        connection.commit()
        connection.close()


def check_recovered(connection: sqlite3.Connection, files: AttachmentFiles, chat: str) -> None:
    kept = conversations.messages(connection, files, chat)
    assert all(message.state is not MessageState.STREAMING for message in kept)
    stopped = [message for message in kept if message.state is MessageState.STOPPED]
    assert stopped == [message for message in kept if message.note == conversations.INTERRUPTED]
    assert len(stopped) <= 1
    held = {path.name for path in Path(files.folder).rglob("*") if path.is_file()}
    assert held == {sha256 for (sha256,) in connection.execute("SELECT sha256 FROM attachment")}
