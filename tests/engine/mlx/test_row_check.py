"""The row check lets real models share, and no model that sharing would change."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import engine.mlx  # noqa: F401
from engine.mlx.tiny_families import FAMILIES, make_tiny_family
from tests.tiny import ROWS, make_tiny

# isort: split
import mlx.core as mx

from engine.errors import LoadCancelled
from engine.mlx import row_check, rows
from engine.mlx.folder import load_folder
from engine.mlx.load import load
from engine.mlx.row_check import check_rows
from engine.sharing import TURNS, Sharing

Plant = Callable[[pytest.MonkeyPatch], None]


@cache
def model_of(family: str, kind: str = "float32") -> Any:
    with TemporaryDirectory() as parent:
        folder = Path(parent, family)
        if family == "llama":
            return load(make_tiny(folder)).model
        if kind == "float32":
            return load(make_tiny_family(folder, family)).model
        model, _, _ = load_folder(make_tiny_family(folder, family, dtype="bfloat16", bits=4))
        mx.eval(model.parameters())  # type: ignore[no-untyped-call]
        return model


@pytest.mark.parametrize("family", ["llama", *FAMILIES])
def test_four_rows_share_in_float32(family: str) -> None:
    chosen = check_rows(model_of(family), ROWS)
    assert chosen.mode in ("rows", "padded")
    assert chosen.rows >= 4


@pytest.mark.parametrize("family", FAMILIES)
def test_eight_rows_share_as_they_are_where_each_is_multiplied_alone(family: str) -> None:
    assert check_rows(model_of(family, "4 bits"), ROWS) == Sharing("rows", 8)


def test_a_model_that_looks_into_its_keys_takes_turns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """MiniMax M3's sparse attention does, unless it is told to go by rows."""
    monkeypatch.setattr(row_check, "select_by_rows", lambda model: None)
    model = load(make_tiny_family(tmp_path / "m3", "minimax_m3")).model
    assert check_rows(model, ROWS) == TURNS


def test_a_model_that_fails_alone_takes_turns() -> None:
    def broken(*_: Any, **__: Any) -> mx.array:
        raise RuntimeError("no such kernel")

    model = model_of("llama")
    members = {"layers": model.layers, "modules": model.modules, "__call__": broken}
    assert check_rows(type("Broken", (), members)(), ROWS) == TURNS


def swapped_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows._hand_back
    monkeypatch.setattr(rows, "_hand_back", lambda own, joined: plain(own[::-1], joined))


def lost_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_hand_back", lambda own, joined: None)


def late_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows._Positions.of
    monkeypatch.setattr(
        rows._Positions, "of", lambda self, offsets, batch: plain(self, [at + 1 for at in offsets], batch)
    )


def first_offset_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows._Positions.of
    monkeypatch.setattr(
        rows._Positions,
        "of",
        lambda self, offsets, batch: plain(self, [offsets[0]] * len(offsets), batch),
    )


def trimmed_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows.KeyValueRows.update_and_fetch

    def trimmed(self: rows.KeyValueRows, keys: mx.array, values: mx.array) -> Any:
        fetched = plain(self, keys, values)
        for own in fetched:
            own.own = [array[..., 1:, :] for array in own.own]
        return fetched

    monkeypatch.setattr(rows.KeyValueRows, "update_and_fetch", trimmed)


def swapped_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows.KeyValueRows.update_and_fetch

    def swapped(self: rows.KeyValueRows, keys: mx.array, values: mx.array) -> Any:
        fetched = plain(self, keys, values)
        for own in fetched:
            own.own = own.own[::-1]
        return fetched

    monkeypatch.setattr(rows.KeyValueRows, "update_and_fetch", swapped)


STATES = ("qwen3_5", "lfm2_moe", "nemotron_h")


@pytest.mark.parametrize("family", STATES)
@pytest.mark.parametrize("plant", [swapped_rows, lost_states])
def test_a_mistake_in_the_states_is_caught(
    monkeypatch: pytest.MonkeyPatch, family: str, plant: Plant
) -> None:
    plant(monkeypatch)
    assert check_rows(model_of(family), ROWS) == TURNS


@pytest.mark.parametrize("family", ["llama", "qwen3_5", "minimax_m3", "lfm2_moe", "gemma4"])
@pytest.mark.parametrize("plant", [late_offsets, first_offset_for_all])
def test_a_mistake_in_the_offsets_is_caught(
    monkeypatch: pytest.MonkeyPatch, family: str, plant: Plant
) -> None:
    """nemotron_h is not among them: it has no positions."""
    plant(monkeypatch)
    assert check_rows(model_of(family), ROWS) == TURNS


@pytest.mark.parametrize("family", ["llama", *FAMILIES])
@pytest.mark.parametrize("plant", [trimmed_keys, swapped_keys])
def test_a_mistake_in_the_keys_is_caught(monkeypatch: pytest.MonkeyPatch, family: str, plant: Plant) -> None:
    plant(monkeypatch)
    assert check_rows(model_of(family), ROWS) == TURNS


def test_a_mistake_that_only_more_rows_make_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding repeats it in each row alike, so that only a plain step tells."""
    plain = rows.shared_step

    def doubled(model: Any, tokens: Any, streams: Any, batch: int) -> mx.array:
        return plain(model, tokens, streams, batch) * (2 if batch > 1 else 1)

    monkeypatch.setattr(row_check, "shared_step", doubled)
    assert check_rows(model_of("llama"), ROWS) == TURNS


def test_the_limit_is_the_largest_number_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows.shared_step

    def off_from_seven(model: Any, tokens: Any, streams: Any, batch: int) -> mx.array:
        return plain(model, tokens, streams, batch) + (1 if batch > 6 else 0)

    monkeypatch.setattr(row_check, "shared_step", off_from_seven)
    assert check_rows(model_of("qwen3_5", "4 bits"), ROWS) == Sharing("rows", 6)


def test_padding_is_tried_where_rows_as_they_are_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rows.shared_step

    def other_kernel(model: Any, tokens: Any, streams: Any, batch: int) -> mx.array:
        return plain(model, tokens, streams, batch) * (1 + batch / 100 if batch > 1 else 1)

    monkeypatch.setattr(row_check, "shared_step", other_kernel)
    assert check_rows(model_of("qwen3_5", "4 bits"), ROWS) == Sharing("padded", 4)


def test_only_checked_numbers_of_rows_are_run() -> None:
    assert [Sharing("rows", 8).batch(streams) for streams in range(1, 9)] == [1, 2, 3, 4, 6, 6, 8, 8]
    assert [Sharing("padded", 4).batch(streams) for streams in range(1, 5)] == [4] * 4


def test_a_check_can_be_cancelled() -> None:
    with pytest.raises(LoadCancelled):
        check_rows(model_of("llama"), ROWS, lambda: True)
