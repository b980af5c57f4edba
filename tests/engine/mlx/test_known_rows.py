"""A row check is done once per model, machine and versions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import engine.mlx  # noqa: F401
from tests.tiny import make_tiny

# isort: split
import mlx.core as mx

from engine.mlx import known_rows
from engine.mlx.known_rows import known_or_checked
from engine.mlx.load import LoadedModel, load
from engine.sharing import Sharing


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(make_tiny(tmp_path_factory.mktemp("tiny")))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each check that was really done; it finds 6 rows."""
    done: list[int] = []

    def check(model: object, vocabulary: int, cancelled: object) -> Sharing:
        done.append(vocabulary)
        return Sharing("rows", 6)

    monkeypatch.setattr(known_rows, "check_rows", check)
    return done


def test_the_second_load_does_not_check(loaded: LoadedModel, checks: list[int], tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    assert [known_or_checked(loaded, folder) for _ in range(3)] == [Sharing("rows", 6)] * 3
    assert len(checks) == 1


def test_without_a_folder_every_load_checks(loaded: LoadedModel, checks: list[int]) -> None:
    assert known_or_checked(loaded, None) == known_or_checked(loaded, None)
    assert len(checks) == 2


def test_another_model_machine_or_version_is_checked_anew(
    loaded: LoadedModel, checks: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_or_checked(loaded, tmp_path)
    known_or_checked(replace(loaded, config={**loaded.config, "rope_theta": 7}), tmp_path)
    assert len(checks) == 2
    with monkeypatch.context() as patch:
        patch.setattr(mx, "device_info", lambda: {"device_name": "another"})
        known_or_checked(loaded, tmp_path)
        assert len(checks) == 3
    with monkeypatch.context() as patch:
        patch.setattr(known_rows, "version", lambda library: "99")
        known_or_checked(loaded, tmp_path)
        assert len(checks) == 4
    with monkeypatch.context() as patch:
        patch.setenv("INTERLACE_REFERENCE_BLAS", "1")
        known_or_checked(loaded, tmp_path)
        assert len(checks) == 5
    known_or_checked(loaded, tmp_path)
    assert len(checks) == 5


def test_free_memory_is_no_matter(
    loaded: LoadedModel, checks: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free in (1, 2):
        monkeypatch.setattr(mx, "device_info", lambda free=free: {"device_name": "one", "free_memory": free})
        known_or_checked(loaded, tmp_path)
    assert len(checks) == 1


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"mode": "rows"}',
        b'{"mode": "rows", "rows": 5}',
        b'{"mode": "x", "rows": 4}',
        b"\xff",
    ],
)
def test_a_damaged_file_is_checked_anew_and_mended(
    loaded: LoadedModel, checks: list[int], tmp_path: Path, damage: bytes
) -> None:
    known_or_checked(loaded, tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert known_or_checked(loaded, tmp_path) == Sharing("rows", 6)
    assert len(checks) == 2
    assert json.loads(file.read_bytes()) == {"mode": "rows", "rows": 6}


def test_a_folder_that_cannot_be_made_is_done_without(
    loaded: LoadedModel, checks: list[int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert known_or_checked(loaded, tmp_path / "file" / "folder") == Sharing("rows", 6)
    assert "cannot be remembered" in caplog.text


def test_what_is_remembered_is_what_the_check_finds(loaded: LoadedModel, tmp_path: Path) -> None:
    checked = known_or_checked(loaded, tmp_path)
    assert checked.rows >= 4
    assert known_or_checked(loaded, tmp_path) == checked
