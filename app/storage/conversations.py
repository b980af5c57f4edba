"""Stored conversations and their messages. Each function is work for the database's thread."""

import sqlite3
import struct
from collections import defaultdict
from collections.abc import Sequence

from app.records import Conversation, Message, MessageState
from app.storage.attachments import AttachmentFiles, attach, attached
from app.storage.text import clean

__all__ = [
    "INTERRUPTED",
    "add_message",
    "append_reply",
    "choose_model",
    "create",
    "delete",
    "finish_message",
    "list_conversations",
    "messages",
    "recover",
    "rename",
]

INTERRUPTED = "Interrupted: the program ended while this was written."

_Part = tuple[str, str, tuple[int, ...]]
"""Text, thinking, ids."""


def create(connection: sqlite3.Connection, conversation: Conversation) -> None:
    """Stores a new conversation."""
    model = None if conversation.model is None else clean(conversation.model)
    connection.execute(
        "INSERT INTO conversation (id, title, created, updated, model) VALUES (?, ?, ?, ?, ?)",
        (conversation.id, clean(conversation.title), conversation.created, conversation.updated, model),
    )


def rename(connection: sqlite3.Connection, id: str, title: str) -> None:
    """Gives a conversation another title; its place in the list stays."""
    connection.execute("UPDATE conversation SET title = ? WHERE id = ?", (clean(title), id))


def choose_model(connection: sqlite3.Connection, id: str, model: str | None) -> None:
    """Sets the path of the model a conversation is held with, None for the default."""
    chosen = None if model is None else clean(model)
    connection.execute("UPDATE conversation SET model = ? WHERE id = ?", (chosen, id))


def delete(connection: sqlite3.Connection, id: str) -> None:
    """Forgets a conversation with its messages, draft and tab. Its documents go with the next sweep."""
    connection.execute("DELETE FROM conversation WHERE id = ?", (id,))


def list_conversations(connection: sqlite3.Connection) -> list[Conversation]:
    """All conversations, the one written to last first."""
    rows = connection.execute(
        "SELECT id, title, created, updated, model FROM conversation ORDER BY updated DESC, created DESC, id"
    )
    return [Conversation(*row) for row in rows]


def messages(connection: sqlite3.Connection, files: AttachmentFiles, conversation: str) -> list[Message]:
    """The messages of a conversation in order, each reply joined from its parts."""
    parts = _parts(connection, conversation)
    rows = connection.execute(
        """
        SELECT id, role, text, thinking, tokens, created, state, note, thought,
            EXISTS (SELECT 1 FROM message_attachment WHERE owner = message.id)
        FROM message WHERE conversation = ? ORDER BY position
        """,
        (conversation,),
    ).fetchall()
    found = []
    for id, role, text, thinking, tokens, created, state, note, thought, has_attachments in rows:
        pieces = [(text, thinking, _ids(tokens)), *parts[id]]
        found.append(
            Message(
                id=id,
                conversation=conversation,
                role=role,
                text="".join(text for text, _, _ in pieces),
                created=created,
                state=MessageState(state),
                attachments=attached(connection, files, "message_attachment", id) if has_attachments else (),
                tokens=tuple(token for _, _, tokens in pieces for token in tokens),
                note=note,
                thinking="".join(thinking for _, thinking, _ in pieces),
                thought=thought,
            )
        )
    return found


def add_message(
    connection: sqlite3.Connection, files: AttachmentFiles, message: Message, parent: str | None = None
) -> None:
    """Stores a message as the last of its conversation, which becomes the newest. Raises OSError."""
    connection.execute(
        """
        INSERT INTO message (
            id, conversation, parent, position, role, text, thinking, tokens, created, state, note, thought
        )
        SELECT ?, ?, ?, coalesce(max(position) + 1, 0), ?, ?, ?, ?, ?, ?, ?, ?
        FROM message WHERE conversation = ?
        """,
        (
            message.id,
            message.conversation,
            parent,
            message.role,
            clean(message.text),
            clean(message.thinking),
            _bytes(message.tokens),
            message.created,
            message.state.value,
            clean(message.note),
            message.thought,
            message.conversation,
        ),
    )
    attach(connection, files, "message_attachment", message.id, message.attachments)
    connection.execute(
        "UPDATE conversation SET updated = max(updated, ?) WHERE id = ?",
        (message.created, message.conversation),
    )


def append_reply(
    connection: sqlite3.Connection,
    message_id: str,
    seq: int,
    text: str,
    tokens: Sequence[int],
    thinking: str = "",
) -> None:
    """Adds a part to a reply: one row, whatever the length of the reply. Ignored when the message is gone.

    `seq` rises with each part of a message.
    """
    connection.execute(
        """
        INSERT INTO reply_part (message, seq, text, thinking, tokens)
        SELECT id, ?, ?, ?, ? FROM message WHERE id = ?
        """,
        (seq, clean(text), clean(thinking), _bytes(tokens), message_id),
    )


def finish_message(
    connection: sqlite3.Connection,
    message_id: str,
    state: MessageState,
    note: str = "",
    thought: float = 0.0,
) -> None:
    """Says how a reply ended and for how many seconds its model thought. Ignored when the message is gone."""
    connection.execute(
        "UPDATE message SET state = ?, note = ?, thought = ? WHERE id = ?",
        (state.value, clean(note), thought, message_id),
    )


def recover(connection: sqlite3.Connection) -> int:
    """Stops the replies that the last run left half-written; called once, before any is started.

    Returns: how many there were.
    """
    return connection.execute(
        "UPDATE message SET state = ?, note = ? WHERE state = ?",
        (MessageState.STOPPED.value, INTERRUPTED, MessageState.STREAMING.value),
    ).rowcount


def _parts(connection: sqlite3.Connection, conversation: str) -> defaultdict[str, list[_Part]]:
    rows = connection.execute(
        """
        SELECT part.message, part.text, part.thinking, part.tokens FROM reply_part AS part
        JOIN message ON message.id = part.message
        WHERE message.conversation = ? ORDER BY part.message, part.seq
        """,
        (conversation,),
    )
    parts: defaultdict[str, list[_Part]] = defaultdict(list)
    for id, text, thinking, tokens in rows:
        parts[id].append((text, thinking, _ids(tokens)))
    return parts


def _bytes(tokens: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(tokens)}I", *tokens)


def _ids(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data)
