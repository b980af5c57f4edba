"""Which BLAS MLX uses on a Linux CPU: OpenBLAS, where installed, in place of the bundled reference."""

import ctypes
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

__all__ = ["REFERENCE_BLAS", "THREADS", "preload"]

REFERENCE_BLAS = "INTERLACE_REFERENCE_BLAS"
"""The environment variable that, set to 1, keeps the reference BLAS, so that the two can be compared."""

THREADS = "OPENBLAS_NUM_THREADS"
"""The environment variable that OpenBLAS itself reads. Without it one core is left to the rest: its threads
wait for each other in a loop, and products took 5 times longer where another program wanted a core."""


def preload() -> bool:
    """Loads OpenBLAS so that MLX, imported later, finds its symbols first: 30 to 40 times faster in float32.

    Returns: whether it was loaded. Without it MLX works as it is, so a failure is no error.
    """
    if sys.platform != "linux" or os.environ.get(REFERENCE_BLAS) == "1":
        return False
    library = _library()
    return library is not None and (_load(library) or _load_with_bundled_fortran(library))


def _library() -> Path | None:
    spec = find_spec("ngsolve_openblas")
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("*.so"))), None)


def _load(path: Path) -> bool:
    try:
        library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    if THREADS not in os.environ and hasattr(library, "openblas_set_num_threads"):
        library.openblas_set_num_threads(max(1, len(os.sched_getaffinity(0)) - 1))
    return True


def _load_with_bundled_fortran(library: Path) -> bool:
    """A fresh system has no libgfortran.so.5, but the MLX wheel brings one under another name.

    OpenBLAS looks for it in its own folder first, so both are linked into one.
    """
    fortran = _bundled_fortran()
    if fortran is None or not _load(fortran):
        return False
    with tempfile.TemporaryDirectory(prefix="interlace-blas-") as folder:
        Path(folder, "libgfortran.so.5").symlink_to(fortran)
        link = Path(folder, "libopenblas.so")
        link.symlink_to(library)
        return _load(link)


def _bundled_fortran() -> Path | None:
    spec = find_spec("mlx")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        found = sorted(Path(location).parent.glob("mlx_cpu.libs/libgfortran-*.so*"))
        if found:
            return found[0]
    return None
