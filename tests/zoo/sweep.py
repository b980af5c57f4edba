"""`make zoo`: every model class of mlx-lm, tiny and random, one process at a time; writes docs/families.md.

Usage: python -m tests.zoo.sweep [--json FILE] [NAME...]. Takes about half an hour.
Exit code 1 when a reply is wrong, or a class crashes or hangs.
"""

import argparse
import json
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SECONDS = 300
"""After which a class counts as hanging."""

PAGE = Path("docs/families.md")

INTRODUCTION = """\
# The model classes of mlx-lm

Each class was made tiny, with random weights, by itself in a process on a Linux CPU, with mlx {mlx} and
mlx-lm {mlx_lm}. The table says how its decoding streams share a forward there (`rows 8`: as many rows
as there are streams, up to 8; `padded 4`: always 4 rows; `turns`: one after the other), and how many replies
were identical to those of the same stream alone: read around others, resumed and cancelled at every cut,
interleaved, stepped between chunks, and shared.

A larger model of a class, another machine or another precision may share otherwise: the row check decides
whenever a model is loaded, and `python -m engine check MODEL` tells.

Repeat it with `make zoo`, which writes this page in about half an hour. The configurations are guesses, in
`tests/zoo/configurations.py`.

{summary}

| class | caches | shares | identical | note |
|---|---|---|---|---|
"""


def names() -> list[str]:
    places = find_spec("mlx_lm.models")
    assert places is not None
    return [found.name for found in pkgutil.iter_modules(places.submodule_search_locations)]


def tried(name: str) -> dict[str, Any]:
    """What one process found out. Never raises: hanging and crashing are results."""
    command = [sys.executable, "-m", "tests.zoo.one_class", name]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"no end after {SECONDS} seconds"}
    if ended.returncode:
        return {"failed": f"exit code {ended.returncode}"}
    result: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return result


def wrong(result: dict[str, Any]) -> bool:
    counts = result.get("laws", {}).values()
    return "failed" in result or any(identical < compared for identical, compared, _ in counts)


def page(results: dict[str, dict[str, Any]]) -> str:
    tried_ones = {name: result for name, result in results.items() if "laws" in result}
    shares = [shared(result) for result in tried_ones.values()]
    kinds = sorted(set(shares), key=shares.count, reverse=True)
    identical, compared = totals(tried_ones.values())
    summary = (
        f"Of {len(results)} classes {len(tried_ones)} could be made and run: "
        + ", ".join(f"{shares.count(kind)} `{kind}`" for kind in kinds)
        + f". {identical:,} of {compared:,} replies were identical; "
        f"{sum(map(wrong, results.values()))} classes gave a wrong reply, crashed or did not end."
    )
    head = INTRODUCTION.format(mlx=version("mlx"), mlx_lm=version("mlx-lm"), summary=summary)
    return head + "".join(row(name, result) for name, result in results.items())


def totals(results: Any) -> tuple[int, int]:
    laws = [law for result in results for law in result.get("laws", {}).values()]
    return sum(law[0] for law in laws), sum(law[1] for law in laws)


def shared(result: dict[str, Any]) -> str:
    return "turns" if result["mode"] == "turns" else f"{result['mode']} {result['rows']}"


def row(name: str, result: dict[str, Any]) -> str:
    if "laws" not in result:
        note = result.get("failed") or f"not made here: {result['unbuilt']}"
        return f"| {name} | | | | {cell(note)} |\n"
    identical, compared = totals([result])
    notes = [
        *filter(None, [result["why"]]),
        *(f"{law}: {first}" for law, (_, _, first) in result["laws"].items() if first),
    ]
    notes += [] if result["keeps"] else ["its caches cannot be kept"]
    notes += [] if result["lively"] else ["replies are hardly lively"]
    caches, note = ", ".join(result["caches"]), cell("; ".join(notes))
    cells = (name, caches, shared(result), f"{identical}/{compared}", note)
    return f"| {' | '.join(cells)} |\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Try every model class of mlx-lm.")
    parser.add_argument("names", nargs="*", help="only these, and write no page")
    parser.add_argument("--json", type=Path, help="also write all that was found")
    parsed = parser.parse_args(arguments)
    results: dict[str, dict[str, Any]] = {}
    for name in parsed.names or names():
        if result := tried(name):
            results[name] = result
            print(row(name, result), end="", flush=True)
    if parsed.json is not None:
        parsed.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if not parsed.names:
        PAGE.write_text(page(results), encoding="utf-8")
    return any(map(wrong, results.values()))


if __name__ == "__main__":
    sys.exit(main())
