"""An engine that says what a test tells it to, and an archive that remembers what it was given."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.records import Conversation, Draft, Message, MessageState
from engine.api import (
    Event,
    Filling,
    Finished,
    LaneStatus,
    Prompt,
    Reason,
    Request,
    Sink,
    StreamStatus,
    Text,
    Usage,
)
from engine.api import Message as ChatMessage
from engine.errors import EngineError
from engine.sharing import Sharing

__all__ = ["MemoryArchive", "ScriptedEngine"]


@dataclass
class ScriptedEngine:
    """Attributes: `asked`, requests and sinks by id; `chats`, what was rendered; `cancelled`; `forgotten`;
    `templates`, with what; `streams`, what `status` tells; `refusal`, raised by `prompt`."""

    name: str = "fake-model"
    context: int = 4096
    template_problem: EngineError | None = None
    asked: dict[int, tuple[Request, Sink]] = field(default_factory=dict)
    chats: list[Sequence[ChatMessage]] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    cancelled: list[int] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)
    streams: tuple[StreamStatus, ...] = ()
    refusal: EngineError | None = None
    rendering: Callable[[], None] = lambda: None
    closed: bool = False

    def prompt(self, messages: Sequence[ChatMessage], template: str = "") -> Prompt:
        assert threading.current_thread() is not threading.main_thread(), "rendering is a job"
        self.rendering()
        if self.refusal is not None:
            raise self.refusal
        self.chats.append(messages)
        self.templates.append(template)
        return Prompt(tuple(range(1, 11)))

    def submit(self, request: Request, sink: Sink) -> int:
        id = len(self.asked) + 1
        self.asked[id] = (request, sink)
        return id

    def cancel(self, id: int) -> None:
        self.cancelled.append(id)

    def forget(self, id: int) -> None:
        self.forgotten.append(id)

    def status(self) -> LaneStatus:
        return LaneStatus(False, self.streams, Sharing("rows", 8))

    def close(self) -> None:
        self.closed = True
        for id in self.asked:
            self.finish(id, "closed")

    def emit(self, event: Event) -> None:
        self.asked[event.id][1](event)

    def fill(self, id: int, done: int, total: int = 100, reused: int = 0) -> None:
        self.emit(Filling(id, done, total, reused))

    def say(self, id: int, *texts: str) -> None:
        for text in texts:
            self.emit(Text(id, text, (len(text),)))

    def think(self, id: int, *texts: str) -> None:
        for text in texts:
            self.emit(Text(id, "", (len(text),), text))

    def finish(self, id: int, reason: Reason = "stop", error: EngineError | None = None) -> None:
        self.emit(Finished(id, reason, Usage(), error))


@dataclass
class MemoryArchive:
    """Attributes: `log`, every call with its arguments, in order; the rest as a database would hold it."""

    log: list[tuple[object, ...]] = field(default_factory=list)
    stored: dict[str, Conversation] = field(default_factory=dict)
    messages: dict[str, list[Message]] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)

    def create(self, conversation: Conversation) -> None:
        self.log.append(("create", conversation.id))
        self.stored[conversation.id] = conversation

    def delete(self, conversation: str) -> None:
        self.log.append(("delete", conversation))
        self.stored.pop(conversation, None)

    def rename(self, conversation: str, title: str) -> None:
        self.log.append(("rename", conversation, title))

    def add_message(self, message: Message) -> None:
        self.log.append(("add", message.conversation, message.role, message.text))
        self.messages.setdefault(message.conversation, []).append(message)

    def append_reply(self, message: str, part: int, text: str, thinking: str, tokens: Sequence[int]) -> None:
        self.log.append(("append", message, part, text, tuple(tokens)))
        if thinking:
            self.log.append(("thinking", message, part, thinking))

    def finish_message(self, message: str, state: MessageState, note: str, thought: float) -> None:
        self.log.append(("finish", message, state, note))
        if thought:
            self.log.append(("thought", message, thought))

    def save_draft(self, conversation: str, draft: Draft) -> None:
        self.log.append(("draft", conversation, draft))
        self.drafts[conversation] = draft

    async def conversations(self) -> list[Conversation]:
        return list(self.stored.values())

    async def content(self, conversation: str) -> tuple[list[Message], Draft]:
        self.log.append(("read", conversation))
        return self.messages.get(conversation, []), self.drafts.get(conversation, Draft())

    def calls(self, kind: str) -> list[tuple[object, ...]]:
        return [call[1:] for call in self.log if call[0] == kind]
