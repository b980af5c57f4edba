"""The wiring: storage, engine, sessions and the window, from the start of the program to its end."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.bridge import Bridge
from app.chat.engine_slot import EngineSlot, Opener, SlotState
from app.chat.pace import Pace
from app.chat.templates import Templates, TemplateSource
from app.chat.tools import Tools
from app.chat.workspace import Workspace
from app.jobs import Jobs
from app.paths import Paths, demo_model
from app.problems import KnownError, Problem, explain
from app.records import LaneView
from app.settings import load_settings, save_settings
from app.storage.archive import DatabaseArchive
from app.storage.attachments import AttachmentFiles
from app.storage.database import Database
from app.ui.chat_tab import ChatTab
from app.ui.main_window import MainWindow
from engine import fetch_template, open_model, repository_of

__all__ = ["Application", "window"]

HUB = TemplateSource(repository_of, fetch_template)
MODEL_STATES = {"loading": "loading…", "ready": "ready", "failed": "not available"}
QUIT_NOTE = "Stopped: Interlace was closed."


class Application(QObject):
    """One run of the program over one data folder. Belongs to the loop's thread.

    Attributes: `window`; `workspace`.
    """

    def __init__(
        self, paths: Paths, default_model: Path, opener: Opener, source: TemplateSource = HUB
    ) -> None:
        super().__init__()
        loop = asyncio.get_running_loop()
        self._paths = paths
        self._default_model = default_model
        self._settings, self._settings_problem = load_settings(paths.settings)
        self._jobs = Jobs()
        self._bridge = Bridge(loop)
        self._database = Database(paths.database, partial(self._storage_failed, loop))
        self._archive = DatabaseArchive(self._database, AttachmentFiles(paths.attachments))
        self._engines = EngineSlot(opener, self._jobs)
        self._templates = Templates(
            self._engines,
            self._jobs,
            source,
            lambda: self._settings.templates,
            lambda templates: self._set(templates=templates),
        )
        tools = Tools(
            archive=self._archive,
            engines=self._engines,
            bridge=self._bridge,
            jobs=self._jobs,
            settings=lambda: self._settings,
            pace=Pace(),
        )
        self.workspace = Workspace(self._archive, tools)
        self.window = MainWindow()
        self._model = SlotState("", "loading")
        self._tasks: set[asyncio.Task[None]] = set()
        self._quitting = asyncio.Event()
        self._restored = False
        self._connect()

    @property
    def front(self) -> ChatTab | None:
        """The tab that is shown."""
        tabs = self.window.tabs
        return tabs.tab(tabs.currentIndex()) if tabs.count() else None

    async def start(self) -> None:
        """Shows the window with what stood open, and begins to load the model."""
        self.window.show_sidebar(self._settings.sidebar)
        self.window.show()
        if self._settings_problem is not None:
            self._show(self._settings_problem)
        model = self._settings.model
        self._engines.choose(Path(model) if model else self._default_model)
        try:
            await self._restore()
        except Exception as error:  # The top of the start: the window works without what was stored.
            self._show(explain(error))
        if not self.window.tab_order():
            self._new_chat()

    async def quit(self) -> None:
        """Returns when the user wants to quit."""
        await self._quitting.wait()

    async def close(self) -> None:
        """Ends the replies, the engine and the storage, in this order."""
        self._save_tabs()
        self._archive.save_geometry(bytes(self.window.saveGeometry().data()))
        self.window.hide()  # A hidden composer tells its draft.
        self.workspace.abandon(QUIT_NOTE)
        self._bridge.close()
        await self._engines.close()
        for task in self._tasks:
            task.cancel()
        self._jobs.close()
        self._database.close()

    async def _restore(self) -> None:
        tabs, geometry = await self._archive.recover()
        self.window.restoreGeometry(geometry)
        await self.workspace.load()
        for id in tabs.conversations:
            await self._open(id, focus=id == tabs.focused)
        self._restored = True  # Before, saving the tabs would forget those that stood open.
        self._save_tabs()

    def _connect(self) -> None:
        window = self.window
        window.new_chat_requested.connect(self._new_chat)
        window.close_tab_requested.connect(self._close_tab)
        window.open_conversation_requested.connect(lambda id: self._spawn(self._open(id, focus=True)))
        window.rename_requested.connect(self.workspace.rename)
        window.delete_requested.connect(self._delete)
        window.model_chosen.connect(self._choose_model)
        window.sidebar_toggled.connect(lambda shown: self._set(sidebar=shown))
        window.tab_focused.connect(self._focused)
        window.tabs_changed.connect(self._save_tabs)
        window.quit_requested.connect(self._quitting.set)
        window.closed.connect(self._quitting.set)
        self.workspace.changed.connect(window.set_conversations)
        self._engines.changed.connect(self._show_model)
        self._templates.changed.connect(window.show_template)
        window.template_chosen.connect(self._templates.choose)
        window.template_fetch_requested.connect(lambda: self._spawn(self._templates.fetch()))
        window.lane.asked.connect(self._show_lane)

    def _new_chat(self) -> None:
        self.window.add_tab(self.workspace.new(), focus=True)

    async def _open(self, id: str, focus: bool) -> None:
        session = await self.workspace.open(id)
        if session is not None:
            self.window.add_tab(session, focus=focus)

    def _close_tab(self, id: str) -> None:
        self.window.remove_tab(id)
        self.workspace.leave(id)

    def _delete(self, id: str) -> None:
        self.window.remove_tab(id)
        self.workspace.delete(id)

    def _choose_model(self, path: str) -> None:
        self._engines.choose(Path(path))
        self._set(model=path)

    def _show_lane(self) -> None:
        self.window.lane.show_lane(LaneView(self._model.name, self._model.sharing, self.workspace.replies))

    def _show_model(self, state: SlotState) -> None:
        self._model = state
        self.window.set_model(state.name, MODEL_STATES[state.state])
        if state.problem is not None:
            self._show(state.problem)

    def _set(self, **changes: Any) -> None:
        self._settings = replace(self._settings, **changes)
        try:
            save_settings(self._paths.settings, self._settings)
        except KnownError as error:
            self._show(explain(error))

    def _focused(self, id: str) -> None:
        self.workspace.focus(id)
        self._save_tabs()

    def _save_tabs(self) -> None:
        if self._restored:
            front = self.front
            self._archive.save_tabs(self.window.tab_order(), front.conversation_id if front else None)

    def _storage_failed(self, loop: asyncio.AbstractEventLoop, error: BaseException) -> None:
        """Called on the database's thread."""
        loop.call_soon_threadsafe(self._show, explain(error))

    def _show(self, problem: Problem) -> None:
        self.window.show_problem(problem.sentence, problem.action)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._show(explain(error))


async def window(paths: Paths) -> int:
    """The program as a user runs it: returns the exit code when the window was closed."""
    application = Application(paths, demo_model(), partial(open_model, cache=paths.cache))
    try:
        await application.start()
        await application.quit()
    finally:
        await application.close()
    return 0
