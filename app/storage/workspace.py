"""What stood open: drafts, tabs and the window. Each function is work for the database's thread."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from app.records import Draft
from app.storage.attachments import AttachmentFiles, attach, attached
from app.storage.text import clean

__all__ = ["Tabs", "load_draft", "load_geometry", "load_tabs", "save_draft", "save_geometry", "save_tabs"]


@dataclass(frozen=True, slots=True)
class Tabs:
    """The conversations that were open, from left to right, and the one that was looked at."""

    conversations: tuple[str, ...] = ()
    focused: str | None = None


def save_draft(
    connection: sqlite3.Connection, files: AttachmentFiles, conversation: str, draft: Draft
) -> None:
    """Keeps what stands in a composer. Ignored when the conversation is gone. Raises OSError."""
    if draft == Draft():
        connection.execute("DELETE FROM draft WHERE conversation = ?", (conversation,))
        return
    stored = connection.execute(
        """
        INSERT INTO draft SELECT id, ? FROM conversation WHERE id = ?
        ON CONFLICT (conversation) DO UPDATE SET text = excluded.text
        """,
        (clean(draft.text), conversation),
    )
    if stored.rowcount:
        attach(connection, files, "draft_attachment", conversation, draft.attachments)


def load_draft(connection: sqlite3.Connection, files: AttachmentFiles, conversation: str) -> Draft:
    """What stood in a conversation's composer; an empty draft when nothing did."""
    row = connection.execute("SELECT text FROM draft WHERE conversation = ?", (conversation,)).fetchone()
    if row is None:
        return Draft()
    return Draft(row[0], attached(connection, files, "draft_attachment", conversation))


def save_tabs(connection: sqlite3.Connection, conversations: Sequence[str], focused: str | None) -> None:
    """Keeps which conversations are open, from left to right. One that is gone is left out."""
    connection.execute("DELETE FROM tab")
    connection.executemany(
        "INSERT INTO tab SELECT ?, id, ? FROM conversation WHERE id = ?",
        [(position, id == focused, id) for position, id in enumerate(conversations)],
    )


def load_tabs(connection: sqlite3.Connection) -> Tabs:
    """The tabs as they were saved last, without those of deleted conversations."""
    rows = connection.execute("SELECT conversation, focused FROM tab ORDER BY position").fetchall()
    return Tabs(tuple(id for id, _ in rows), next((id for id, focused in rows if focused), None))


def save_geometry(connection: sqlite3.Connection, geometry: bytes) -> None:
    """Keeps where the window stood, in Qt's own form."""
    connection.execute("INSERT OR REPLACE INTO window VALUES (1, ?)", (geometry,))


def load_geometry(connection: sqlite3.Connection) -> bytes:
    """Where the window stood; empty before the first save."""
    row = connection.execute("SELECT geometry FROM window").fetchone()
    return b"" if row is None else bytes(row[0])
