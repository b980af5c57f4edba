"""The engine's wiring: one model on this machine, its lane and its prompts."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from engine.api import Engine, LaneStatus, Message, Prompt, Request, Sink
from engine.backend import Backend
from engine.errors import EngineError
from engine.lane import Lane
from engine.prompt import Prompter
from engine.text import TextOf, text_of

__all__ = ["LocalEngine", "open_local"]


class LocalEngine:
    """An Engine over a Lane. Every method may be called from any thread."""

    def __init__(self, lane: Lane, prompter: Prompter, name: str, context: int) -> None:
        self._lane = lane
        self._prompter = prompter
        self.name = name
        self.context = context
        self.template_problem = prompter.problem

    def prompt(self, messages: Sequence[Message], template: str = "") -> Prompt:
        return self._prompter.render(messages, template)

    def submit(self, request: Request, sink: Sink) -> int:
        """Renders `request.messages`, if given, on the calling thread."""
        try:
            prompt = request.prompt or self.prompt(request.messages or ()).tokens
        except EngineError as error:
            return self._lane.refuse(error, sink)
        return self._lane.submit(request, prompt, sink)

    def cancel(self, id: int) -> None:
        self._lane.leave(id, keep=True)

    def forget(self, id: int) -> None:
        self._lane.leave(id, keep=False)

    def status(self) -> LaneStatus:
        return self._lane.status()

    def close(self) -> None:
        self._lane.close()


def open_local(
    path: str | PathLike[str], cancelled: Callable[[], bool] = lambda: False, cache: Path | None = None
) -> Engine:
    """See `engine.open_model`."""
    loaded: list[tuple[Prompter, str, int]] = []

    def open_backend(closing: Callable[[], bool]) -> tuple[Backend, TextOf]:
        from engine.mlx.backend import MlxBackend
        from engine.mlx.device import leave_thread
        from engine.mlx.known_rows import known_or_checked
        from engine.mlx.load import load

        def given_up() -> bool:
            return closing() or cancelled()

        try:
            model = load(Path(path), given_up)
            sharing = known_or_checked(model, cache and cache / "rows", given_up)
        except BaseException:
            leave_thread()
            raise
        loaded.append((Prompter(model.tokenizer, model.name), model.name, model.context))
        return MlxBackend(model, sharing), text_of(model.tokenizer)

    lane = Lane(open_backend)
    try:
        lane.wait_ready()
    except BaseException:
        lane.close()
        raise
    return LocalEngine(lane, *loaded[0])
