"""Makes the virtual environment: Interlace's dependencies, the tools, and one build of MLX.

python3 packaging/setup_venv.py .venv metal|cuda|cpu
"""

import argparse
import platform
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

__all__ = ["SetupFailed", "check_mac", "is_stale", "set_up"]

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = {"metal": "dev", "cuda": "cuda,dev", "cpu": "cpu,dev"}
OTHER_BUILD = {"metal": "mlx_c*.dist-info", "cuda": "mlx_cpu-*.dist-info", "cpu": "mlx_cuda_*.dist-info"}
"""MLX's builds overwrite each other's files, so an environment that holds another one is made anew."""


class SetupFailed(Exception):
    """The environment could not be made. The message is one sentence with the next action."""


def check_mac(machine: str, version: str) -> None:
    """Checks a Mac's processor, as this Python sees it, and its system version.

    Raises:
        SetupFailed: MLX does not exist for it.
    """
    if machine != "arm64":
        raise SetupFailed(
            f"This Python runs as {machine}: on a Mac with Apple silicon install an arm64 Python; "
            "other Macs cannot run Interlace."
        )
    if int(version.partition(".")[0]) < 14:
        raise SetupFailed(f"Interlace needs macOS 14 or newer, this is {version}: update the system first.")


def is_stale(folder: Path, mlx: str, python: tuple[int, int]) -> bool:
    """Whether `folder` is an environment of another Python version or with another build of MLX."""
    packages = folder / "lib" / "python{}.{}".format(*python) / "site-packages"
    return folder.exists() and (not packages.is_dir() or any(packages.glob(OTHER_BUILD[mlx])))


def set_up(
    folder: Path,
    mlx: str,
    create: Callable[..., None] = venv.create,
    run: Callable[..., subprocess.CompletedProcess[bytes]] = subprocess.run,
) -> None:
    """Makes `folder` an environment that Interlace and its tests run in. Takes minutes the first time.

    Raises:
        SetupFailed: pip could not install everything; what it printed says why.
    """
    create(folder, clear=is_stale(folder, mlx, sys.version_info[:2]), symlinks=True, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    install = [*pip, "install", "--quiet", "--editable", f"{ROOT}[{EXTRAS[mlx]}]"]
    if run(install, stdin=subprocess.DEVNULL).returncode:
        raise SetupFailed("Not everything could be installed: mend what pip says above, then run make again.")


def main() -> None:
    """Checks the machine, then sets up. Ends with one sentence on standard error if that fails."""
    parser = argparse.ArgumentParser(description="Makes the virtual environment.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("mlx", choices=EXTRAS)
    arguments = parser.parse_args()
    try:
        if sys.platform == "darwin":
            check_mac(platform.machine(), platform.mac_ver()[0])
        print(f"Setting up {arguments.folder} with MLX for {arguments.mlx}; the first time takes minutes.")
        set_up(arguments.folder, arguments.mlx)
    except SetupFailed as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
