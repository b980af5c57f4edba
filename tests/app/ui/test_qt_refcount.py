"""The Qt binding this program is built on."""

import sys

from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot


def test_p10_a_call_that_returns_nothing_takes_no_reference_of_none(qtbot: QtBot) -> None:
    edit = QTextEdit()
    qtbot.addWidget(edit)
    before = sys.getrefcount(None)
    for _ in range(1_000):
        edit.insertPlainText("x")
    assert abs(sys.getrefcount(None) - before) < 50
