"""A database in memory, and a folder for attachments."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.paths import Paths
from app.storage.attachments import AttachmentFiles
from app.storage.migrations import migrate


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, Path("interlace.sqlite3"))
    yield connection
    connection.close()


@pytest.fixture
def files(paths: Paths) -> AttachmentFiles:
    return AttachmentFiles(paths.attachments)
