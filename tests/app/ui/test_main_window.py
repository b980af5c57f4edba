"""The window: what it is told and what it tells."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.records import Progress
from app.ui.empty_state import EmptyState
from app.ui.main_window import MainWindow
from tests.app.ui.fake_session import FakeSession, reply, user
from tests.app.ui.palettes import dark
from tests.app.ui.windows import opened, press


def test_first_run_says_what_this_is_and_offers_a_chat(qtbot: QtBot, window: MainWindow) -> None:
    greeting = window.pages.currentWidget()
    assert isinstance(greeting, EmptyState)
    button = greeting.findChild(QPushButton)
    assert button is not None
    with qtbot.waitSignal(window.new_chat_requested):
        button.click()


def test_rename_and_delete_are_passed_on(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.rename_requested) as renamed:
        window.sidebar.renamed.emit("a", "Title")
    with qtbot.waitSignal(window.delete_requested) as deleted:
        window.sidebar.deleted.emit("a")
    assert (renamed.args, deleted.args) == (["a", "Title"], ["a"])


def test_the_model_is_named_with_its_state(window: MainWindow) -> None:
    (one,) = opened(window, "one")
    window.set_model("SmolLM2-135M-Instruct", "ready")
    assert window.model_button.text().startswith("SmolLM2-135M-Instruct · ready")
    assert window.model_button.accessibleName() == "Model: SmolLM2-135M-Instruct · ready"
    answer = reply("Hello")
    one.message_added.emit(answer)
    assert window.tabs.tab(0).transcript.views[answer.id].text.accessibleName() == "SmolLM2-135M-Instruct"


@pytest.mark.parametrize(
    ("keys", "mode"),
    [("Ctrl+O", QFileDialog.FileMode.ExistingFile), ("Ctrl+Shift+O", QFileDialog.FileMode.Directory)],
)
def test_a_model_file_or_folder_is_chosen(
    qtbot: QtBot, window: MainWindow, keys: str, mode: QFileDialog.FileMode
) -> None:
    press(window, keys)
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.fileMode() == mode
    with qtbot.waitSignal(window.model_chosen) as signal:
        dialog.fileSelected.emit("/models/some.gguf")
    assert signal.args == ["/models/some.gguf"]
    dialog.close()


def test_a_problem_is_told_until_dismissed(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.banner.isVisible()
    window.show_problem("The file is <b>cut</b>.", "Get it again.")
    assert window.banner.isVisible()
    assert window.banner.label.text() == "The file is <b>cut</b>. Get it again."
    assert window.banner.label.textFormat() == Qt.TextFormat.PlainText
    window.banner.close_button.click()
    assert not window.banner.isVisible()


def test_u25_every_widget_is_painted_in_a_dark_palette(qtbot: QtBot, window: MainWindow) -> None:
    before = QApplication.palette()
    one, two = (
        FakeSession("one", [user("Hi"), reply("> quote\n\n---\n\n```py\nx\n```\n")]),
        FakeSession("two"),
    )
    try:
        QApplication.setPalette(dark())
        for session in (one, two):
            window.add_tab(session, focus=False)  # type: ignore[arg-type]
        two.move(Progress("reading", done=1, total=2))
        one.move(Progress("replying"))
        window.tabs.tab(0).composer.edit.large_paste.emit("x" * 30_000)
        window.show_problem("Something happened.", "Do something.")
        area = window.tabs.tab(0)
        qtbot.waitUntil(lambda: area.palette().base() == dark().base())
        picture = window.grab().toImage()
        corner = area.mapTo(window, area.rect().topLeft())
        assert picture.pixelColor(corner.x() + 4, corner.y() + 4).lightness() < 60
    finally:
        QApplication.setPalette(before)
