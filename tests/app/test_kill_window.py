"""U18 on the real window and the real model: the program is killed while it writes and reads."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from qasync import QEventLoop

from app.application import Application
from app.demo import QUESTION, STORY, logbook
from app.paths import Paths
from app.records import MessageState
from app.storage.conversations import INTERRUPTED
from engine.api import Engine
from tests.app.killed_run import DRAFT
from tests.fake_engine import ScriptedEngine

Until = Callable[[Callable[[], object]], None]
ROOT = Path(__file__).parents[2]


def killed(folder: Path) -> list[dict[str, Any]]:
    """Runs the program until its draft is two seconds old, kills it, and returns what it printed."""
    command = [sys.executable, "-m", "tests.app.killed_run", str(folder)]
    states: list[dict[str, Any]] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            states.append(json.loads(line))
            if states[-1]["since_draft"] > 2.5:
                break
        os.kill(run.pid, signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    return states


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("killed")
    return folder, killed(folder)


@pytest.fixture
def application(left_behind: tuple[Path, object], loop: QEventLoop) -> Iterator[Application]:
    """The program started again on what was left, with an engine that says nothing."""
    opened: list[Engine] = [ScriptedEngine()]

    async def start() -> Application:
        application = Application(Paths(left_behind[0]), Path("model"), lambda path, cancelled: opened[0])
        await application.start()
        return application

    application = loop.run_until_complete(start())
    yield application
    loop.run_until_complete(application.close())


def test_u18_u16_after_a_kill_all_tabs_the_paste_the_draft_and_the_partial_text_are_there(
    application: Application, left_behind: tuple[Path, list[dict[str, Any]]], loop: QEventLoop
) -> None:
    states = left_behind[1]
    assert states[-1]["phase"] == "reading", "killed while the paste was being read"
    ids = application.window.tab_order()
    writer, reader, drafter = (loop.run_until_complete(application.workspace.open(id)) for id in ids)

    assert writer.messages[0].text == STORY
    partial = writer.messages[1]
    assert (partial.state, partial.note) == (MessageState.STOPPED, INTERRUPTED)
    two_seconds_before = next(
        s for s in reversed(states) if s["since_draft"] <= states[-1]["since_draft"] - 2
    )
    assert len(partial.tokens) >= two_seconds_before["tokens"] > 0
    assert partial.text

    question, unanswered = reader.messages
    assert question.text == QUESTION
    assert question.attachments[0].text == logbook(115)
    assert (unanswered.text, unanswered.state) == ("", MessageState.STOPPED)

    assert drafter.messages == []
    assert drafter.draft.text == DRAFT
    assert application.front is not None
    assert application.front.conversation_id == ids[2]


def test_a_paste_that_was_being_read_can_be_asked_for_again(
    application: Application, loop: QEventLoop, until: Until
) -> None:
    reader = loop.run_until_complete(application.workspace.open(application.window.tab_order()[1]))
    assert reader.unanswered
    reader.retry()
    assert reader.busy
    reader.stop()
