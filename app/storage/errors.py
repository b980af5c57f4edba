"""Every error of the storage that is not a fault of ours, and which of sqlite3's it stands for.

StorageError            one sentence for the user, and one next action
├── DiskFull            the disk, or the user's share of it, is full
├── DatabaseBusy        another program holds the file
├── DatabaseDamaged     the file is not a database, or a page of it is broken
├── DatabaseNewer       a later version of Interlace wrote it
├── DatabaseClosed      the program is ending
├── StorageUnavailable  the disk or its permissions refuse
└── AttachmentLost      an attachment's file is missing or was changed
"""

import errno
import sqlite3
from pathlib import Path

from app.problems import KnownError

__all__ = [
    "AttachmentLost",
    "DatabaseBusy",
    "DatabaseClosed",
    "DatabaseDamaged",
    "DatabaseNewer",
    "DiskFull",
    "StorageError",
    "StorageUnavailable",
    "os_failure",
    "sqlite_failure",
]


class StorageError(KnownError):
    pass


class DiskFull(StorageError):
    action = "Free some space: what is new stays open here and is saved as soon as there is room."

    def __init__(self, path: Path) -> None:
        super().__init__(f"The disk is full, so Interlace cannot save to {path}.")


class DatabaseBusy(StorageError):
    action = "Close the other program that uses it: saving goes on by itself."

    def __init__(self, path: Path) -> None:
        super().__init__(f"Another program holds {path}, so Interlace cannot save.")


class DatabaseDamaged(StorageError):
    action = "Quit Interlace, then put back a backup of this file or move it away to start afresh."

    def __init__(self, path: Path) -> None:
        super().__init__(f"The file of your conversations, {path}, is damaged.")


class DatabaseNewer(StorageError):
    """Attributes: `version` of the file and `known`, the latest this program reads."""

    action = "Update Interlace; until then nothing is read from or written to the file."

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            f"A newer Interlace wrote {path} (format {version}; this version reads up to {known})."
        )
        self.version = version
        self.known = known


class DatabaseClosed(StorageError):
    action = "Start Interlace again."

    def __init__(self) -> None:
        super().__init__("Interlace is closing and saves nothing more.")


class StorageUnavailable(StorageError):
    action = "Check the disk and the folder's permissions: what is new stays open here until it is saved."

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"Interlace cannot read or write {path} ({reason}).")


class AttachmentLost(StorageError):
    action = "Attach the document again."

    def __init__(self, path: Path) -> None:
        super().__init__(f"The attachment's file {path} is missing or was changed.")


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def os_failure(error: OSError, path: Path) -> StorageError:
    """What an OSError met while saving beside `path` stands for."""
    where = Path(error.filename) if isinstance(error.filename, str) else path
    if error.errno in _FULL:
        return DiskFull(where)
    return StorageUnavailable(where, error.strerror or type(error).__name__)


def sqlite_failure(error: sqlite3.Error, path: Path) -> StorageError | sqlite3.Error:
    """What an error of sqlite3 on the database `path` stands for; the error itself when the fault is ours."""
    # An error of the Python module itself has no code. The low byte is the kind, the rest says in which call.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:  # What opening the file on a full disk gives.
        return DiskFull(path)
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return DiskFull(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseBusy(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return DatabaseDamaged(path)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR | sqlite3.SQLITE_PERM | sqlite3.SQLITE_READONLY:
            return StorageUnavailable(path, str(error))
    return error
