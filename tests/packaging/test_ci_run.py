"""What CI runs: the missing system packages first, where they may be installed, then `make check`."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.packaging.scripts import PROJECT

PROGRAMS = {
    "id": "echo $USER_ID",
    "python3": "echo $MISSING",
    "apt-get": 'echo "apt-get $*" >> "$LOG"',
    "make": 'echo "make $*" >> "$LOG"; exit $MAKE_CODE',
}


class CI:
    """Runs .ci/run among stand-ins, from another folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, line in PROGRAMS.items():
            program = folder / name
            program.write_text(f"#!/bin/sh\n{line}\n")
            program.chmod(0o755)

    def run(self, user: str, missing: str, make_code: str = "0") -> tuple[int, list[str]]:
        """Returns the exit code and what was called."""
        environment = os.environ | {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "LOG": str(self.folder / "log"),
            "USER_ID": user,
            "MISSING": missing,
            "MAKE_CODE": make_code,
        }
        done = subprocess.run(
            [PROJECT / ".ci" / "run"], cwd=self.folder, env=environment, capture_output=True
        )
        return done.returncode, (self.folder / "log").read_text().splitlines()


@pytest.fixture
def ci(tmp_path: Path) -> CI:
    return CI(tmp_path)


def test_root_installs_what_is_missing_first(ci: CI) -> None:
    code, calls = ci.run(user="0", missing="libegl1 libgl1")

    assert code == 0
    assert [call.split()[1] for call in calls] == ["update", "install", "check"]
    assert calls[1].endswith(" libegl1 libgl1")


def test_nothing_is_installed_when_nothing_is_missing(ci: CI) -> None:
    assert ci.run(user="0", missing="") == (0, ["make check"])


def test_others_than_root_install_nothing(ci: CI) -> None:
    assert ci.run(user="1000", missing="libegl1") == (0, ["make check"])


def test_a_failing_check_fails(ci: CI) -> None:
    code, _ = ci.run(user="1000", missing="", make_code="2")

    assert code == 2
