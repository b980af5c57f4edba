import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from app.atomic import write_atomically


def test_the_file_holds_the_bytes_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"\x00two\r\n")
    assert path.read_bytes() == b"\x00two\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_old_file_is_replaced_only_once_the_new_one_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []

    def told(step: str, call: Callable[..., None]) -> Callable[..., None]:
        def tell(*arguments: object) -> None:
            steps.append(step)
            call(*arguments)

        return tell

    monkeypatch.setattr(os, "replace", told("rename", os.replace))
    monkeypatch.setattr(os, "fsync", told("sync", os.fsync))
    write_atomically(tmp_path / "file", b"data")
    assert steps == ["sync", "rename", "sync"]
