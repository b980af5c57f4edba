"""The messages of one conversation, one below the other."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.records import Message
from app.ui.following_area import FollowingArea
from app.ui.message_view import ReplyView
from app.ui.user_view import UserView

__all__ = ["Transcript"]

PAGE = 30
"""Messages shown at first, and with each "Show earlier messages"."""


class Transcript(FollowingArea):
    """Shows messages, each an item of its own to assistive software.

    Attributes:
        name: who replies: the model's name, used for the replies that come.
        views: the shown messages by id, in order.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.views: dict[str, ReplyView | UserView] = {}
        self._earlier: list[Message] = []
        self._more = QPushButton("Show earlier messages")
        self._more.setFlat(True)
        self._more.hide()
        self._more.clicked.connect(self._show_earlier)
        self.column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignHCenter)
        self.setAccessibleName("Conversation")

    def load(self, messages: Sequence[Message]) -> None:
        """Shows the end of a conversation; the rest is a click away."""
        self._earlier = list(messages[:-PAGE])
        self._more.setVisible(bool(self._earlier))
        for message in messages[-PAGE:]:
            self.add(message)

    def add(self, message: Message) -> None:
        """Shows a new message; one of the user's own is brought into sight."""
        view = self._view(message)
        self.views[message.id] = view
        self.column.addWidget(view)
        if message.role == "user":
            self.jump()

    def append(self, id: str, text: str) -> None:
        """More text of a reply."""
        view = self.views.get(id)
        if isinstance(view, ReplyView):
            view.append(text)

    def think(self, id: str, thinking: str, seconds: float) -> None:
        """More thinking of a reply, which took so long until now."""
        view = self.views.get(id)
        if isinstance(view, ReplyView):
            view.think(thinking, seconds)

    def change(self, message: Message) -> None:
        """A reply that has ended."""
        view = self.views.get(message.id)
        if isinstance(view, ReplyView):
            view.show_message(message)

    def _view(self, message: Message) -> ReplyView | UserView:
        if message.role == "user":
            return UserView(message)
        view = ReplyView(message, self.name)
        view.thinking.folding.connect(partial(self._before_folding, view))
        return view

    def _before_folding(self, view: ReplyView) -> None:
        """Keeps the line that was clicked under the mouse, unless the end is wanted as it grows."""
        if not (view.streaming and self.following):
            self.stay(view)

    def _show_earlier(self) -> None:
        self.stay(next(iter(self.views.values())))
        page, self._earlier = self._earlier[-PAGE:], self._earlier[:-PAGE]
        self._more.setVisible(bool(self._earlier))
        views = [self._view(message) for message in page]
        for place, view in enumerate(views, start=1):
            self.column.insertWidget(place, view)
        self.views = {view.id: view for view in views} | self.views
