"""MLX's products on a Linux CPU: OpenBLAS is in the process unless it was refused, and they are right."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.mlx import linux_blas

INSTALLED = sys.platform == "linux" and find_spec("ngsolve_openblas") is not None

PROBE = """
import engine.mlx
import ctypes, pathlib
import mlx.core as mx, numpy as np
mx.set_default_device(mx.cpu)
rng = np.random.default_rng(0)
a, b = rng.random((2, 256, 256), dtype=np.float32)
assert np.abs(np.array(mx.array(a) @ mx.array(b)) - a @ b).max() < 1e-4
maps = pathlib.Path("/proc/self/maps")
lines = maps.read_text().splitlines() if maps.exists() else []
loaded = [line.split()[-1] for line in lines if "openblasp" in line]
print(ctypes.CDLL(loaded[0]).openblas_get_num_threads() if loaded else 0)
"""


def threads(**environment: str) -> int:
    """The threads of OpenBLAS in a fresh process that has multiplied rightly; 0 where it is not loaded."""
    own = {name: value for name, value in os.environ.items() if name != linux_blas.THREADS}
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, env=own | environment, stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout)


def test_openblas_multiplies_and_leaves_a_core_where_it_is_installed() -> None:
    expected = max(1, len(os.sched_getaffinity(0)) - 1) if INSTALLED else 0
    assert threads(INTERLACE_REFERENCE_BLAS="") == expected


def test_its_own_setting_of_threads_holds() -> None:
    assert threads(INTERLACE_REFERENCE_BLAS="", OPENBLAS_NUM_THREADS="2") == (2 if INSTALLED else 0)


def test_the_reference_stays_when_it_is_asked_for() -> None:
    assert threads(INTERLACE_REFERENCE_BLAS="1") == 0


def test_nothing_is_done_on_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert linux_blas.preload() is False


def test_nothing_is_done_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(linux_blas, "find_spec", lambda name: None)
    assert linux_blas.preload() is False


def test_a_library_that_cannot_be_loaded_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "libopenblas.so").write_bytes(b"no library")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv(linux_blas.REFERENCE_BLAS, raising=False)
    monkeypatch.setattr(linux_blas, "_library", lambda: tmp_path / "libopenblas.so")
    assert linux_blas.preload() is False
