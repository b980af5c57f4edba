"""What sessions hand over is in the file when it is opened again."""

import asyncio

from app.paths import Paths
from app.records import Conversation, Draft, Message, MessageState
from app.storage.archive import DatabaseArchive
from app.storage.attachments import AttachmentFiles
from app.storage.database import Database


def fail(error: BaseException) -> None:
    raise error


def test_s09_a_reply_and_its_thinking_survive_a_restart(paths: Paths) -> None:
    database = Database(paths.database, fail)
    archive = DatabaseArchive(database, AttachmentFiles(paths.attachments))
    archive.create(Conversation("c", "Chat", 1.0, 1.0))
    archive.add_message(Message("r", "c", "assistant", "", 2.0, MessageState.STREAMING))
    archive.append_reply("r", 0, "", "two and ", [1])
    archive.append_reply("r", 1, "four", "two", [2, 3])
    archive.finish_message("r", MessageState.STOPPED, "Stopped.", 12.5)
    database.close()

    database = Database(paths.database, fail)
    content = asyncio.run(DatabaseArchive(database, AttachmentFiles(paths.attachments)).content("c"))
    database.close()
    reply = Message(
        "r",
        "c",
        "assistant",
        "four",
        2.0,
        MessageState.STOPPED,
        tokens=(1, 2, 3),
        note="Stopped.",
        thinking="two and two",
        thought=12.5,
    )
    assert content == ([reply], Draft())
