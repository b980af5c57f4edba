"""Items in lines."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.flow_layout import FlowLayout


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    return host


@pytest.fixture
def flow(host: QWidget) -> FlowLayout:
    flow = FlowLayout(10)
    host.setLayout(flow)
    for _ in range(3):
        item = QWidget()
        item.setFixedSize(100, 30)
        flow.addWidget(item)
    host.show()
    return flow


def places(flow: FlowLayout) -> list[tuple[int, int]]:
    items = [flow.itemAt(index) for index in range(flow.count())]
    return [(item.geometry().x(), item.geometry().y()) for item in items if item is not None]


def test_items_stand_side_by_side_while_they_fit(flow: FlowLayout) -> None:
    flow.setGeometry(QRect(0, 0, 320, 100))
    assert places(flow) == [(0, 0), (110, 0), (220, 0)]
    assert flow.heightForWidth(320) == 30


def test_what_does_not_fit_begins_a_new_line(flow: FlowLayout) -> None:
    flow.setGeometry(QRect(0, 0, 319, 100))
    assert places(flow) == [(0, 0), (110, 0), (0, 40)]
    assert flow.heightForWidth(319) == 70


def test_one_item_a_line_when_narrow(flow: FlowLayout) -> None:
    assert flow.heightForWidth(50) == 110


def test_a_removed_item_leaves_no_gap(flow: FlowLayout) -> None:
    flow.takeAt(0)
    flow.setGeometry(QRect(0, 0, 320, 100))
    assert places(flow) == [(0, 0), (110, 0)]
    assert flow.takeAt(9) is None
