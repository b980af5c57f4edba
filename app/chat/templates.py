"""Which chat template the chosen model is asked with, where its own is missing or broken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.chat.engine_slot import EngineSlot, SlotState
from app.jobs import Jobs
from engine.api import Engine

__all__ = ["TemplateSource", "TemplateView", "Templates", "template_for"]

CHOICES = (("plain", "Complete text"), ("chatml", "Use ChatML"))
"""By the name that `Engine.prompt` takes, what a button says."""

USED = {"plain": "Completing text, without a chat template.", "chatml": "Using ChatML."}


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """Where templates come from.

    Attributes:
        repository: the one a model is from, or None where that is not known.
        fetch: puts a repository's template into a model's folder; may take minutes. Raises EngineError.
    """

    repository: Callable[[Path], str | None]
    fetch: Callable[[Path, str], object]


@dataclass(frozen=True, slots=True)
class TemplateView:
    """What each tab shows above its composer.

    Attributes:
        sentence: what is wrong with the model's own template or, after a choice, what is used instead.
        choices: a name and what its button says, to choose from before anything can be sent; else none.
        repository: where the model's own template can be fetched from; empty where that is not known.
        fetching: whether it is being fetched.
    """

    sentence: str
    choices: tuple[tuple[str, str], ...] = ()
    repository: str = ""
    fetching: bool = False


def template_for(engine: Engine, model: Path | None, chosen: Mapping[str, str]) -> str:
    """What `Engine.prompt` is to render with: its own template wherever that works."""
    return chosen.get(str(model), "") if engine.template_problem is not None else ""


class Templates(QObject):
    """Follows the chosen model, on the main thread.

    Signals:
        changed: a TemplateView, or None while the model's own template works or no model is ready.
    """

    changed = Signal(object)

    def __init__(
        self,
        engines: EngineSlot,
        jobs: Jobs,
        source: TemplateSource,
        chosen: Callable[[], Mapping[str, str]],
        keep: Callable[[Mapping[str, str]], None],
    ) -> None:
        """`chosen` tells the names by the models' paths, `keep` remembers them."""
        super().__init__()
        self._engines = engines
        self._jobs = jobs
        self._source = source
        self._chosen = chosen
        self._keep = keep
        self._state = SlotState("", "loading")
        self._fetching = False
        engines.changed.connect(self._follow)

    @property
    def view(self) -> TemplateView | None:
        """What is to be shown now."""
        if self._state.template is None:
            return None
        model = self._model()
        name = self._chosen().get(str(model), "")
        if name:
            return TemplateView(USED.get(name, f"Using the template {name}."))
        repository = self._source.repository(model) or ""
        return TemplateView(self._state.template.sentence, CHOICES, repository, self._fetching)

    def choose(self, name: str) -> None:
        """The model is used with this template from now on; "" takes the choice back."""
        others = {path: other for path, other in self._chosen().items() if path != str(self._model())}
        self._keep({**others, str(self._model()): name} if name else others)
        self.changed.emit(self.view)

    async def fetch(self) -> None:
        """Fetches the model's own template, then opens the model again. Raises EngineError."""
        model = self._model()
        repository = self._source.repository(model)
        if repository is None or self._fetching:
            return
        self._set_fetching(True)
        try:
            await self._jobs.run(self._source.fetch, model, repository)
        finally:
            self._set_fetching(False)
        if model == self._engines.path:
            self._engines.choose(model)

    def _model(self) -> Path:
        model = self._engines.path
        assert model is not None, "no model was chosen"
        return model

    def _set_fetching(self, fetching: bool) -> None:
        self._fetching = fetching
        self.changed.emit(self.view)

    def _follow(self, state: SlotState) -> None:
        self._state = state
        self.changed.emit(self.view)
