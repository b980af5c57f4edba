"""Qt's event loop as asyncio's, for the length of one run of the program."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.paths import resources
from app.ui.garbage import MainThreadCollector
from app.ui.quit_signals import QuitSignals

os.environ["QT_API"] = "pyside6"
from qasync import QEventLoop

__all__ = ["INTERRUPTED", "run"]

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

UNTOLD = "This plugin does not support propagateSizeHints()"
"""What Qt's offscreen platform says of every window."""

log = logging.getLogger(__name__)


def run(work: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Makes the QApplication, awaits `work` and returns the exit code it gives.

    Ctrl-C, or the system's request to end, cancels `work`, which ends what it began.
    """
    qInstallMessageHandler(_log_qt)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Interlace")
    application.setApplicationVersion(version("interlace"))
    application.setWindowIcon(QIcon(str(resources() / "icon.svg")))
    application.setQuitOnLastWindowClosed(False)
    with QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(_log_error)
        task = loop.create_task(work())
        signals = QuitSignals(task.cancel)
        collector = MainThreadCollector()
        try:
            return int(loop.run_until_complete(task))
        except asyncio.CancelledError:
            return INTERRUPTED
        finally:
            signals.close()
            collector.close()


def _log_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log.error(context.get("message", "an error in the event loop"), exc_info=context.get("exception"))


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    if message != UNTOLD:
        log.log(logging.DEBUG if kind is QtMsgType.QtDebugMsg else logging.WARNING, "Qt: %s", message)
