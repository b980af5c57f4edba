"""The conversations there are, and the sessions of those that are open or still answering."""

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.chat.session import NEW_CHAT, Session
from app.chat.tools import Archive, Tools
from app.records import Conversation, Draft, Message, Progress, new_id

__all__ = ["Library", "Workspace"]


class Library(Archive, Protocol):
    """An Archive that also creates, deletes and reads conversations."""

    def create(self, conversation: Conversation) -> None: ...

    def delete(self, conversation: str) -> None: ...

    async def conversations(self) -> list[Conversation]: ...

    async def content(self, conversation: str) -> tuple[list[Message], Draft]: ...


class Workspace(QObject):
    """Keeps one session for each conversation in use, on the main thread.

    Signals:
        changed: all conversations, the one written to last first.
    """

    changed = Signal(object)

    def __init__(self, library: Library, tools: Tools) -> None:
        super().__init__()
        self._library = library
        self._tools = tools
        self._conversations: dict[str, Conversation] = {}
        self._sessions: dict[str, Session] = {}
        self._left: set[str] = set()
        self._opening = asyncio.Lock()

    async def load(self) -> None:
        """Reads which conversations there are. Raises StorageError."""
        self._conversations |= {found.id: found for found in await self._library.conversations()}
        self._tell()

    def new(self) -> Session:
        """A new, empty conversation."""
        now = time.time()
        conversation = Conversation(new_id(), NEW_CHAT, now, now)
        self._library.create(conversation)
        self._conversations[conversation.id] = conversation
        self._tell()
        return self._enter(Session(conversation, (), Draft(), self._tools))

    async def open(self, id: str) -> Session | None:
        """The session of a conversation, read from the disk when it has none; None for one that is gone.

        Raises StorageError.
        """
        async with self._opening:
            self._left.discard(id)
            if id not in self._sessions and id in self._conversations:
                messages, draft = await self._library.content(id)
                if id in self._conversations:
                    self._enter(Session(self._conversations[id], messages, draft, self._tools))
        return self._sessions.get(id)

    def focus(self, id: str | None) -> None:
        """Tells the sessions which of them is looked at."""
        for session in self._sessions.values():
            session.focused = session.conversation.id == id

    def rename(self, id: str, title: str) -> None:
        session = self._sessions.get(id)
        if session is not None:
            session.rename(title)
        elif id in self._conversations:
            self._library.rename(id, title)
            self._set(replace(self._conversations[id], title=title))

    def delete(self, id: str) -> None:
        """Forgets a conversation; a reply under way ends."""
        if session := self._sessions.pop(id, None):
            session.abandon("")
        if self._conversations.pop(id, None):
            self._library.delete(id)
            self._tell()

    def leave(self, id: str) -> None:
        """The conversation is not shown any more. Its reply goes on; an empty one is forgotten."""
        session = self._sessions.get(id)
        if session is None:
            return
        if not session.messages and session.draft == Draft():
            self.delete(id)
        elif session.busy:
            self._left.add(id)
        else:
            del self._sessions[id]

    def abandon(self, note: str) -> None:
        """Ends every reply and keeps what there is of it."""
        for session in self._sessions.values():
            session.abandon(note)

    @property
    def ids(self) -> list[str]:
        """Every conversation there is."""
        return list(self._conversations)

    @property
    def answering(self) -> int:
        """How many replies are under way."""
        return sum(session.busy for session in self._sessions.values())

    @property
    def replies(self) -> tuple[tuple[str, Progress], ...]:
        """Of each reply under way, its conversation's title and where it stands."""
        busy = (session for session in self._sessions.values() if session.busy)
        return tuple((session.conversation.title, session.progress) for session in busy)

    def _enter(self, session: Session) -> Session:
        id = session.conversation.id
        session.title_changed.connect(partial(self._retitled, id))
        session.message_added.connect(partial(self._written, id))
        session.message_changed.connect(partial(self._ended, id))
        self._sessions[id] = session
        return session

    def _written(self, id: str, message: Message) -> None:
        if id in self._conversations:
            self._set(replace(self._conversations[id], updated=message.created))

    def _retitled(self, id: str, title: str) -> None:
        if id in self._conversations:
            self._set(replace(self._conversations[id], title=title))

    def _ended(self, id: str, _message: Message) -> None:
        if id in self._left:
            self._left.discard(id)
            self.leave(id)

    def _set(self, conversation: Conversation) -> None:
        self._conversations[conversation.id] = conversation
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(sorted(self._conversations.values(), key=lambda found: -found.updated))
