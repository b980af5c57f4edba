import asyncio
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.paths import Paths
from app.storage.database import Database
from app.storage.errors import (
    DatabaseBusy,
    DatabaseClosed,
    DatabaseDamaged,
    DatabaseNewer,
    DiskFull,
    StorageUnavailable,
)

Post = Callable[[sqlite3.Connection], object]


@pytest.fixture
def errors() -> list[BaseException]:
    return []


@pytest.fixture
def database(paths: Paths, errors: list[BaseException]) -> Iterator[Database]:
    database = Database(paths.database, errors.append, busy_seconds=0.02)
    yield database
    database.close()


def now(database: Database, work: Callable[[sqlite3.Connection], Any]) -> Any:
    return asyncio.run(database.run(work))


def conversation(id: str, title: str = "") -> Post:
    return lambda c: c.execute("INSERT INTO conversation VALUES (?, ?, 0, 0, NULL)", (id, title))


def ids(connection: sqlite3.Connection) -> list[str]:
    return [id for (id,) in connection.execute("SELECT id FROM conversation ORDER BY rowid")]


def stored(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return ids(connection)
    finally:
        connection.close()


def limit_pages(database: Database, pages: int) -> None:
    """Makes the disk full at that size: SQLite refuses in the same way."""
    now(database, lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchone())


def test_work_runs_in_order_on_one_thread_that_is_not_the_callers(database: Database) -> None:
    threads: list[int] = []
    for number in range(50):
        database.post(lambda c: threads.append(threading.get_ident()))
        database.post(conversation(f"c{number}"))
    assert now(database, ids) == [f"c{number}" for number in range(50)]
    assert len(set(threads)) == 1
    assert threading.get_ident() not in threads


def test_the_file_is_its_owners_alone_and_so_is_its_log(database: Database, paths: Paths) -> None:
    now(database, conversation("a"))
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths.data.glob("interlace*")}
    assert names["interlace.sqlite3"] == names["interlace.sqlite3-wal"] == 0o600


def test_the_connection_checks_references_and_logs_ahead(database: Database) -> None:
    assert now(database, lambda c: c.execute("PRAGMA journal_mode").fetchone()) == ("wal",)
    assert now(database, lambda c: c.execute("PRAGMA foreign_keys").fetchone()) == (1,)
    assert now(database, lambda c: c.execute("PRAGMA synchronous").fetchone()) == (1,)


def test_work_that_raises_changes_nothing(database: Database) -> None:
    def half(connection: sqlite3.Connection) -> None:
        conversation("half")(connection)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        now(database, half)
    assert now(database, ids) == []


def test_a_fault_in_posted_work_is_reported_and_the_rest_goes_on(
    database: Database, errors: list[BaseException]
) -> None:
    database.post(conversation("a"))
    database.post(conversation("a"))
    database.post(lambda c: 1 // 0)
    database.post(conversation("b"))
    assert now(database, ids) == ["a", "b"]
    assert [type(error) for error in errors] == [sqlite3.IntegrityError, ZeroDivisionError]


def test_close_waits_for_all_that_was_posted(paths: Paths, errors: list[BaseException]) -> None:
    database = Database(paths.database, errors.append)
    gate = threading.Event()
    database.post(lambda c: gate.wait(10))
    for number in range(100):
        database.post(conversation(f"c{number}"))
    gate.set()
    database.close()
    assert len(stored(paths.database)) == 100
    assert list(paths.data.glob("*-wal")) == []


def test_a_closed_database_takes_nothing(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(DatabaseClosed):
        database.post(conversation("a"))
    with pytest.raises(DatabaseClosed):
        now(database, ids)


def test_a_cancelled_caller_does_not_cancel_its_work(database: Database) -> None:
    gate = threading.Event()

    async def main() -> None:
        database.post(lambda c: gate.wait(10))
        task = asyncio.create_task(database.run(conversation("kept")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()

    asyncio.run(main())
    assert now(database, ids) == ["kept"]


def test_the_loop_goes_on_while_work_runs(database: Database) -> None:
    gate = threading.Event()

    async def main() -> bool:
        task = asyncio.create_task(database.run(lambda c: gate.wait(10)))
        await asyncio.sleep(0)
        gate.set()
        return await task

    assert asyncio.run(main())


def test_u21_a_full_disk_delays_saving_and_loses_nothing(
    database: Database, errors: list[BaseException]
) -> None:
    now(database, conversation("before"))
    limit_pages(database, 1)  # Means: no more than there are.
    for number in range(20):
        database.post(conversation(f"c{number}", "x" * 20_000))
    assert now(database, ids) == ["before"]
    assert [type(error) for error in errors] == [DiskFull]
    with pytest.raises(DiskFull):
        now(database, conversation("asked", "x" * 20_000))

    limit_pages(database, 10_000)
    database.post(conversation("after"))
    assert now(database, ids) == ["before", *(f"c{number}" for number in range(20)), "after"]
    assert len(errors) == 1


def test_u21_the_next_full_disk_is_reported_again(database: Database, errors: list[BaseException]) -> None:
    for _ in range(2):
        limit_pages(database, 1)
        database.post(conversation(str(len(errors)), "x" * 20_000))
        limit_pages(database, 10_000)
        now(database, ids)
    assert [type(error) for error in errors] == [DiskFull, DiskFull]


def test_u22_a_held_file_delays_saving_and_loses_nothing(
    database: Database, paths: Paths, errors: list[BaseException]
) -> None:
    now(database, conversation("before"))
    other = sqlite3.connect(paths.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for number in range(5):
        database.post(conversation(f"c{number}"))
    assert now(database, ids) == ["before"], "reading needs no lock"
    with pytest.raises(DatabaseBusy):
        now(database, conversation("asked"))
    other.execute("ROLLBACK")
    other.close()
    database.close()
    assert stored(paths.database) == ["before", *(f"c{number}" for number in range(5))]
    assert [type(error) for error in errors] == [DatabaseBusy]


def test_u22_a_file_held_for_a_while_is_waited_for(paths: Paths, errors: list[BaseException]) -> None:
    database = Database(paths.database, errors.append, busy_seconds=30)
    now(database, conversation("before"))
    other = sqlite3.connect(paths.database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.1, other.execute, ("ROLLBACK",))
    release.start()
    now(database, conversation("after"))
    release.join()
    other.close()
    database.close()
    assert (stored(paths.database), errors) == (["before", "after"], [])


def test_a_newer_file_is_refused_and_left_alone(
    database: Database, paths: Paths, errors: list[BaseException]
) -> None:
    other = sqlite3.connect(paths.database)
    other.execute("PRAGMA user_version = 999")
    other.close()
    with pytest.raises(DatabaseNewer, match="newer Interlace"):
        now(database, ids)
    database.post(conversation("a"))
    database.post(conversation("b"))
    database.close()
    assert [type(error) for error in errors] == [DatabaseNewer]
    other = sqlite3.connect(paths.database)
    assert other.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    other.close()


def test_a_file_that_is_no_database_is_refused_and_left_alone(database: Database, paths: Paths) -> None:
    paths.database.write_bytes(b"not a database, but long enough to have a header" * 100)
    before = paths.database.read_bytes()
    with pytest.raises(DatabaseDamaged):
        now(database, ids)
    database.close()
    assert paths.database.read_bytes() == before


def test_a_file_that_could_not_be_opened_is_tried_again(tmp_path: Path, errors: list[BaseException]) -> None:
    path = tmp_path / "absent" / "interlace.sqlite3"
    database = Database(path, errors.append)
    database.post(conversation("a"))
    with pytest.raises(StorageUnavailable):
        now(database, ids)
    path.parent.mkdir()
    assert now(database, ids) == ["a"]
    database.close()
    assert [type(error) for error in errors] == [StorageUnavailable]
