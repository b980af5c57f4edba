"""What sessions store, handed to the database's worker without waiting for it."""

from collections.abc import Sequence
from functools import partial
from sqlite3 import Connection

from app.records import Conversation, Draft, Message, MessageState
from app.storage import conversations, workspace
from app.storage.attachments import AttachmentFiles, sweep
from app.storage.database import Database
from app.storage.workspace import Tabs

__all__ = ["DatabaseArchive"]


class DatabaseArchive:
    """Every method returns at once. What cannot be saved is told to the database's `on_error`."""

    def __init__(self, database: Database, files: AttachmentFiles) -> None:
        self._database = database
        self._files = files

    def create(self, conversation: Conversation) -> None:
        self._database.post(partial(conversations.create, conversation=conversation))

    async def conversations(self) -> list[Conversation]:
        """All of them, the one written to last first. Raises StorageError."""
        return await self._database.run(conversations.list_conversations)

    async def content(self, conversation: str) -> tuple[list[Message], Draft]:
        """A conversation's messages, and what stands in its composer. Raises StorageError."""

        def read(connection: Connection) -> tuple[list[Message], Draft]:
            return (
                conversations.messages(connection, self._files, conversation),
                workspace.load_draft(connection, self._files, conversation),
            )

        return await self._database.run(read)

    async def recover(self) -> tuple[Tabs, bytes]:
        """What stood open when the program ended, after mending what it left half-written.

        Returns: the tabs, and the window's geometry. Raises StorageError.
        """

        def mend(connection: Connection) -> tuple[Tabs, bytes]:
            conversations.recover(connection)
            sweep(connection, self._files)
            return workspace.load_tabs(connection), workspace.load_geometry(connection)

        return await self._database.run(mend)

    def rename(self, conversation: str, title: str) -> None:
        self._database.post(partial(conversations.rename, id=conversation, title=title))

    def delete(self, conversation: str) -> None:
        self._database.post(partial(conversations.delete, id=conversation))
        self._database.post(partial(sweep, files=self._files))

    def add_message(self, message: Message) -> None:
        self._database.post(partial(conversations.add_message, files=self._files, message=message))

    def append_reply(self, message: str, part: int, text: str, thinking: str, tokens: Sequence[int]) -> None:
        self._database.post(
            partial(
                conversations.append_reply,
                message_id=message,
                seq=part,
                text=text,
                thinking=thinking,
                tokens=tuple(tokens),
            )
        )

    def finish_message(self, message: str, state: MessageState, note: str, thought: float) -> None:
        self._database.post(
            partial(conversations.finish_message, message_id=message, state=state, note=note, thought=thought)
        )

    def save_draft(self, conversation: str, draft: Draft) -> None:
        self._database.post(
            partial(workspace.save_draft, files=self._files, conversation=conversation, draft=draft)
        )

    def save_tabs(self, open_conversations: Sequence[str], focused: str | None) -> None:
        self._database.post(
            partial(workspace.save_tabs, conversations=tuple(open_conversations), focused=focused)
        )

    def save_geometry(self, geometry: bytes) -> None:
        self._database.post(partial(workspace.save_geometry, geometry=geometry))
