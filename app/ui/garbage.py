"""Python's garbage collection, kept on the main thread."""

import gc

from PySide6.QtCore import QObject, QTimer

__all__ = ["MainThreadCollector"]

EVERY_MS = 5_000


class MainThreadCollector(QObject):
    """Collects a few times a minute, here, what Python would collect on whatever thread allocates.

    Widgets and timers often sit in reference cycles. Freed by a collection on the lane's thread, or
    the database's, they are destroyed there, and Qt crashes sooner or later.
    """

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(collect_due)
        self._timer.start()

    def close(self) -> None:
        """Lets Python collect by itself again."""
        self._timer.stop()
        gc.enable()


def collect_due() -> None:
    """Collects each generation whose count is over its threshold, as Python would."""
    for generation, threshold in enumerate(gc.get_threshold()):
        if gc.get_count()[generation] > threshold:
            gc.collect(generation)
