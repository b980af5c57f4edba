"""Opening links."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.ui import links
from app.ui.message_text import MessageText


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses given to the system."""
    addresses: list[str] = []

    class Desktop:
        @staticmethod
        def openUrl(url: QUrl) -> None:
            addresses.append(url.toString())

    monkeypatch.setattr(links, "QDesktopServices", Desktop)
    return addresses


def asked(widget: QWidget) -> QMessageBox | None:
    """The question on the screen."""
    return widget.findChild(QMessageBox)


def press(box: QMessageBox, text: str) -> None:
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()


def test_u06_a_link_opens_after_its_target_was_shown(qtbot: QtBot, opened: list[str]) -> None:
    text = MessageText()
    qtbot.addWidget(text)
    text.show()
    text.anchorClicked.emit(QUrl("https://evil.example/?q=<b>"))
    box = asked(text)
    assert box is not None
    assert box.informativeText() == "https://evil.example/?q=%3Cb%3E"
    assert opened == []
    press(box, "Open")
    assert opened == ["https://evil.example/?q=%3Cb%3E"]


def test_u06_a_link_stays_closed_when_the_user_declines(qtbot: QtBot, opened: list[str]) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    links.ask_to_open(parent, QUrl("https://evil.example"))
    box = asked(parent)
    assert box is not None
    press(box, "Cancel")
    assert opened == []


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "smb://x/y"])
def test_u06_other_kinds_of_links_do_nothing(qtbot: QtBot, opened: list[str], address: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    links.ask_to_open(parent, QUrl(address))
    assert asked(parent) is None
    assert opened == []
