"""`python -m engine check`: how replies share a model, and that nothing around a reply changes it."""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.checking.table import figures, table, totals
from engine.checking.trial import BRIEF, FULL
from engine.errors import EngineError
from engine.report import versions, write_report

if TYPE_CHECKING:
    from engine.checking.models import Checked

__all__ = ["ENOUGH_ROWS", "add_check"]

ENOUGH_ROWS = 4
"""Rows that every family must share."""

NARROWEST, STRIDE, WIDEST = 64, 256, 16_384
"""Widths that the families' models can be made in: the first, and multiples of the second."""

REPORT = "Report it with the file that --json writes: this model's replies are not to be trusted here."


def add_check(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command `check` to `commands`."""
    check = commands.add_parser("check", help="prove that sharing, stopping and resuming change no reply")
    check.add_argument(
        "model", nargs="?", help="a model folder (safetensors, config, tokenizer) or a GGUF file"
    )
    check.add_argument("--families", action="store_true", help="tiny random models of five families instead")
    check.add_argument("--quick", action="store_true", help="only tell how replies share the model")
    check.add_argument("--hidden", type=int, default=NARROWEST, help="width of the families (default 64)")
    check.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="of their weights")
    check.add_argument("--bits", type=int, choices=(4, 8), help="quantize their weights")
    check.add_argument("--json", type=Path, metavar="FILE", help="also write the result to FILE")
    check.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> None:
    """Raises: EngineError: a model cannot be loaded, a reply differs, or FILE cannot be written."""
    _refuse(arguments)
    # On this thread; imported late, for the other commands need no MLX here.
    from engine.mlx.device import leave_thread, on_gpu

    try:
        results = list(_families(arguments) if arguments.families else _model(arguments))
        device = "gpu" if on_gpu() else "cpu"
    finally:
        _tell("")
        leave_thread()
    if any(result.laws for result in results):
        print(table(results))
    if arguments.json is not None:
        names = ("hidden", "dtype", "bits") if arguments.families else ()
        settings = {name: getattr(arguments, name) for name in names}
        write_report(arguments.json, {"device": device, **versions(), **settings, **figures(results)})
    _conclude(results)


def _refuse(arguments: argparse.Namespace) -> None:
    if arguments.families == bool(arguments.model):
        raise EngineError("There is nothing to check.", "Give either a model or --families.")
    width = arguments.hidden
    if width != NARROWEST and (width % STRIDE or not STRIDE <= width <= WIDEST):
        raise EngineError(
            f"The families cannot be {width:,} wide.", f"Give {NARROWEST}, or a multiple of {STRIDE}."
        )


def _model(arguments: argparse.Namespace) -> "Iterator[Checked]":
    from engine.checking.models import check_model

    result = check_model(Path(arguments.model), None if arguments.quick else BRIEF, _tell)
    _tell("")
    print(f"{result.sharing} (checked in {result.check_seconds:.1f} s).")
    yield result


def _families(arguments: argparse.Namespace) -> "Iterator[Checked]":
    from engine.checking.models import check_model
    from engine.mlx.tiny_families import FAMILIES, make_tiny_family

    made = {"hidden": arguments.hidden, "dtype": arguments.dtype, "bits": arguments.bits}
    for family in FAMILIES:
        with tempfile.TemporaryDirectory() as parent:
            folder = make_tiny_family(Path(parent, family), family, **made)
            result = check_model(folder, None if arguments.quick else FULL, _tell)
        if arguments.quick:
            _tell("")
            print(f"{family}: {result.sharing} (checked in {result.check_seconds:.1f} s).")
        if result.sharing.rows < ENOUGH_ROWS and not result.problem:
            result.problem = f"{family} must share {ENOUGH_ROWS} rows in one pass. {result.sharing}."
        yield result


def _tell(what: str) -> None:
    """Progress, in place of what was told before."""
    if sys.stderr.isatty():
        print(f"\r{what:40}\r", end="", file=sys.stderr, flush=True)


def _conclude(results: "Sequence[Checked]") -> None:
    """Raises: EngineError: not all is well."""
    identical, compared = totals(results)
    if compared:
        print(f"{identical} of {compared} replies are identical.")
    problems = [result.problem for result in results if result.problem]
    for problem in problems[1:]:
        print(problem, file=sys.stderr)
    if problems:
        raise EngineError(problems[0], REPORT)
