"""The virtual environment: one build of MLX in it, never two, and a sentence where there can be none."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.scripts import PROJECT, load

script = load("setup_venv")
PYTHON = sys.version_info[:2]


def environment(folder: Path, *packages: str, python: tuple[int, int] = PYTHON) -> Path:
    """A folder that looks like a virtual environment with these packages."""
    site = folder / "lib" / "python{}.{}".format(*python) / "site-packages"
    for package in packages:
        (site / f"{package}.dist-info").mkdir(parents=True)
    site.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize(
    ("mlx", "holds", "stale"),
    [
        ("cpu", "mlx_cpu-0.32.4", False),
        ("cpu", "mlx_cuda_13-0.32.4", True),
        ("cuda", "mlx_cuda_13-0.32.4", False),
        ("cuda", "mlx_cpu-0.32.4", True),
        ("metal", "mlx_metal-0.32.4", False),
    ],
)
def test_an_environment_with_another_build_of_mlx_is_stale(
    tmp_path: Path, mlx: str, holds: str, stale: bool
) -> None:
    folder = environment(tmp_path / "venv", "mlx-0.32.4", "mlx_lm-0.32.2", holds)

    assert script.is_stale(folder, mlx, PYTHON) is stale


def test_an_environment_of_another_python_is_stale(tmp_path: Path) -> None:
    assert script.is_stale(environment(tmp_path / "venv", python=(3, 9)), "cpu", PYTHON)


def test_what_is_not_there_is_not_stale(tmp_path: Path) -> None:
    assert not script.is_stale(tmp_path / "venv", "cpu", PYTHON)


class Machine:
    """Stands for venv and pip, and notes what they were told."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.cleared: list[bool] = []
        self.commands: list[list[str]] = []

    def create(self, folder: Path, clear: bool, **options: bool) -> None:
        self.cleared.append(clear)

    def run(self, command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        self.commands.append(command)
        return subprocess.CompletedProcess(command, self.code)

    def set_up(self, folder: Path, mlx: str) -> None:
        script.set_up(folder, mlx, self.create, self.run)


@pytest.mark.parametrize(("mlx", "extras"), [("metal", "dev"), ("cuda", "cuda,dev"), ("cpu", "cpu,dev")])
def test_the_project_is_installed_with_that_build_of_mlx(tmp_path: Path, mlx: str, extras: str) -> None:
    machine = Machine()

    machine.set_up(tmp_path / "venv", mlx)

    assert [command[-1] for command in machine.commands] == [f"{PROJECT}[{extras}]"]
    assert machine.commands[0][0] == str(tmp_path / "venv" / "bin" / "python")
    assert machine.cleared == [False]


def test_the_other_build_of_mlx_is_replaced(tmp_path: Path) -> None:
    machine = Machine()

    machine.set_up(environment(tmp_path / "venv", "mlx_cuda_13-0.32.4"), "cpu")

    assert machine.cleared == [True]


def test_a_failing_pip_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(script.SetupFailed, match="pip says above, then run make again"):
        Machine(code=1).set_up(tmp_path / "venv", "cpu")


@pytest.mark.parametrize("version", ["14.0", "15.7.1", "26.1"])
def test_a_mac_with_apple_silicon_will_do(version: str) -> None:
    script.check_mac("arm64", version)


@pytest.mark.parametrize(
    ("machine", "version", "sentence"), [("x86_64", "15.1", "arm64 Python"), ("arm64", "13.7", "macOS 14")]
)
def test_another_mac_is_refused_in_a_sentence(machine: str, version: str, sentence: str) -> None:
    with pytest.raises(script.SetupFailed, match=sentence):
        script.check_mac(machine, version)
