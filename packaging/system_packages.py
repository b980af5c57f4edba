"""What Interlace needs of a Linux system itself, and which of it is missing here, as Debian packages.

python3 packaging/system_packages.py           prints the missing packages on one line
python3 packaging/system_packages.py --check   fails with one sentence if something is missing
"""

import argparse
import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec

__all__ = ["BASE", "WAYLAND", "X11", "complaint", "is_here", "missing", "needs"]

# Each maps a shared library, or a module of Python, to the package that holds it.
BASE = {
    "ensurepip": "python3-venv",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Without these there is no virtual environment, and Qt does not load, with a screen or not."""
X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}


def needs(system: str, environment: Mapping[str, str]) -> dict[str, str]:
    """What is needed on `system` (as `sys.platform` names it) with the screen that `environment` tells of.

    Nothing on a Mac: Python and Qt bring it along.
    """
    if system != "linux":
        return {}
    if environment.get("WAYLAND_DISPLAY"):
        return BASE | WAYLAND
    return BASE | X11 if environment.get("DISPLAY") else dict(BASE)


def is_here(need: str) -> bool:
    """Whether that shared library can be loaded, or that module of Python imported."""
    if ".so." not in need:
        return find_spec(need) is not None
    try:
        ctypes.CDLL(need)
    except OSError:
        return False
    return True


def missing(needs: Mapping[str, str], is_here: Callable[[str], bool] = is_here) -> dict[str, str]:
    """Those of `needs` that are not on this system."""
    return {need: package for need, package in needs.items() if not is_here(need)}


def complaint(missing: Mapping[str, str], apt: bool) -> str:
    """One sentence with the next action. `apt`: whether packages are installed with apt-get here."""
    if apt:
        return f"System packages are missing; install them: sudo apt-get install {' '.join(missing.values())}"
    return f"System packages are missing; install those that hold {', '.join(missing)}."


def main() -> int:
    """Returns the exit code: 1 if something is missing and `--check` was given."""
    parser = argparse.ArgumentParser(description="Which system packages are missing here.")
    parser.add_argument("--check", action="store_true", help="fail with one sentence if something is missing")
    lacks = missing(needs(sys.platform, os.environ))
    if not parser.parse_args().check:
        print(*lacks.values())
    elif lacks:
        print(complaint(lacks, shutil.which("apt-get") is not None), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
