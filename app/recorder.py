"""An engine that writes down each event and when it came, for the demo's figures."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from engine import Engine, Event, Filling, Finished, Prompt, Request, Text, Usage
from engine.api import LaneStatus, Message, Sink

__all__ = ["Recorder", "RecordingEngine", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """One reply's figures. Times are in seconds; `largest_gap` is between two texts that follow
    each other, None when there were not two."""

    id: int
    first_token: float | None
    tokens_per_second: float | None
    largest_gap: float | None
    usage: Usage


@dataclass(slots=True)
class Recorder:
    """Every event of one run, in order. Appended to on the engine's thread, read when it is done."""

    events: list[tuple[float, Event]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def saw(self, event: Event) -> None:
        self.events.append((time.monotonic() - self.started, event))

    def texts(self, id: int) -> list[tuple[float, Text]]:
        return [(at, event) for at, event in self.events if isinstance(event, Text) and event.id == id]

    def ids(self) -> list[int]:
        return sorted({event.id for _, event in self.events})

    def row(self, id: int) -> Row:
        """The figures of a reply. Raises StopIteration for one that has not ended."""
        usage = next(
            event.usage for _, event in self.events if isinstance(event, Finished) and event.id == id
        )
        times = [at for at, event in self.texts(id) if event.tokens]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        tokens = sum(len(event.tokens) for _, event in self.texts(id)[1:])
        return Row(
            id=id,
            first_token=usage.first_token,
            tokens_per_second=tokens / (times[-1] - times[0]) if gaps else None,
            largest_gap=max(gaps, default=None),
            usage=usage,
        )

    def texts_while_reading(self, writer: int, reader: int) -> list[float]:
        """When `writer` got text while the prompt of `reader` was being read."""
        fills = [at for at, event in self.events if isinstance(event, Filling) and event.id == reader]
        return [at for at, _ in self.texts(writer) if fills and fills[0] < at < fills[-1]]

    def save(self, path: Path) -> None:
        """Writes one JSON object a line: the time, the kind of event, its fields."""
        with path.open("w", encoding="utf-8") as file:
            for at, event in self.events:
                error = event.error if isinstance(event, Finished) else None
                plain = replace(event, error=None) if isinstance(event, Finished) else event
                fields = asdict(plain) | ({"error": str(error)} if error else {})
                line = {"time": round(at, 4), "event": type(event).__name__, **fields}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


class RecordingEngine:
    """Passes everything on to another engine and shows its events to a recorder first."""

    def __init__(self, engine: Engine, recorder: Recorder) -> None:
        self.name = engine.name
        self.context = engine.context
        self.template_problem = engine.template_problem
        self._engine = engine
        self._recorder = recorder

    def prompt(self, messages: Sequence[Message], template: str = "") -> Prompt:
        return self._engine.prompt(messages, template)

    def submit(self, request: Request, sink: Sink) -> int:
        def both(event: Event) -> None:
            self._recorder.saw(event)
            sink(event)

        return self._engine.submit(request, both)

    def cancel(self, id: int) -> None:
        self._engine.cancel(id)

    def forget(self, id: int) -> None:
        self._engine.forget(id)

    def status(self) -> LaneStatus:
        return self._engine.status()

    def close(self) -> None:
        self._engine.close()
