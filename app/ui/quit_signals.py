"""Ctrl-C in a terminal and the system's request to end, as calls on the main thread."""

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

__all__ = ["QuitSignals"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class QuitSignals(QObject):
    """Calls `on_signal` once one of them comes.

    Python runs its handlers only between its own instructions, and an idle Qt loop runs none: the
    byte that the signal writes to a socket wakes the loop up.
    """

    def __init__(self, on_signal: Callable[[], None]) -> None:
        super().__init__()
        self._on_signal = on_signal
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        self._before = {number: signal.signal(number, lambda *_: self._on_signal()) for number in SIGNALS}
        self._wakeup_before = signal.set_wakeup_fd(self._writer.fileno())

    def close(self) -> None:
        """Gives the signals back to whoever had them."""
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _drain(self) -> None:
        self._reader.recv(64)
