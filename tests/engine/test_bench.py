"""`python -m engine bench`: figures that were measured, told as a table and as JSON."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.__main__ import main
from tests.tiny import make_tiny


def ended_with(*arguments: str) -> int:
    """On a thread of its own, which MLX is done with afterwards."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(main, ["bench", *arguments]).result()


def test_every_way_is_measured_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, result = make_tiny(tmp_path / "tiny"), tmp_path / "new" / "figures.json"
    assert ended_with(str(model), "--tokens", "4", "--repeats", "2", "--json", str(result)) == 0
    printed = capsys.readouterr().out.splitlines()
    told = json.loads(result.read_text(encoding="utf-8"))
    assert [(rate["name"], rate["streams"]) for rate in told["rates"]] == [
        ("interlace", 1),
        ("mlx-lm generate_step", 1),
        ("interlace", 4),
        ("mlx-lm BatchGenerator", 4),
        ("interlace", 8),
        ("mlx-lm BatchGenerator", 8),
    ]
    assert all(len(rate["rates"]) == 2 and min(rate["rates"]) > 0 for rate in told["rates"])
    assert told["sharing"]["rows"] >= 4
    assert len(printed) == 2 + len(told["rates"])
    own, plain = (told["rates"][place]["rates"] for place in (0, 1))
    times = sum(one / other for one, other in zip(own, plain, strict=True)) / 2
    assert printed[2].split() == ["interlace", "1", f"{sum(own) / 2:.1f}", f"{times:.2f}"]


def test_figures_that_cannot_be_written_are_one_sentence_and_one_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_bytes(b"")
    model = make_tiny(tmp_path / "tiny")
    options = ["--tokens", "1", "--repeats", "1", "--json", str(tmp_path / "file" / "figures.json")]
    assert ended_with(str(model), *options) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
