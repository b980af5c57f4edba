import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

import app.paths
from app.paths import FolderError, Paths, default_paths, demo_model, resources

ROOT = Path(app.paths.__file__).parents[1]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_lies_below_the_data_folder(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in (paths.database, paths.settings)] == [
        "interlace.sqlite3",
        "settings.json",
    ]
    assert {paths.attachments.name, paths.logs.name, paths.models.name} == {"attachments", "logs", "models"}
    assert {p.parent for p in (paths.attachments, paths.logs, paths.models)} == {tmp_path}


def test_the_folders_are_made_for_their_owner_alone(data_folder: Path) -> None:
    data_folder.mkdir(mode=0o755, parents=True)
    paths = default_paths()
    assert paths == Paths(data_folder)
    folders = (paths.data, paths.attachments, paths.logs, paths.models)
    assert [mode(folder) for folder in folders] == [0o700] * 4
    assert default_paths() == paths


def test_without_a_chosen_folder_it_is_the_systems_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INTERLACE_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_paths().data == platformdirs.user_data_path("Interlace", appauthor=False)
    assert default_paths().data.name == "Interlace"
    assert default_paths().data.is_relative_to(tmp_path)


def test_a_folder_that_cannot_be_made_is_told_by_name(data_folder: Path) -> None:
    data_folder.write_bytes(b"")
    with pytest.raises(FolderError) as caught:
        default_paths()
    assert str(data_folder) in caught.value.sentence


def test_a_checkout_has_its_resources_beside_the_packages() -> None:
    assert resources() == ROOT / "resources"
    assert demo_model() == ROOT / "resources" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_frozen_bundle_has_its_resources_where_it_was_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "resources").mkdir()
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources() == tmp_path / "resources"


@pytest.mark.parametrize("place", ["app/resources", None])
def test_an_installed_wheel_has_its_resources_inside_the_package(tmp_path: Path, place: str | None) -> None:
    for package in ("app", "engine"):
        for source in (ROOT / package).glob("*.py"):
            (tmp_path / package).mkdir(exist_ok=True)
            shutil.copy(source, tmp_path / package)
    if place:
        (tmp_path / place).mkdir()
    script = "import app.paths as p\ntry: print(p.resources())\nexcept p.FolderError as e: print(e)"
    found = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    missing = "Interlace is incomplete: its resources are missing. Install Interlace again."
    assert found == (str(tmp_path / place) if place else missing)
