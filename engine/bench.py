"""`python -m engine bench`: decoding speed on this machine, beside mlx-lm's own, in one run."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.report import versions, write_report

if TYPE_CHECKING:
    from engine.mlx.decode_bench import Rate

__all__ = ["add_bench"]


def add_bench(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command `bench` to `commands`."""
    bench = commands.add_parser("bench", help="measure decoding beside mlx-lm's own ways")
    bench.add_argument("model", help="a model folder (safetensors, config, tokenizer) or a GGUF file")
    bench.add_argument("--tokens", type=int, default=24, help="of each stream and repeat (default 24)")
    bench.add_argument("--repeats", type=int, default=3, help="whose median counts (default 3)")
    bench.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
    bench.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> None:
    """Raises: EngineError: the model cannot be loaded, or FILE cannot be written."""
    # On this thread, which is why no lane is opened; imported late, for the other commands need no MLX here.
    from engine.mlx.decode_bench import measure_decoding
    from engine.mlx.device import leave_thread, on_gpu
    from engine.mlx.load import load
    from engine.mlx.row_check import check_rows

    try:
        loaded = load(Path(arguments.model))
        sharing = check_rows(loaded.model, loaded.vocabulary)
        rates = measure_decoding(loaded, sharing, max(1, arguments.tokens), max(1, arguments.repeats))
        device = "gpu" if on_gpu() else "cpu"
    finally:
        leave_thread()
    print(f"{loaded.name} on the {device}: {sharing}.")
    print(_table(rates))
    if arguments.json is not None:
        result = {
            "model": loaded.name,
            "device": device,
            "sharing": {"mode": sharing.mode, "rows": sharing.rows},
            **versions(),
            "rates": [{"name": rate.name, "streams": rate.streams, "rates": rate.rates} for rate in rates],
        }
        write_report(arguments.json, result)


def _table(rates: "list[Rate]") -> str:
    """Medians, and how many times as fast as a lone stream of mlx-lm each is."""
    lone = next(rate for rate in rates if rate.name == "mlx-lm generate_step")
    lines = [f"{'':24}{'streams':>8}{'tokens/s':>10}{'times lone mlx-lm':>19}"]
    lines += [f"{rate.name:24}{rate.streams:8}{rate.median:10.1f}{rate.times(lone):19.2f}" for rate in rates]
    return "\n".join(lines)
