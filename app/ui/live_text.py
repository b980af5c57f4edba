"""A growing text and the widget that shows it: brought up to date a few times a second, while seen."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.ui.message_text import MessageText
from app.ui.reply_document import ReplyDocument

__all__ = ["UPDATE_MS", "LiveText"]

UPDATE_MS = 66
"""How long new text waits for more: about 15 updates a second."""


class LiveText(QObject):
    """Shows a text as it comes. Nothing is laid out while `host` is hidden; its owner calls `update` when
    it is shown again."""

    def __init__(self, text: MessageText, host: QWidget) -> None:
        super().__init__(text)
        self._text = text
        self._host = host
        self._document = ReplyDocument(text.document(), text.text_style)
        self._pieces: list[str] = []
        self._changed = False
        self._restyled = False
        self._timer = QTimer(self, singleShot=True, interval=UPDATE_MS)
        self._timer.timeout.connect(self.update)
        text.restyled.connect(self._restyle)

    def append(self, text: str) -> None:
        """More of the text."""
        if not text:
            return
        self._pieces.append(text)
        self._document.stream.feed(text.replace("\r\n", "\n").replace("\r", "\n"))
        self._touch()

    def become(self, text: str, ended: bool) -> None:
        """The whole text as it is stored; `ended` when no more will come."""
        shown = "".join(self._pieces)
        if not text.startswith(shown):
            self._document.restart()
            self._pieces, shown = [], ""
        self.append(text[len(shown) :])
        if ended:
            self._document.stream.finish()
            self._touch()

    def update(self) -> None:
        """Lays out what came since the last time."""
        if not self._host.isVisible() or not self._changed:
            return
        selection = self._text.keep_selection()
        if self._restyled:
            self._document.restyle(self._text.text_style)
            self._restyled = False
        self._changed = not self._document.update()
        self._text.setVisible(bool(self._pieces))
        self._text.restore_selection(selection)
        self._text.fit()
        if self._changed:
            self._timer.start(0)

    def _touch(self) -> None:
        self._changed = True
        if self._host.isVisible() and not self._timer.isActive():
            self._timer.start()

    def _restyle(self) -> None:
        self._restyled = True
        self._touch()
