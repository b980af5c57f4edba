"""One reply in flight, from the question to its last event."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import getrandbits

from app.chat.journal import Journal
from app.chat.meter import Meter
from app.chat.templates import template_for
from app.chat.tools import Tools
from app.problems import explain
from app.records import Message, MessageState, Progress
from engine import Engine, Filling, Finished, Request, Sampling, Text
from engine.api import Event, Priority

__all__ = ["Reply", "Watcher"]

NOTES = {
    "cancelled": "Stopped.",
    "closed": "Stopped: the model was changed or closed.",
    "length": "The reply reached its limit of tokens.",
    "context_full": "The model's context is full. Start a new conversation to go on.",
}
"""What is shown under a reply that did not end by itself, by the reason the engine gives."""

STILL_THINKING = "The reply ended while the model was still thinking."


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whom a reply tells: that text came, that thinking came, that its progress moved, that it ended (with
    the message as stored)."""

    text: Callable[[str], None]
    thinking: Callable[[str], None]
    progress: Callable[[Progress], None]
    ended: Callable[[Message], None]


class Reply:
    """Asks the engine for one message and collects the answer. Belongs to the loop's thread.

    It ends once, whatever happens: by its last event, by an error on the way, or by `abandon`.
    """

    def __init__(self, message: Message, tools: Tools, watcher: Watcher) -> None:
        """`message` is the empty reply, already stored."""
        self.message = message
        self._tools = tools
        self._watcher = watcher
        self._meter = Meter(tools.pace, tools.clock)
        self._journal = Journal(self._append)
        self._asked: tuple[Engine, int] | None = None
        self._ended = False
        self._task: asyncio.Task[None] | None = None

    @property
    def progress(self) -> Progress:
        return self._meter.progress

    def start(self, chat: Sequence[dict[str, str]], priority: Priority) -> None:
        """Begins to ask: waits for the model, renders `chat`, submits."""
        self._task = asyncio.ensure_future(self._run(chat, priority))

    def stop(self) -> None:
        """Ends it in whatever phase it is; what was read and written is kept."""
        if self._asked is None:
            self.abandon(NOTES["cancelled"])
            return
        engine, id = self._asked
        engine.cancel(id)
        self._meter.stopping()
        self._watcher.progress(self.progress)

    def abandon(self, note: str) -> None:
        """Ends it here and now with what there is of it."""
        if self._asked is not None:
            engine, id = self._asked
            engine.forget(id)
        self._end(MessageState.STOPPED, note)

    def position(self) -> None:
        """Asks the lane how many prompts are read before this one."""
        if self._asked is None:
            return
        engine, id = self._asked
        for stream in engine.status().streams:
            if stream.id == id:
                self._meter.waiting(stream)
                self._watcher.progress(self.progress)

    async def _run(self, chat: Sequence[dict[str, str]], priority: Priority) -> None:
        try:
            await self._ask(chat, priority)
        except Exception as error:  # The top of a task that nobody waits for.
            self._fail(error)

    async def _ask(self, chat: Sequence[dict[str, str]], priority: Priority) -> None:
        tools = self._tools
        if not tools.engines.ready:
            self._enter(Progress("loading"))
        while True:
            engine = await tools.engines.engine()
            self._enter(Progress("preparing"))
            template = template_for(engine, tools.engines.path, tools.settings().templates)
            prompt = await tools.jobs.run(engine.prompt, chat, template)
            if engine is await tools.engines.engine():  # Else another model was chosen meanwhile.
                break
        settings = tools.settings()
        seed = getrandbits(32) if settings.seed is None else settings.seed
        request = Request(
            prompt=prompt.tokens,
            sampling=Sampling(settings.temperature, settings.top_p, seed=seed),
            max_tokens=settings.max_tokens,
            stop=prompt.stop,
            priority=priority,
        )
        self._asked = engine, engine.submit(request, tools.bridge.sink(self._heard))

    def _heard(self, event: Event) -> None:
        if self._ended:
            return
        match event:
            case Filling():
                self._meter.filling(event)
            case Text():
                self._meter.text(event)
                self._journal.add(event)
                self._grow(event)
            case Finished():
                self._finish(event)
                return
        self._watcher.progress(self.progress)

    def _grow(self, event: Text) -> None:
        message = self.message
        self.message = replace(
            message,
            text=message.text + event.text,
            thinking=message.thinking + event.thinking,
            thought=self._meter.thought,
        )
        if event.thinking:
            self._watcher.thinking(event.thinking)
        if event.text:
            self._watcher.text(event.text)

    def _finish(self, event: Finished) -> None:
        if event.error is not None:
            self._fail(event.error)
            return
        stopped = event.reason in ("cancelled", "closed")
        state = MessageState.STOPPED if stopped else MessageState.COMPLETE
        self._end(state, NOTES.get(event.reason, ""))

    def _enter(self, progress: Progress) -> None:
        self._meter.enter(progress)
        self._watcher.progress(progress)

    def _append(self, part: int, text: str, thinking: str, tokens: Sequence[int]) -> None:
        self._tools.archive.append_reply(self.message.id, part, text, thinking, tokens)

    def _fail(self, error: BaseException) -> None:
        problem = explain(error)
        self._end(MessageState.FAILED, f"{problem.sentence} {problem.action}")

    def _end(self, state: MessageState, note: str) -> None:
        if self._ended:
            return
        self._ended = True
        if self._task is not None and not self._task.done():
            self._task.cancel()
        self._journal.save()
        if self.message.thinking and not self.message.text and state is not MessageState.FAILED:
            note = f"{note} {STILL_THINKING}".lstrip()
        self.message = replace(self.message, state=state, note=note)
        self._tools.archive.finish_message(self.message.id, state, note, self.message.thought)
        self._meter.enter(Progress())
        self._watcher.ended(self.message)
