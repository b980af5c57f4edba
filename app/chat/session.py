"""The controller of one tab: a conversation's messages, its draft, and the reply under way."""

import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.reply import Reply, Watcher
from app.chat.tools import Tools
from app.records import (
    Attachment,
    Conversation,
    Draft,
    Message,
    MessageState,
    Progress,
    Role,
    Submission,
    new_id,
)
from engine.api import Priority

__all__ = ["NEW_CHAT", "Session"]

POSITION_MS = 250
"""How often a reply that waits for others' reading asks for its place."""

NEW_CHAT = "New chat"
TITLE_CHARACTERS = 48


class Session(QObject):
    """One conversation, on the main thread. Lives on while its reply streams, whatever tab is shown.

    Signals:
        message_added: a Message, the user's or the empty reply.
        reply_text: a message's id and the text to append to it.
        reply_thinking: a message's id, the thinking to append to it, and how many seconds it took so far.
        message_changed: a Message that ended.
        progress_changed: a Progress.
        title_changed: the new title.
    """

    message_added = Signal(object)
    reply_text = Signal(str, str)
    reply_thinking = Signal(str, str, float)
    message_changed = Signal(object)
    progress_changed = Signal(object)
    title_changed = Signal(str)

    def __init__(
        self, conversation: Conversation, messages: Sequence[Message], draft: Draft, tools: Tools
    ) -> None:
        super().__init__()
        self.conversation = conversation
        self.messages = list(messages)
        self.draft = draft
        self.focused = False
        self._tools = tools
        self._reply: Reply | None = None
        self._positions = QTimer(self, interval=POSITION_MS)
        self._positions.timeout.connect(self._ask_position)

    @property
    def progress(self) -> Progress:
        return self._reply.progress if self._reply else Progress()

    @property
    def busy(self) -> bool:
        """Whether a reply is under way."""
        return self._reply is not None

    def send(self, submission: Submission) -> None:
        """Stores the user's message, then asks for a reply. Ignored while one is under way."""
        if self._reply is not None:
            return
        self._entitle(submission)
        self._add(self._new_message("user", submission.text, attachments=submission.attachments))
        self.set_draft(Draft())
        self._answer()

    def retry(self) -> None:
        """Asks again where a reply ended before its first word. What was read is not read again."""
        if self.unanswered:
            self._answer()

    @property
    def unanswered(self) -> bool:
        """Whether the last reply ended before its first word."""
        return bool(self.messages) and not self.busy and not self.messages[-1].text

    def stop(self) -> None:
        """Ends the reply, in whatever phase it is. What was read and written is kept."""
        if self._reply is not None:
            self._reply.stop()

    def abandon(self, note: str) -> None:
        """Ends the reply at once and keeps what there is of it: the program or the conversation ends."""
        if self._reply is not None:
            self._reply.abandon(note)

    def set_draft(self, draft: Draft) -> None:
        """Keeps what stands in the composer."""
        if draft != self.draft:
            self.draft = draft
            self._tools.archive.save_draft(self.conversation.id, draft)

    def rename(self, title: str) -> None:
        """Gives the conversation another title."""
        self.conversation = replace(self.conversation, title=title)
        self._tools.archive.rename(self.conversation.id, title)
        self.title_changed.emit(title)

    def _answer(self) -> None:
        chat = [_as_chat(message) for message in self.messages if message.text or message.attachments]
        message = self._new_message("assistant", "", state=MessageState.STREAMING)
        self._add(message)
        watcher = Watcher(self._grew, self._thought, self._moved, self._ended)
        self._reply = Reply(message, self._tools, watcher)
        self._reply.start(chat, Priority.FOCUSED if self.focused else Priority.VISIBLE)
        self._moved(self.progress)

    def _entitle(self, submission: Submission) -> None:
        """Names a conversation after its first words, or its first document."""
        if self.messages or self.conversation.title != NEW_CHAT:
            return
        names = [attachment.name for attachment in submission.attachments]
        first = next((text for text in (*submission.text.splitlines(), *names) if text.strip()), NEW_CHAT)
        title = " ".join(first.split())
        self.rename(title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…")

    def _new_message(
        self,
        role: Role,
        text: str,
        state: MessageState = MessageState.COMPLETE,
        attachments: tuple[Attachment, ...] = (),
    ) -> Message:
        return Message(new_id(), self.conversation.id, role, text, time.time(), state, attachments)

    def _add(self, message: Message) -> None:
        self.messages.append(message)
        self._tools.archive.add_message(message)
        self.message_added.emit(message)

    def _grew(self, text: str) -> None:
        assert self._reply is not None
        self.messages[-1] = self._reply.message
        self.reply_text.emit(self._reply.message.id, text)

    def _thought(self, thinking: str) -> None:
        assert self._reply is not None
        message = self._reply.message
        self.messages[-1] = message
        self.reply_thinking.emit(message.id, thinking, message.thought)

    def _moved(self, progress: Progress) -> None:
        waiting = progress.phase == "queued" or (
            progress.phase == "reading" and progress.done == progress.reused
        )
        if waiting != self._positions.isActive():
            (self._positions.start if waiting else self._positions.stop)()
        self.progress_changed.emit(progress)

    def _ended(self, message: Message) -> None:
        self._reply = None
        self.messages[-1] = message
        self.message_changed.emit(message)
        self._moved(Progress())

    def _ask_position(self) -> None:
        if self._reply is not None:
            self._reply.position()


def _as_chat(message: Message) -> dict[str, str]:
    """A message as the model reads it: documents first, in order, then what was typed."""
    parts = [*(attachment.text for attachment in message.attachments), message.text]
    return {"role": message.role, "content": "\n\n".join(part for part in parts if part)}
