"""Fixtures of the widgets' tests."""

import pytest
from pytestqt.qtbot import QtBot

from app.ui.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    return window
