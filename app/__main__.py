"""The program: `python -m app`, and the bundle's entry."""

import argparse
import multiprocessing
import os
import sys
from importlib.metadata import version
from pathlib import Path

from app.paths import Paths, default_paths
from app.problems import KnownError

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="interlace", description="Chat with models on your own computer.")
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="keep conversations and settings there")
    parser.add_argument("--version", action="version", version=f"Interlace {version('interlace')}")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--demo",
        type=Path,
        metavar="DIR",
        help="drive the window through the main job, write it up in DIR",
    )
    modes.add_argument(
        "--self-test", action="store_true", help="load the demo model, run two streams, stop one, and end"
    )
    return parser


def _run(arguments: argparse.Namespace) -> int:
    # Qt and what it draws are loaded only by those who asked for a window.
    if arguments.demo or arguments.self_test:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.ui.event_loop import run

    if arguments.demo:
        from app.demo import demo

        return run(lambda: demo(arguments.demo))
    if arguments.self_test:
        from app.self_test import self_test

        return run(self_test)
    from app.application import window

    paths = default_paths() if arguments.data_dir is None else Paths(arguments.data_dir)
    paths.create()
    return run(lambda: window(paths))


def main(arguments: list[str] | None = None) -> int:
    """Runs the program. Returns the exit code: 0, or 1 after a problem, which is printed."""
    parsed = _parser().parse_args(arguments)
    try:
        return _run(parsed)
    except KnownError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
