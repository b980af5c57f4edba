"""A session without an engine, and messages to show in it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.records import (
    Attachment,
    Conversation,
    Draft,
    Message,
    MessageState,
    Progress,
    Submission,
    new_id,
)


class FakeSession(QObject):
    """Emits what a test tells it to and remembers what it was asked.

    Attributes:
        sent, drafts: what `send` and `set_draft` were given.
        stops, retries: how often `stop` and `retry` were called.
        unanswered: whether there is something to ask again.
    """

    message_added = Signal(object)
    reply_text = Signal(str, str)
    reply_thinking = Signal(str, str, float)
    message_changed = Signal(object)
    progress_changed = Signal(object)
    title_changed = Signal(str)

    def __init__(self, title: str = "New chat", messages: Sequence[Message] = ()) -> None:
        super().__init__()
        self.conversation = Conversation(new_id(), title, 0.0, 0.0)
        self.messages = list(messages)
        self.draft = Draft()
        self.progress = Progress()
        self.sent: list[Submission] = []
        self.drafts: list[Draft] = []
        self.stops = 0
        self.retries = 0
        self.unanswered = False

    def retry(self) -> None:
        self.retries += 1

    def send(self, submission: Submission) -> None:
        self.sent.append(submission)

    def stop(self) -> None:
        self.stops += 1

    def set_draft(self, draft: Draft) -> None:
        self.drafts.append(draft)
        self.draft = draft

    def move(self, progress: Progress) -> None:
        """Its reply gets on."""
        self.progress = progress
        self.progress_changed.emit(progress)

    def rename(self, title: str) -> None:
        """Its title changes."""
        old = self.conversation
        self.conversation = Conversation(old.id, title, old.created, old.updated)
        self.title_changed.emit(title)


def user(text: str, *attachments: Attachment) -> Message:
    """What the user said."""
    return Message(new_id(), "c", "user", text, 0.0, attachments=attachments)


def reply(
    text: str,
    state: MessageState = MessageState.COMPLETE,
    note: str = "",
    thinking: str = "",
    thought: float = 0.0,
) -> Message:
    """What the model said."""
    return Message(
        new_id(), "c", "assistant", text, 0.0, state, note=note, thinking=thinking, thought=thought
    )


def attachment(text: str = "some text", name: str = "Pasted text") -> Attachment:
    """A pasted document."""
    return Attachment(new_id(), name, text, len(text.encode()))
