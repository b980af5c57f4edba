import errno
import sqlite3
from pathlib import Path

import pytest

import app.storage.errors as errors
from app.storage.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DiskFull,
    StorageError,
    StorageUnavailable,
    os_failure,
    sqlite_failure,
)

PATH = Path("/data/interlace.sqlite3")


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_IOERR_SHMSIZE, DiskFull),
        (sqlite3.SQLITE_BUSY, DatabaseBusy),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, DatabaseBusy),
        (sqlite3.SQLITE_LOCKED, DatabaseBusy),
        (sqlite3.SQLITE_CORRUPT, DatabaseDamaged),
        (sqlite3.SQLITE_CORRUPT_INDEX, DatabaseDamaged),
        (sqlite3.SQLITE_NOTADB, DatabaseDamaged),
        (sqlite3.SQLITE_CANTOPEN, StorageUnavailable),
        (sqlite3.SQLITE_IOERR_FSYNC, StorageUnavailable),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StorageUnavailable),
    ],
)
def test_what_the_machine_did_is_said_in_a_sentence_with_the_path(
    code: int, kind: type[StorageError]
) -> None:
    failure = sqlite_failure(sqlite_error(code), PATH)
    assert type(failure) is kind
    assert str(PATH) in str(failure)


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, sqlite3.SQLITE_MISUSE]
)
def test_a_fault_of_ours_stays_what_it_is(code: int) -> None:
    error = sqlite_error(code)
    assert sqlite_failure(error, PATH) is error


def test_an_error_of_the_module_itself_is_a_fault_of_ours() -> None:
    error = sqlite3.ProgrammingError("Cannot operate on a closed database.")
    assert sqlite_failure(error, PATH) is error


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_from_a_refusing_one(code: int) -> None:
    assert type(os_failure(OSError(code, "full", "/data/a"), PATH)) is DiskFull
    refused = os_failure(PermissionError(errno.EACCES, "Permission denied", "/data/a"), PATH)
    assert type(refused) is StorageUnavailable
    assert "/data/a (Permission denied)" in refused.sentence


def test_the_public_errors_are_the_ones_drawn_in_the_docstring() -> None:
    public = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    assert all(name in (errors.__doc__ or "") for name in public)
    assert all(issubclass(getattr(errors, name), StorageError) for name in public)
