"""Attached documents: their texts as files named by SHA-256, and the rows that hold them."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from app.atomic import write_atomically
from app.records import Attachment
from app.storage.errors import AttachmentLost
from app.storage.text import clean

__all__ = ["AttachmentFiles", "Holder", "attach", "attached", "sweep"]

Holder = Literal["message_attachment", "draft_attachment"]
"""The table that says who holds an attachment; its owner is a message, or a draft's conversation."""


class AttachmentFiles:
    """Texts below one folder, each in the file `ab/abcd...` of its SHA-256: the same text is kept once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    def write(self, data: bytes) -> str:
        """Keeps the bytes and returns their SHA-256. Raises OSError."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(path, data)
        return sha256

    def read(self, sha256: str) -> bytes:
        """The bytes as they were written. Raises AttachmentLost when they are not there any more."""
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise AttachmentLost(path) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise AttachmentLost(path)
        return data


def attach(
    connection: sqlite3.Connection,
    files: AttachmentFiles,
    holder: Holder,
    owner: str,
    attachments: Sequence[Attachment],
) -> None:
    """Makes `attachments` what the owner holds, in order. Raises OSError."""
    connection.execute(f"DELETE FROM {holder} WHERE owner = ?", (owner,))
    for position, attachment in enumerate(attachments):
        _keep(connection, files, attachment)
        connection.execute(f"INSERT INTO {holder} VALUES (?, ?, ?)", (owner, position, attachment.id))


def attached(
    connection: sqlite3.Connection, files: AttachmentFiles, holder: Holder, owner: str
) -> tuple[Attachment, ...]:
    """What the owner holds, in order. A lost document says so in its text, so that the rest can be read."""
    rows = connection.execute(
        f"""
        SELECT id, name, sha256, size FROM {holder} JOIN attachment ON id = attachment
        WHERE owner = ? ORDER BY position
        """,
        (owner,),
    )
    return tuple(Attachment(id, name, _text(files, name, sha256), size) for id, name, sha256, size in rows)


def sweep(connection: sqlite3.Connection, files: AttachmentFiles) -> None:
    """Removes the attachments that nobody holds, and every file that belongs to none. Raises OSError."""
    connection.execute(
        """
        DELETE FROM attachment WHERE id NOT IN
        (SELECT attachment FROM message_attachment UNION SELECT attachment FROM draft_attachment)
        """
    )
    held = {sha256 for (sha256,) in connection.execute("SELECT sha256 FROM attachment")}
    for path in files.folder.glob("??/*"):
        if path.name not in held:
            path.unlink()


def _keep(connection: sqlite3.Connection, files: AttachmentFiles, attachment: Attachment) -> None:
    # An attachment never changes under its id, so a draft saved again does not hash it again.
    row = connection.execute("SELECT sha256 FROM attachment WHERE id = ?", (attachment.id,)).fetchone()
    if row is not None and files.path(row[0]).exists():
        return
    sha256 = files.write(clean(attachment.text).encode())
    connection.execute(
        "INSERT INTO attachment VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (attachment.id, clean(attachment.name), sha256, attachment.size),
    )


def _text(files: AttachmentFiles, name: str, sha256: str) -> str:
    try:
        return files.read(sha256).decode()
    except AttachmentLost:
        return f"[The text of “{name}” is missing from this computer.]"
