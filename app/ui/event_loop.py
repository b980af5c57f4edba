"""Qt's event loop as asyncio's, for the length of one run of the program."""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from PySide6.QtWidgets import QApplication

os.environ["QT_API"] = "pyside6"
from qasync import QEventLoop

__all__ = ["run"]

log = logging.getLogger(__name__)


def run(work: Callable[[], Awaitable[int]]) -> int:
    """Makes the QApplication, awaits `work` and returns the exit code it gives."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Interlace")
    application.setApplicationDisplayName("Interlace")
    application.setQuitOnLastWindowClosed(False)
    with QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(_log)
        return int(loop.run_until_complete(work()))


def _log(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    log.error(context.get("message", "an error in the event loop"), exc_info=context.get("exception"))
