import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.storage import migrations
from app.storage.errors import DatabaseNewer
from app.storage.migrations import MIGRATIONS, migrate

PINNED = [
    "9bad185bbc069a03954f4a5d10869cd5b18534c41add5f931a9668127023b76b",
    "d4b0f587b562aa9b1faa08c3be73c2afd53e0d91988f8786612224fc2a2ee988",
]
"""SHA-256 of each published step, the statements joined by semicolons. Append; never change."""

PATH = Path("interlace.sqlite3")


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


def test_steps_are_appended_and_never_edited() -> None:
    assert [hashlib.sha256(";".join(step).encode()).hexdigest() for step in MIGRATIONS] == PINNED


def test_a_new_file_gets_every_step_once(connection: sqlite3.Connection) -> None:
    migrate(connection, PATH)
    migrate(connection, PATH)
    assert version(connection) == len(MIGRATIONS)


def test_only_the_missing_steps_run(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(connection, PATH)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE later (id TEXT)",)))
    migrate(connection, PATH)
    assert version(connection) == len(MIGRATIONS) + 1
    assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)


def test_messages_from_before_models_thought_are_kept(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(migrations, "MIGRATIONS", MIGRATIONS[:1])
        migrate(connection, PATH)
    connection.execute("INSERT INTO conversation VALUES ('c', 'Chat', 0, 0, NULL)")
    row = ("m", "c", None, 0, "assistant", "a", b"", 0.0, "complete", "")
    connection.execute(f"INSERT INTO message VALUES ({', '.join('?' * len(row))})", row)
    connection.execute("INSERT INTO reply_part VALUES ('m', 0, 'b', x'')")
    connection.commit()
    migrate(connection, PATH)
    assert connection.execute("SELECT text, thinking, thought FROM message").fetchall() == [("a", "", 0.0)]
    assert connection.execute("SELECT text, thinking FROM reply_part").fetchall() == [("b", "")]


def test_a_step_that_fails_leaves_nothing_behind(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ("CREATE TABLE half (id TEXT)", "CREATE TABLE half (id TEXT)")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection, PATH)
    assert version(connection) == len(MIGRATIONS)
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone() == (0,)


def test_a_newer_file_is_refused_with_both_numbers(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA user_version = 999")
    with pytest.raises(DatabaseNewer) as caught:
        migrate(connection, PATH)
    assert "format 999" in caught.value.sentence
    assert f"up to {len(MIGRATIONS)}" in caught.value.sentence
    assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
