"""The text field of a composer: grows with its text, sends on Return, keeps large pastes out."""

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.ui.message_text import body_font

__all__ = ["LARGEST_PASTE", "LONGEST_LINE", "ComposerEdit", "is_large"]

LARGEST_PASTE = 20_000
"""Bytes of UTF-8 up to which pasted text goes into the field: more makes each key slow."""
LONGEST_LINE = 5_000
"""Characters of one line, likewise."""
MOST_LINES = 10


def is_large(text: str) -> bool:
    """Whether pasted text becomes an attachment."""
    if len(text) > LARGEST_PASTE:
        return True
    longest = max(map(len, text.splitlines()), default=0)
    return longest > LONGEST_LINE or len(text.encode("utf-8", "surrogatepass")) > LARGEST_PASTE


class ComposerEdit(QTextEdit):
    """Plain text only.

    Signals:
        submitted: Return, unless an input method is composing or has just committed.
        large_paste: the text of a paste that was not inserted.
        recalled: Up in an empty field.
    """

    submitted = Signal()
    large_paste = Signal(str)
    recalled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._committed = False
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setFont(body_font())
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.setAccessibleName("Message")
        self._grow()

    def typed_text(self) -> str:
        """What was typed, character for character; line ends are "\\n"."""
        return self.document().toRawText().replace("\u2029", "\n")

    def put(self, text: str) -> None:
        """Replaces the text and goes to its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def is_composing(self) -> bool:
        """Whether an input method holds text that is not part of the document yet."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._return_pressed(event)
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty() and not self.is_composing():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        if event.commitString():
            # The Return that confirmed a candidate may still follow in this turn of the loop.
            self._committed = True
            QTimer.singleShot(0, self, self._forget_commit)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        if is_large(text):
            self.large_paste.emit(text)
        else:
            self.textCursor().insertText(text)
            self.ensureCursorVisible()

    def _return_pressed(self, event: QKeyEvent) -> None:
        if self.is_composing() or self._committed:
            return
        newline = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
        if event.modifiers() & newline:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        else:
            self.submitted.emit()

    def _forget_commit(self) -> None:
        self._committed = False

    def _grow(self) -> None:
        line = self.fontMetrics().lineSpacing()
        height = min(max(self.document().size().height(), line), MOST_LINES * line)
        self.setFixedHeight(int(height) + 2)
