"""Reference cycles are collected on the main thread only."""

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.ui import garbage
from app.ui.garbage import MainThreadCollector, collect_due


class Cycle:
    def __init__(self, freed_on: list[int]) -> None:
        self.me = self
        weakref.finalize(self, lambda: freed_on.append(threading.get_ident()))


@pytest.fixture
def collector(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainThreadCollector]:
    monkeypatch.setattr(garbage, "EVERY_MS", 10)
    collector = MainThreadCollector()
    yield collector
    collector.close()
    assert gc.isenabled()
    gc.disable()  # As the tests' own set-up has it.


def test_a_thread_that_allocates_collects_nothing_and_the_main_thread_does(
    qtbot: QtBot, collector: MainThreadCollector
) -> None:
    gc.collect()
    freed_on: list[int] = []
    Cycle(freed_on)
    kept: list[list[int]] = []
    worker = threading.Thread(target=lambda: kept.extend([index] for index in range(5_000)))
    worker.start()
    worker.join()
    assert freed_on == []
    qtbot.waitUntil(lambda: bool(freed_on))
    assert freed_on == [threading.get_ident()]


def test_nothing_is_collected_before_it_is_due(qtbot: QtBot) -> None:
    gc.collect()
    freed_on: list[int] = []
    Cycle(freed_on)
    collect_due()
    assert freed_on == []
    gc.collect()
    assert freed_on == [threading.get_ident()]
