"""The database's format: numbered steps, appended and never edited.

Step n turns format n - 1 into n; PRAGMA user_version holds the number. Each runs in one transaction.
"""

import sqlite3
from pathlib import Path

from app.storage.errors import DatabaseNewer

__all__ = ["MIGRATIONS", "migrate"]

# `message.parent` is checked at commit and does not cascade: SQLite limits how deep cascades
# nest to 1,000, and a chat of more turns must be deletable as one.
_FIRST = (
    """
    CREATE TABLE conversation (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created REAL NOT NULL,
        updated REAL NOT NULL,
        model TEXT
    ) STRICT
    """,
    """
    CREATE TABLE message (
        id TEXT PRIMARY KEY,
        conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
        parent TEXT REFERENCES message (id) DEFERRABLE INITIALLY DEFERRED,
        position INTEGER NOT NULL,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        tokens BLOB NOT NULL,
        created REAL NOT NULL,
        state TEXT NOT NULL,
        note TEXT NOT NULL,
        UNIQUE (conversation, position)
    ) STRICT
    """,
    "CREATE INDEX message_by_parent ON message (parent)",
    "CREATE INDEX message_streaming ON message (state) WHERE state = 'streaming'",
    """
    CREATE TABLE reply_part (
        message TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        text TEXT NOT NULL,
        tokens BLOB NOT NULL,
        PRIMARY KEY (message, seq)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE attachment (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE draft (
        conversation TEXT PRIMARY KEY REFERENCES conversation (id) ON DELETE CASCADE,
        text TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE message_attachment (
        owner TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        attachment TEXT NOT NULL REFERENCES attachment (id),
        PRIMARY KEY (owner, position)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX message_attachment_used ON message_attachment (attachment)",
    """
    CREATE TABLE draft_attachment (
        owner TEXT NOT NULL REFERENCES draft (conversation) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        attachment TEXT NOT NULL REFERENCES attachment (id),
        PRIMARY KEY (owner, position)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX draft_attachment_used ON draft_attachment (attachment)",
    """
    CREATE TABLE tab (
        position INTEGER PRIMARY KEY,
        conversation TEXT NOT NULL UNIQUE REFERENCES conversation (id) ON DELETE CASCADE,
        focused INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE TABLE window (id INTEGER PRIMARY KEY CHECK (id = 1), geometry BLOB NOT NULL) STRICT",
)

_THINKING = (
    "ALTER TABLE message ADD COLUMN thinking TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE message ADD COLUMN thought REAL NOT NULL DEFAULT 0",
    "ALTER TABLE reply_part ADD COLUMN thinking TEXT NOT NULL DEFAULT ''",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _THINKING)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Brings an open database to the latest format. Raises DatabaseNewer, sqlite3.Error."""
    while (version := _version(connection, path)) < len(MIGRATIONS):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if _version(connection, path) == version:  # Another process may have been quicker.
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise DatabaseNewer(path, version, len(MIGRATIONS))
    return int(version)
