"""C07: quitting at any moment ends the process cleanly, and what was written is there."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.paths import Paths
from app.records import Message, MessageState
from app.storage.archive import DatabaseArchive
from app.storage.attachments import AttachmentFiles
from app.storage.database import Database

ROOT = Path(__file__).parents[2]


def stored(paths: Paths) -> list[Message]:
    """The messages of the only conversation."""

    async def read() -> list[Message]:
        database = Database(paths.database, on_error=print)
        archive = DatabaseArchive(database, AttachmentFiles(paths.attachments))
        (conversation,) = await archive.conversations()
        messages, _ = await archive.content(conversation.id)
        database.close()
        return messages

    return asyncio.run(read())


@pytest.mark.parametrize("moment", ["loading", "reading", "decoding"])
def test_c07_quitting_ends_with_0_and_keeps_the_reply(tmp_path: Path, moment: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.app.quitting_run", moment, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    _, reply = stored(Paths(tmp_path))
    assert reply.state is MessageState.STOPPED
    assert reply.note == "Stopped: Interlace was closed."
    assert bool(reply.text) == (moment == "decoding")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_the_systems_request_close_the_window_properly(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "app", "--data-dir", str(tmp_path)]
    database = Paths(tmp_path).database
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        while not database.exists():
            assert run.poll() is None
        os.kill(run.pid, number)
        _, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in errors
