"""The model that new replies use: chosen, loading, ready or failed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs import Jobs
from app.problems import Problem, explain
from engine.api import Engine

__all__ = ["EngineSlot", "Opener", "SlotState"]

Opener = Callable[[Path, Callable[[], bool]], Engine]
"""Loads a model and returns when it can be asked; gives up when its second argument returns True."""


@dataclass(frozen=True, slots=True)
class SlotState:
    """What the window shows of the model.

    Attributes:
        problem: why it failed.
        sharing: how replies share it.
        template: why its chat template cannot be used.
    """

    name: str
    state: Literal["loading", "ready", "failed"]
    problem: Problem | None = None
    sharing: str = ""
    template: Problem | None = None


class EngineSlot(QObject):
    """Holds one engine. Choosing another model closes the one before, which ends its replies.

    Signals:
        changed: a SlotState.
    """

    changed = Signal(object)

    def __init__(self, opener: Opener, jobs: Jobs) -> None:
        super().__init__()
        self._opener = opener
        self._jobs = jobs
        self._path: Path | None = None
        self._loading: asyncio.Task[Engine] | None = None
        self._generation = 0

    def choose(self, path: Path) -> None:
        """Starts to load a model; replies asked for from now on wait for it."""
        before, self._path = self._loading, path
        self._generation += 1
        self._loading = asyncio.ensure_future(self._load(path, before, self._generation))

    @property
    def path(self) -> Path | None:
        """The model chosen last."""
        return self._path

    @property
    def ready(self) -> bool:
        """Whether `engine` returns at once."""
        return self._loading is not None and self._loading.done()

    async def engine(self) -> Engine:
        """The engine of the chosen model, once it is loaded. Raises EngineError when it cannot be."""
        while True:
            loading = self._loading
            if loading is None:
                raise RuntimeError("no model was chosen")
            try:
                return await asyncio.shield(loading)
            except Exception:
                if loading is self._loading:
                    raise

    async def close(self) -> None:
        """Gives up loading and closes the engine."""
        self._generation += 1
        await self._end(self._loading)

    async def _load(self, path: Path, before: asyncio.Task[Engine] | None, generation: int) -> Engine:
        name = path.stem if path.suffix == ".gguf" else path.name
        self._tell(generation, SlotState(name, "loading"))
        await self._end(before)
        try:
            engine = await self._jobs.run(self._opener, path, lambda: generation != self._generation)
        except Exception as error:
            self._tell(generation, SlotState(name, "failed", explain(error)))
            raise
        self._tell(generation, _ready(engine))
        return engine

    async def _end(self, loading: asyncio.Task[Engine] | None) -> None:
        if loading is None:
            return
        (engine,) = await asyncio.gather(loading, return_exceptions=True)
        if not isinstance(engine, BaseException):
            await self._jobs.run(engine.close)

    def _tell(self, generation: int, state: SlotState) -> None:
        if generation == self._generation:
            self.changed.emit(state)


def _ready(engine: Engine) -> SlotState:
    template = engine.template_problem
    sharing = str(engine.status().sharing or "")
    return SlotState(engine.name, "ready", None, sharing, explain(template) if template else None)
