"""The lane panel: what is told to it is what it shows."""

from pytestqt.qtbot import QtBot

from app.records import LaneView, Progress
from app.ui.lane_panel import LanePanel
from app.ui.main_window import MainWindow
from tests.app.ui.windows import press

SHARING = "Replies run together in one pass, up to 8 at a time"


def test_it_shows_the_model_its_sharing_and_each_reply(qtbot: QtBot) -> None:
    panel = LanePanel()
    qtbot.addWidget(panel)
    reading = Progress("reading", done=50, total=200)
    panel.show_lane(
        LaneView("SmolLM2", SHARING, (("One", reading), ("<b>Two", Progress("replying", tokens=2))))
    )
    assert (panel.model.text(), panel.sharing.text()) == ("SmolLM2", SHARING)
    assert panel.replies == [("One", "Reading 25%"), ("<b>Two", "2 tokens")]
    assert panel.idle.isHidden()
    panel.show_lane(LaneView("SmolLM2", "", ()))
    assert panel.replies == []
    assert panel.sharing.isHidden()
    assert not panel.idle.isHidden()


def test_it_asks_while_it_is_in_sight_only(qtbot: QtBot) -> None:
    panel = LanePanel()
    qtbot.addWidget(panel)
    asked: list[bool] = []
    panel.asked.connect(lambda: asked.append(True))
    panel.show()
    qtbot.waitUntil(lambda: len(asked) >= 2)
    panel.hide()
    before = len(asked)
    with qtbot.assertNotEmitted(panel.asked, wait=700):
        pass
    assert len(asked) == before


def test_the_view_menu_shows_and_hides_it(window: MainWindow) -> None:
    assert window.lane.isHidden()
    press(window, "Ctrl+Shift+L")
    assert not window.lane.isHidden()
    press(window, "Ctrl+Shift+L")
    assert window.lane.isHidden()
