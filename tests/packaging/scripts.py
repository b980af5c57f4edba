"""The scripts of packaging/, which is no package, as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType

__all__ = ["PROJECT", "load"]

PROJECT = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    """Runs packaging/`name`.py as a module of its own."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
