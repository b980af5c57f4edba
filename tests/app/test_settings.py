import errno
import json
import os
from pathlib import Path

import pytest

from app.settings import Settings, SettingsError, load_settings, save_settings

CHOSEN = Settings(
    model="/Modèles/é\u0065\u0301.gguf",
    temperature=0,
    top_p=0.5,
    max_tokens=256,
    seed=-7,
    sidebar=False,
    templates={"/Modèles/base": "chatml"},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_without_a_file_the_defaults_hold_and_nothing_is_wrong(path: Path) -> None:
    assert load_settings(path) == (Settings(), None)
    assert Settings() == Settings(
        model=None, temperature=0.7, top_p=0.95, max_tokens=None, seed=None, sidebar=True, templates={}
    )
    assert not path.exists()


@pytest.mark.parametrize("settings", [Settings(), CHOSEN])
def test_what_was_saved_is_loaded(path: Path, settings: Settings) -> None:
    save_settings(path, settings)
    assert load_settings(path) == (settings, None)


def test_a_path_keeps_its_form_even_when_it_is_no_valid_text(path: Path) -> None:
    model = os.fsdecode(b"/models/caf\xe9")
    save_settings(path, Settings(model=model))
    assert load_settings(path)[0].model == model


def test_unknown_keys_are_kept(path: Path) -> None:
    path.write_text('{"temperature": 1, "theme": {"accent": "teal"}, "later": [1, null]}')
    settings, problem = load_settings(path)
    assert (settings.temperature, problem) == (1, None)
    save_settings(path, settings)
    content = json.loads(path.read_text())
    assert (content["theme"], content["later"]) == ({"accent": "teal"}, [1, None])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"temperature": 0.',
        b"[]",
        b"\xff\xfe\xfa",
        b"[" * 100_000,
        b'{"temperature": "hot"}',
        b'{"temperature": -1}',
        b'{"temperature": NaN}',
        b'{"temperature": true}',
        b'{"top_p": 0}',
        b'{"max_tokens": 0}',
        b'{"max_tokens": 1.5}',
        b'{"seed": true}',
        b'{"sidebar": 1}',
        b'{"model": 5}',
        b'{"templates": ["chatml"]}',
        b'{"templates": {"/models/base": 5}}',
    ],
)
def test_a_damaged_file_is_set_aside_whole_and_said(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    settings, problem = load_settings(path)
    assert settings == Settings()
    assert problem is not None
    assert "settings-damaged-1.json" in problem.sentence
    assert path.with_name("settings-damaged-1.json").read_bytes() == content
    assert not path.exists()


def test_an_earlier_damaged_file_is_not_overwritten(path: Path) -> None:
    for number in (1, 2):
        path.write_bytes(b"damage %d" % number)
        load_settings(path)
        assert path.with_name(f"settings-damaged-{number}.json").read_bytes() == b"damage %d" % number


def test_a_damaged_file_that_cannot_be_moved_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path.write_bytes(b"damage")
    monkeypatch.setattr(Path, "rename", refuse)
    settings, problem = load_settings(path)
    assert settings == Settings()
    assert problem is not None
    assert str(path) in problem.sentence
    assert "Permission denied" in problem.action


def test_a_file_that_cannot_be_read_stays_and_is_named(path: Path) -> None:
    path.mkdir()
    settings, problem = load_settings(path)
    assert settings == Settings()
    assert problem is not None
    assert str(path) in problem.sentence
    assert path.is_dir()


def test_u21_a_full_disk_keeps_the_old_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_settings(path, CHOSEN)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError, match="No space left"):
        save_settings(path, Settings())
    assert load_settings(path) == (CHOSEN, None)
