"""A hand on the window for the demo and the self-test: it types, pastes, clicks, waits and takes pictures."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

from app.application import Application
from app.chat.session import Session
from app.ui.chat_tab import ChatTab

__all__ = ["Driver"]

POLL = 0.02


class Driver:
    """Does to the window what a person does, through Qt's own events."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._window = application.window

    @property
    def tab(self) -> ChatTab:
        """The tab that is shown."""
        front = self._application.front
        assert front is not None
        return front

    @property
    def session(self) -> Session:
        """The session of the tab that is shown."""
        return self.tab.session

    async def new_tab(self) -> Session:
        """Opens a tab as Cmd-T does."""
        before = len(self._window.tab_order())
        self._window.menus.new_chat.trigger()
        await self.until(lambda: len(self._window.tab_order()) > before)
        return self.session

    def focus(self, session: Session) -> None:
        self._window.focus_tab(session.conversation.id)

    def paste(self, text: str) -> None:
        """Puts `text` on the clipboard and pastes it into the composer."""
        # Not setMimeData: an object made here would outlive the interpreter in Qt's clipboard.
        QGuiApplication.clipboard().setText(text)
        self.tab.composer.edit.paste()

    def type(self, text: str) -> None:
        for character in text:
            self._key(Qt.Key.Key_unknown, character)

    def press_return(self) -> None:
        self._key(Qt.Key.Key_Return, "\r")

    def stop(self) -> None:
        """Stops the reply of the tab that is shown, as Esc does."""
        self._window.menus.stop.trigger()

    def try_again(self) -> None:
        """Asks again after a reply that was stopped before its first word."""
        self.tab.retry_bar.button.click()

    async def until(self, condition: Callable[[], object], seconds: float = 600.0) -> None:
        """Lets the program run until `condition` holds. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(POLL)

    async def picture(self, path: Path) -> None:
        """Saves the window as it is drawn."""
        await asyncio.sleep(0.2)
        self._window.grab().save(str(path))

    def _key(self, key: Qt.Key, text: str) -> None:
        editor = self.tab.composer.edit
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QGuiApplication.sendEvent(editor, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))
