"""The demo model's file is right, or one sentence says what is wrong with it."""

import hashlib
from pathlib import Path

import pytest

from engine.errors import ModelDamaged, ModelMissing
from engine.store import demo


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file of ten bytes that stands for the demo model."""
    content = b"0123456789"
    monkeypatch.setattr(demo, "SIZE", len(content))
    monkeypatch.setattr(demo, "SHA256", hashlib.sha256(content).hexdigest())
    path = tmp_path / demo.FILE_NAME
    path.write_bytes(content)
    return path


def test_the_right_file_passes(small: Path) -> None:
    demo.check(small)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="There is no demo model at"):
        demo.check(tmp_path / demo.FILE_NAME)


def test_m01_a_cut_file_is_incomplete(small: Path) -> None:
    small.write_bytes(b"01234")
    with pytest.raises(ModelDamaged, match=r"is incomplete \(5 of 10 bytes\)"):
        demo.check(small)


def test_m03_wrong_content_of_the_right_size_is_damaged(small: Path) -> None:
    small.write_bytes(b"0123456780")
    with pytest.raises(ModelDamaged, match="checksum"):
        demo.check(small)
