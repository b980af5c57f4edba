"""The demo's figures come from the events as they were delivered."""

import json
from pathlib import Path

import pytest

from app.recorder import Recorder, RecordingEngine
from engine import Filling, Finished, Request, Text, Usage
from engine.errors import InvalidNumbers
from tests.fake_engine import ScriptedEngine


@pytest.fixture
def recorder() -> Recorder:
    """A reply of three texts, at 1, 2 and 4 s, while another prompt was read from 1.5 to 5 s."""
    usage = Usage(prompt=10, reused=4, read=6, generated=5, first_token=0.5, seconds=4.0)
    return Recorder(
        [
            (0.5, Filling(1, 0, 10, 4)),
            (1.0, Text(1, "a", (1,))),
            (1.5, Filling(2, 0, 99, 0)),
            (2.0, Text(1, "bc", (2, 3))),
            (4.0, Text(1, "de", (4, 5))),
            (5.0, Filling(2, 99, 99, 0)),
            (5.5, Finished(1, "stop", usage)),
            (6.0, Finished(2, "error", Usage(), InvalidNumbers())),
        ]
    )


def test_a_row_has_the_replys_figures(recorder: Recorder) -> None:
    row = recorder.row(1)
    assert (row.first_token, row.largest_gap) == (0.5, 2.0)
    assert row.tokens_per_second == pytest.approx(4 / 3)
    assert row.usage.reused == 4


def test_a_reply_without_text_has_no_speed(recorder: Recorder) -> None:
    row = recorder.row(2)
    assert (row.largest_gap, row.tokens_per_second) == (None, None)


def test_texts_while_another_prompt_is_read_are_found(recorder: Recorder) -> None:
    assert recorder.texts_while_reading(writer=1, reader=2) == [2.0, 4.0]
    assert recorder.texts_while_reading(writer=2, reader=1) == []


def test_every_event_is_a_line_of_json(recorder: Recorder, tmp_path: Path) -> None:
    recorder.save(tmp_path / "events.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert lines[0] == {"time": 0.5, "event": "Filling", "id": 1, "done": 0, "total": 10, "reused": 4}
    assert "invalid numbers" in lines[-1]["error"]
    assert lines[-2]["error"] is None


def test_the_recording_engine_passes_everything_on() -> None:
    inner, recorder = ScriptedEngine(), Recorder()
    engine = RecordingEngine(inner, recorder)
    heard: list[object] = []
    id = engine.submit(Request(prompt=[1]), heard.append)
    inner.say(id, "x")
    engine.cancel(id)
    engine.forget(id)
    assert heard == [event for _, event in recorder.events] == [Text(id, "x", (1,))]
    assert (inner.cancelled, inner.forgotten) == ([id], [id])
    assert engine.status() == inner.status()
    engine.close()
    assert inner.closed
