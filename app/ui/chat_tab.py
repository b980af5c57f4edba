"""One tab: the transcript, the reply bar and the composer of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.records import Message, Progress
from app.ui.composer import Composer
from app.ui.empty_state import EmptyState
from app.ui.reply_bar import ReplyBar
from app.ui.retry_bar import RetryBar
from app.ui.template_bar import TemplateBar
from app.ui.theme import COLUMN, GRID
from app.ui.transcript import Transcript

if TYPE_CHECKING:
    from app.chat.session import Session
    from app.chat.templates import TemplateView

__all__ = ["ChatTab"]


class ChatTab(QWidget):
    """Shows a session and passes on what the user does. Closing it leaves the session as it is.

    Attributes:
        session: what is shown.

    Signals:
        changed: the title or the reply's progress.
        answered: a reply has ended.
    """

    changed = Signal()
    answered = Signal()

    def __init__(self, session: Session, model_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.transcript = Transcript(model_name)
        self.reply_bar = ReplyBar()
        self.retry_bar = RetryBar()
        self.template_bar = TemplateBar()
        self.composer = Composer()
        self._blocked = False
        self._pages = QStackedWidget()
        self._lay_out()
        self._fill()
        self._connect()

    @property
    def conversation_id(self) -> str:
        """Of the conversation shown."""
        return self.session.conversation.id

    def show_template(self, view: TemplateView | None) -> None:
        """Tells how the model's chats are put to it; nothing can be sent until that is chosen."""
        self._blocked = view is not None and bool(view.choices)
        self.template_bar.show_template(view)
        self._show_progress(self.session.progress)

    def focus(self) -> None:
        """Puts the cursor where the next message is written."""
        self.composer.edit.setFocus()

    def _lay_out(self) -> None:
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._pages.addWidget(EmptyState(button=False))
        self._pages.addWidget(self.transcript)
        below = QWidget()
        below.setMaximumWidth(COLUMN + 4 * GRID)
        writing = QVBoxLayout(below)
        writing.setContentsMargins(GRID, 0, GRID, 0)
        writing.setSpacing(GRID)
        writing.addWidget(self.reply_bar)
        writing.addWidget(self.retry_bar)
        writing.addWidget(self.template_bar)
        writing.addWidget(self.composer)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(below, 1_000)
        across.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._pages, 1)
        layout.addLayout(across)

    def _fill(self) -> None:
        """Shows what the session holds already."""
        messages = self.session.messages
        self.transcript.load(messages)
        self._pages.setCurrentIndex(1 if messages else 0)
        sent = [message.text for message in messages if message.role == "user"]
        self.composer.last_sent = sent[-1] if sent else ""
        self.composer.set_draft(self.session.draft)
        self._show_progress(self.session.progress)

    def _connect(self) -> None:
        session = self.session
        session.message_added.connect(self._add)
        session.reply_text.connect(self.transcript.append)
        session.reply_thinking.connect(self.transcript.think)
        session.message_changed.connect(self.transcript.change)
        session.message_changed.connect(self.answered)
        session.progress_changed.connect(self._show_progress)
        session.progress_changed.connect(self.changed)
        session.title_changed.connect(self.changed)
        self.composer.submitted.connect(session.send)
        self.composer.draft_changed.connect(session.set_draft)
        self.composer.stopped.connect(session.stop)
        self.reply_bar.stopped.connect(session.stop)
        self.retry_bar.requested.connect(session.retry)

    def _add(self, message: Message) -> None:
        self._pages.setCurrentIndex(1)
        self.transcript.add(message)

    def _show_progress(self, progress: Progress) -> None:
        self.reply_bar.show_progress(progress)
        self.retry_bar.offer(self.session.messages[-1] if self.session.unanswered else None)
        self.retry_bar.setEnabled(not self._blocked)
        self.composer.set_busy(progress.phase != "idle", self._blocked)
