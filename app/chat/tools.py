"""What every session works with, passed in by the application."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.bridge import Bridge
from app.chat.engine_slot import EngineSlot
from app.chat.pace import Pace
from app.jobs import Jobs
from app.records import Draft, Message, MessageState
from app.settings import Settings

__all__ = ["Archive", "Tools"]


class Archive(Protocol):
    """Where a session stores things. Every method returns at once; errors are told elsewhere."""

    def add_message(self, message: Message) -> None: ...

    def append_reply(
        self, message: str, part: int, text: str, thinking: str, tokens: Sequence[int]
    ) -> None: ...

    def finish_message(self, message: str, state: MessageState, note: str, thought: float) -> None: ...

    def save_draft(self, conversation: str, draft: Draft) -> None: ...

    def rename(self, conversation: str, title: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Tools:
    """Attributes: `settings` gives the ones that hold now; `clock`, seconds."""

    archive: Archive
    engines: EngineSlot
    bridge: Bridge
    jobs: Jobs
    settings: Callable[[], Settings]
    pace: Pace
    clock: Callable[[], float] = time.monotonic
