"""What every test stands on: a data folder and a keychain of its own, and no screen."""

import gc
import itertools
import os
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # Read when the QApplication is made.

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from app.paths import Paths


class MemoryKeyring(KeyringBackend):
    """A keychain that lasts as long as its test."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.secrets: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.secrets.pop((service, username), None) is None:
            raise PasswordDeleteError("There is none.")


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder that `default_paths` finds in this test; not made yet."""
    folder = tmp_path / "data"
    monkeypatch.setenv("INTERLACE_DATA", str(folder))
    return folder


@pytest.fixture
def paths(data_folder: Path) -> Paths:
    """The data folder with its folders made."""
    paths = Paths(data_folder)
    paths.create()
    return paths


@pytest.fixture(autouse=True)
def memory_keyring() -> MemoryKeyring:
    """The keychain of this test, empty at first."""
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    return backend


TESTS_A_COLLECTION = 10
_run = itertools.count(1)


def pytest_configure() -> None:
    """As in the program: widgets in reference cycles must not be freed on another thread."""
    gc.disable()


def pytest_runtest_logfinish() -> None:
    if next(_run) % TESTS_A_COLLECTION == 0:
        gc.collect()
