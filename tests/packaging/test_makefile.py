"""What `make` runs: set-up once, checks in order up to the first failure, a demo where there is no screen."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.scripts import PROJECT

TOOLS = ("ruff", "mypy", "lint-imports", "python")


class Copy:
    """A copy of what make reads, with stand-ins for all programs, which note their calls in `log`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(PROJECT / name, folder)
        shutil.copytree(PROJECT / "packaging", folder / "packaging")
        (folder / ".venv" / "bin").mkdir(parents=True)
        self.programs.mkdir()
        for tool in TOOLS:
            self.program(folder / ".venv" / "bin" / tool)
        self.program(self.programs / "python3")
        self.system("Linux", gpu=False)

    def program(self, path: Path, failing: str = "nothing") -> None:
        """A stand-in that fails when its arguments hold `failing`."""
        note = f'echo "{path.name} $*" >> "{self.folder}/log"'
        path.write_text(f'#!/bin/sh\n{note}\ncase "$*" in *{failing}*) exit 1 ;; esac\n')
        path.chmod(0o755)

    def system(self, name: str, gpu: bool) -> None:
        """Makes this look like a system that `uname` names, with an NVIDIA GPU or without."""
        (self.programs / "uname").write_text(f"#!/bin/sh\necho {name}\n")
        (self.programs / "nvidia-smi").write_text(f"#!/bin/sh\nexit {0 if gpu else 9}\n")
        for program in ("uname", "nvidia-smi"):
            (self.programs / program).chmod(0o755)

    def make(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "MLX"))
        }
        environment = inherited | {"DISPLAY": "", "WAYLAND_DISPLAY": ""} | variables
        environment["PATH"] = f"{self.programs}:{os.environ['PATH']}"
        environment["PYTHON"] = str(self.programs / "python3")
        command = ["make", *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    @property
    def log(self) -> list[str]:
        """The calls so far, without the ones that set up."""
        lines = (self.folder / "log").read_text().splitlines()
        return [line for line in lines if not line.startswith("python3")]

    def set_ups(self) -> int:
        return (self.folder / "log").read_text().count("python3 packaging/setup_venv.py")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


CHECKS = [
    "ruff check",
    "ruff format --check",
    "mypy ",
    "lint-imports ",
    "python packaging/fetch_demo_model.py",
    "python -m pytest",
]


def test_check_runs_everything_in_order(copy: Copy) -> None:
    assert copy.make("check").returncode == 0
    assert copy.log == CHECKS


def test_check_keeps_its_order_with_many_jobs(copy: Copy) -> None:
    assert copy.make("-j8", "check").returncode == 0
    assert copy.log == CHECKS


def test_check_stops_at_the_first_failure(copy: Copy) -> None:
    copy.program(copy.folder / ".venv" / "bin" / "mypy", failing="")

    assert copy.make("check").returncode != 0
    assert copy.log == CHECKS[:3]


def test_set_up_runs_once_and_again_when_the_project_file_changed(copy: Copy) -> None:
    copy.make("lint")
    copy.make("lint")
    assert copy.set_ups() == 1

    stamp = next((copy.folder / ".venv").glob(".ready-*"))
    later = stamp.stat().st_mtime + 10
    os.utime(copy.folder / "pyproject.toml", (later, later))
    copy.make("lint")
    assert copy.set_ups() == 2


def test_a_failed_set_up_is_tried_again(copy: Copy) -> None:
    copy.program(copy.programs / "python3", failing="setup_venv.py")
    assert copy.make("lint").returncode != 0
    assert copy.log == []

    copy.program(copy.programs / "python3")
    assert copy.make("lint").returncode == 0
    assert copy.set_ups() == 2


@pytest.mark.parametrize(
    ("system", "gpu", "mlx"), [("Darwin", False, "metal"), ("Linux", True, "cuda"), ("Linux", False, "cpu")]
)
def test_the_build_of_mlx_follows_the_machine(copy: Copy, system: str, gpu: bool, mlx: str) -> None:
    copy.system(system, gpu)
    if system == "Linux" and Path("/dev/nvidia0").exists():
        mlx = "cuda"

    assert f"packaging/setup_venv.py .venv {mlx}\n" in copy.make("-n", "lint").stdout


def test_the_build_of_mlx_can_be_chosen(copy: Copy) -> None:
    copy.system("Linux", gpu=True)

    assert "packaging/setup_venv.py .venv cpu\n" in copy.make("-n", "lint", "MLX=cpu").stdout


def test_an_old_python_gets_one_sentence(copy: Copy) -> None:
    copy.program(copy.programs / "python3", failing="version_info")

    stderr = copy.make("lint").stderr

    assert stderr.startswith(f"{copy.programs}/python3 is not Python 3.11 or newer: install it")
    assert copy.set_ups() == 0


def test_no_python_gets_the_same_sentence(copy: Copy) -> None:
    assert copy.make("lint", "PYTHON=nosuchpython").stderr.startswith(
        "nosuchpython is not Python 3.11 or newer"
    )


def test_run_opens_the_window_on_a_screen(copy: Copy) -> None:
    assert copy.make("run", DISPLAY=":0").returncode == 0
    assert copy.log == ["python packaging/fetch_demo_model.py", "python -m app"]


def test_run_opens_the_window_on_a_mac(copy: Copy) -> None:
    copy.system("Darwin", gpu=False)

    assert copy.make("run").returncode == 0
    assert copy.log[-1] == "python -m app"


def test_run_without_a_screen_says_so_and_runs_the_demo(copy: Copy) -> None:
    done = copy.make("run")

    assert done.returncode == 0
    assert done.stdout.startswith("There is no screen here")
    assert copy.log == ["python packaging/fetch_demo_model.py", "python -m app --demo build/demo"]


def test_make_alone_lists_the_targets(copy: Copy) -> None:
    listed = [line.split()[1] for line in copy.make().stdout.splitlines()]

    assert {"run", "demo", "test", "check", "lint", "types", "clean", "help"} <= set(listed)


def test_clean_keeps_the_demo_model(copy: Copy) -> None:
    for folder in ("app", "engine", "tests", "resources/models", "build/demo"):
        (copy.folder / folder).mkdir(parents=True)
    model = copy.folder / "resources" / "models" / "demo.gguf"
    model.touch()

    assert copy.make("clean").returncode == 0
    assert model.exists()
    assert not (copy.folder / ".venv").exists()
    assert not (copy.folder / "build").exists()
