"""The stored and shown things: conversations, messages, attachments, drafts, and a reply's progress."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal
from uuid import uuid4

__all__ = [
    "Attachment",
    "Conversation",
    "Draft",
    "LaneView",
    "Message",
    "MessageState",
    "Progress",
    "Role",
    "Submission",
    "new_id",
]

Role = Literal["user", "assistant"]


def new_id() -> str:
    """A fresh id for a record: 32 hexadecimal digits."""
    return uuid4().hex


class MessageState(Enum):
    """How a message ended. STREAMING after a start means that the last run died while it was written."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A pasted or dropped document, byte-exact. `text` is what the model reads; `size`, bytes of UTF-8."""

    id: str
    name: str
    text: str
    size: int


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in a composer and was not sent."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """What the composer sends: the typed text and the chips before it, in order."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stored chat. Times are seconds since 1970; `model` is the path chosen for it, None: the default."""

    id: str
    title: str
    created: float
    updated: float
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `tokens` are the ids of a reply, to continue from; `note` says how it ended when not well.
    `thinking` is what the model thought before it answered, `thought` for how many seconds (0: not known)."""

    id: str
    conversation: str
    role: Role
    text: str
    created: float
    state: MessageState = MessageState.COMPLETE
    attachments: tuple[Attachment, ...] = ()
    tokens: tuple[int, ...] = ()
    note: str = ""
    thinking: str = ""
    thought: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """What the reply bar shows.

    Attributes:
        phase: idle (bar hidden), preparing (rendering and tokenizing), loading (the model),
            queued (`ahead` streams are read first), reading, replying, stopping.
        done, total, reused: prompt tokens, while reading.
        seconds_left: until the first token, while reading, once it can be told.
        tokens: tokens of the reply so far.
        tokens_per_second: of the reply; 0 until two tokens came.
    """

    phase: Literal["idle", "preparing", "loading", "queued", "reading", "replying", "stopping"] = "idle"
    ahead: int = 0
    done: int = 0
    total: int = 0
    reused: int = 0
    seconds_left: float | None = None
    tokens: int = 0
    tokens_per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class LaneView:
    """What the lane panel shows.

    Attributes:
        model: its name.
        sharing: how decoding replies share the model, one sentence; empty while that is not known.
        replies: of each one under way, its conversation's title and where it stands.
    """

    model: str
    sharing: str
    replies: tuple[tuple[str, Progress], ...]
