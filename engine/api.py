"""What is asked of an engine and what it answers: requests, events and the sink."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, Protocol

from engine.errors import BadRequest, EngineError
from engine.request_checks import chat, stop_strings, token_ids
from engine.sampling import Sampling
from engine.sharing import Sharing

__all__ = [
    "Engine",
    "Event",
    "Filling",
    "Finished",
    "LaneStatus",
    "Message",
    "Phase",
    "Priority",
    "Prompt",
    "Reason",
    "Request",
    "Sampling",
    "Sharing",
    "Sink",
    "StreamStatus",
    "Text",
    "Usage",
]

Message = Mapping[str, str]
"""One chat message: `role` (system, user or assistant) and `content`."""

Reason = Literal["stop", "length", "context_full", "cancelled", "closed", "error"]
"""Why a reply ended: an end token or stop string; `max_tokens`; the model's context;
`cancel`; the lane closed or the model was unloaded; `Finished.error` says why."""

Phase = Literal["queued", "filling", "decoding"]


class Priority(IntEnum):
    """Whose chunk goes first: the tab looked at, another on the screen, the rest."""

    FOCUSED = 0
    VISIBLE = 1
    BACKGROUND = 2


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation as the model reads it.

    Attributes:
        tokens: ids in reading order.
        stop: strings that end the reply, for a template whose marks the model may write as text.
    """

    tokens: tuple[int, ...]
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One reply asked for. Exactly one of `prompt` and `messages` is given.

    Attributes:
        prompt: token ids, at least one.
        messages: a chat, rendered with the model's own template.
        continues: ids of a reply to go on from; read after the prompt, not delivered again.
        sampling: how tokens are drawn.
        max_tokens: most new tokens, at least 1; None stops at the context's end only.
        stop: strings that end the reply and are not part of it.
        priority: whose chunk goes first.

    Raises:
        BadRequest: nothing to read, both kinds of prompt, a limit below 1, an empty stop string, or a
            value of another type.
    """

    prompt: Sequence[int] | None = None
    messages: Sequence[Message] | None = None
    continues: Sequence[int] = ()
    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int | None = None
    stop: Sequence[str] = ()
    priority: Priority = Priority.VISIBLE

    def __post_init__(self) -> None:
        if (self.prompt is None) == (self.messages is None):
            raise BadRequest("A request takes either prompt tokens or messages.")
        # What the lane gets can neither change later nor surprise it.
        if self.prompt is not None:
            object.__setattr__(self, "prompt", token_ids("prompt", self.prompt))
        if self.messages is not None:
            object.__setattr__(self, "messages", chat(self.messages))
        object.__setattr__(self, "continues", token_ids("continues", self.continues))
        object.__setattr__(self, "stop", stop_strings(self.stop))
        if not (self.prompt or self.messages):
            raise BadRequest("There is nothing to read.")
        if self.max_tokens is not None and not (isinstance(self.max_tokens, int) and self.max_tokens >= 1):
            raise BadRequest(f"max_tokens is {self.max_tokens}; it must be a whole number, 1 or more.")
        if not isinstance(self.sampling, Sampling) or not isinstance(self.priority, Priority):
            raise BadRequest("sampling takes a Sampling, priority a Priority.")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one reply took.

    Attributes:
        prompt: tokens of the prompt.
        reused: of these, restored from a kept state.
        read: of these, read now. Less than `prompt - reused` when cancelled.
        generated: tokens drawn, the end token included.
        first_token: seconds from submit to the first token; None when there was none.
        seconds: seconds from submit to the end.
    """

    prompt: int = 0
    reused: int = 0
    read: int = 0
    generated: int = 0
    first_token: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Filling:
    """The prompt is being read: `done` of `total` tokens are in the cache, `reused` of them from a
    kept state."""

    id: int
    done: int
    total: int
    reused: int


@dataclass(frozen=True, slots=True)
class Text:
    """New text of a reply. All but `id` may be empty while a character, or a possible stop string, is
    incomplete.

    Attributes:
        text: new text of the answer.
        tokens: the ids drawn since the last Text.
        thinking: new text of what the model thinks before it answers; it comes before `text`.
    """

    id: int
    text: str
    tokens: tuple[int, ...]
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every request, exactly once. `error` is set when `reason` is "error"."""

    id: int
    reason: Reason
    usage: Usage
    error: EngineError | None = None


Event = Filling | Text | Finished

Sink = Callable[[Event], None]
"""Called on the engine's thread. Returns at once; never waits for the engine."""


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """One stream as it stands. `ahead` counts the streams whose reading goes first (0: it is being read)."""

    id: int
    phase: Phase
    done: int
    total: int
    reused: int
    generated: int
    ahead: int


@dataclass(frozen=True, slots=True)
class LaneStatus:
    """The lane as it stood after its last round.

    Attributes:
        loading: until the model can be asked.
        streams: those that run or wait.
        sharing: how its decoding streams are run; None while loading.
    """

    loading: bool
    streams: tuple[StreamStatus, ...] = ()
    sharing: Sharing | None = None


class Engine(Protocol):
    """Turns requests into events. Every method may be called from any thread."""

    name: str
    """What the user calls the model."""
    context: int
    """Most tokens a conversation may hold, the reply included."""
    template_problem: EngineError | None
    """Why chats cannot be rendered with the model's own template: it has none (NoChatTemplate) or a
    broken one (TemplateBroken). None where they can."""

    def prompt(self, messages: Sequence[Message], template: str = "") -> Prompt:
        """Renders and tokenizes a chat; may take seconds for a long one. Raises EngineError.

        `template` is "" for the model's own, "plain" to go on with the texts as they are, or the name of
        a well-known one: "chatml", "llama3", "alpaca", "vicuna".
        """

    def submit(self, request: Request, sink: Sink) -> int:
        """Queues a reply and returns its id. Exactly one Finished follows, whatever happens."""

    def cancel(self, id: int) -> None:
        """Ends a reply between chunks; what was read is kept. An unknown id is ignored."""

    def forget(self, id: int) -> None:
        """Ends a reply like `cancel` but keeps nothing of it: its conversation is gone."""

    def status(self) -> LaneStatus:
        """What is running and waiting, without waiting for the engine."""

    def close(self) -> None:
        """Ends every reply, frees the model and returns when all of it has stopped."""
