"""Where a message is written: the text field, the attachments as chips, and the button."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.records import Draft, Submission
from app.ui.chip_row import ChipRow
from app.ui.composer_edit import ComposerEdit
from app.ui.field import Field
from app.ui.send_button import SendButton
from app.ui.theme import GRID

__all__ = ["Composer"]

DRAFT_MS = 300
"""How long typing goes on, at most, before the draft is told."""


class Composer(Field):
    """Holds what is not sent yet.

    Attributes:
        last_sent: the text that Up in an empty field brings back.

    Signals:
        submitted: a Submission, when there is something to send and no reply under way.
        stopped: the button was pressed while a reply is under way.
        draft_changed: a Draft, at most every 300 ms while typing, at once when hidden or sent.
    """

    submitted = Signal(object)
    stopped = Signal()
    draft_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.last_sent = ""
        self._blocked = False
        self.chips = ChipRow(self)
        self.edit = ComposerEdit(self)
        self.edit.setPlaceholderText("Write a message, or paste a long document")
        self.button = SendButton(self)
        self._timer = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._timer.timeout.connect(self._tell_draft)
        self._lay_out()
        self._connect()
        self._enable_button()

    @property
    def draft(self) -> Draft:
        """What stands here now."""
        return Draft(self.edit.typed_text(), self.chips.attachments)

    def set_draft(self, draft: Draft) -> None:
        """Puts back what stood here once; it is not told again."""
        self.chips.clear()
        for attachment in draft.attachments:
            self.chips.add(attachment)
        self.edit.setPlainText(draft.text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self._timer.stop()

    def set_busy(self, busy: bool, blocked: bool = False) -> None:
        """Whether a reply is under way: the button then stops it. While `blocked`, nothing can be sent."""
        self._blocked = blocked
        self.button.set_stops(busy)
        self._enable_button()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._timer.isActive():
            self._tell_draft()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.chips)
        layout.addLayout(line)
        self.setFocusProxy(self.edit)

    def _connect(self) -> None:
        self.edit.submitted.connect(self._submit)
        self.edit.large_paste.connect(self.chips.attach)
        self.edit.recalled.connect(lambda: self.edit.put(self.last_sent))
        self.edit.textChanged.connect(self._changed)
        self.chips.changed.connect(self._changed)
        self.button.clicked.connect(self._pressed)

    def _pressed(self) -> None:
        if self.button.stops:
            self.stopped.emit()
        else:
            self._submit()

    def _submit(self) -> None:
        draft = self.draft
        if self.button.stops or self._blocked or not _is_sendable(draft):
            return
        self.last_sent = draft.text
        self.set_draft(Draft())
        self.submitted.emit(Submission(draft.text, draft.attachments))
        self._tell_draft()

    def _changed(self) -> None:
        self._enable_button()
        if not self._timer.isActive():
            self._timer.start()

    def _enable_button(self) -> None:
        self.button.setEnabled(self.button.stops or (_is_sendable(self.draft) and not self._blocked))

    def _tell_draft(self) -> None:
        self._timer.stop()
        self.draft_changed.emit(self.draft)


def _is_sendable(draft: Draft) -> bool:
    return bool(draft.text.strip() or draft.attachments)
