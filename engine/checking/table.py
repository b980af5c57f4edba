"""What was found out about models, as a table to read and as figures to keep."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.checking.comparison import Tally

if TYPE_CHECKING:
    from engine.checking.models import Checked

__all__ = ["figures", "table", "totals"]

GAP = "  "


def table(results: "Sequence[Checked]") -> str:
    """A row a model: identical of compared replies of each law, how it shares, seconds."""
    laws = list(dict.fromkeys(tally.law for result in results for tally in result.laws))
    lines = [["", *laws, "sharing", "seconds"], *(_row(result, laws) for result in results)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def totals(results: "Sequence[Checked]") -> tuple[int, int]:
    """Replies that are identical, and all that were compared."""
    tallies = [tally for result in results for tally in result.laws]
    return sum(tally.identical for tally in tallies), sum(tally.compared for tally in tallies)


def figures(results: "Sequence[Checked]") -> dict[str, Any]:
    """The same and more, for a JSON file."""
    identical, compared = totals(results)
    models = [_model(result) for result in results]
    return {"compared": compared, "identical": identical, "models": models}


def _row(result: "Checked", laws: Sequence[str]) -> list[str]:
    counts = {tally.law: f"{tally.identical}/{tally.compared}" for tally in result.laws}
    sharing = f"{result.sharing.mode} {result.sharing.rows}"
    return [result.model, *(counts.get(law, "-") for law in laws), sharing, f"{result.seconds:.1f}"]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, *others = (
        cell.ljust(width) if not place else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return GAP.join([name, *others])


def _model(result: "Checked") -> dict[str, Any]:
    return {
        "model": result.model,
        "mode": result.sharing.mode,
        "rows": result.sharing.rows,
        "check_seconds": round(result.check_seconds, 3),
        "seconds": round(result.seconds, 3),
        "laws": {tally.law: _law(tally) for tally in result.laws},
        "problem": result.problem,
    }


def _law(tally: Tally) -> dict[str, Any]:
    return {"compared": tally.compared, "identical": tally.identical, "first": tally.first}
