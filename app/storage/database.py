"""The database file and the one worker thread that touches it."""

import asyncio
import os
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from app.storage.errors import DatabaseClosed, StorageError, os_failure, sqlite_failure
from app.storage.migrations import migrate

__all__ = ["Database", "Work"]

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""What the worker is asked to do: one transaction, committed when it returns."""


class Database:
    """Runs work on one SQLite file, in the order asked, each piece in a transaction of its own.

    The file is opened by the first piece of work. A commit survives the end of the process however
    it comes; with the write-ahead log and synchronous=NORMAL the last commits before a power cut may be
    missing, never half there.

    A posted piece that the machine refuses (disk full, file held) waits and is tried again, in
    order, before whatever comes next; `on_error` hears of it once until saving works again.
    A posted piece that raises for any other reason is dropped and `on_error` gets the error.
    """

    def __init__(
        self, path: Path, on_error: Callable[[BaseException], None], *, busy_seconds: float = 5.0
    ) -> None:
        """`on_error` is called on the worker's thread. `busy_seconds`: how long a held file is waited for."""
        self._path = path
        self._on_error = on_error
        self._busy_seconds = busy_seconds
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._connection: sqlite3.Connection | None = None
        self._waiting: deque[Work[object]] = deque()
        self._stalled = False
        self._closed = False

    async def run(self, work: Work[T]) -> T:
        """Does the work after everything asked before and returns its result.

        Cancelling the caller does not cancel the work. Raises StorageError, or what the work raises.
        """
        if self._closed:
            raise DatabaseClosed
        return await asyncio.shield(asyncio.wrap_future(self._worker.submit(self._run, work)))

    def post(self, work: Work[object]) -> None:
        """Does the work after everything asked before. Returns at once. Raises DatabaseClosed."""
        if self._closed:
            raise DatabaseClosed
        self._worker.submit(self._post, work)

    def close(self) -> None:
        """Waits for everything asked, tries once more what could not be saved, and closes the file."""
        if not self._closed:
            self._closed = True
            self._worker.submit(self._close)
        self._worker.shutdown()

    def _run(self, work: Work[T]) -> T:
        self._save_waiting()
        return self._transact(work)

    def _post(self, work: Work[object]) -> None:
        self._waiting.append(work)
        self._save_waiting()

    def _close(self) -> None:
        self._save_waiting()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _save_waiting(self) -> None:
        while self._waiting:
            try:
                self._transact(self._waiting[0])
                self._stalled = False
            except StorageError as error:
                if not self._stalled:
                    self._stalled = True
                    self._on_error(error)
                return
            except Exception as error:  # The top of this thread: nobody waits for posted work.
                self._waiting.popleft()
                self._on_error(error)
            else:
                self._waiting.popleft()

    def _transact(self, work: Work[T]) -> T:
        try:
            if self._connection is None:
                self._connection = _open(self._path, self._busy_seconds)
            with self._connection as connection:
                return work(connection)
        except sqlite3.Error as error:
            failure = sqlite_failure(error, self._path)
            if failure is error:
                raise
            raise failure from error
        except OSError as error:
            raise os_failure(error, self._path) from error


def _open(path: Path, busy_seconds: float) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives the log the file's permissions.
    connection = sqlite3.connect(path, timeout=busy_seconds)
    with ExitStack() as on_failure:
        on_failure.callback(connection.close)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection, path)
        on_failure.pop_all()
    return connection
