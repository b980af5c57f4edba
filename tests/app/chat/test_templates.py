"""What the chosen model is asked with: its own template, or what was chosen for it."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from qasync import QEventLoop

from app.chat.engine_slot import EngineSlot
from app.chat.templates import CHOICES, Templates, TemplateSource, TemplateView, template_for
from app.jobs import Jobs
from engine.api import Engine
from engine.errors import NoChatTemplate
from tests.fake_engine import ScriptedEngine

Until = Callable[[Callable[[], object]], None]

BASE = "base is a base model: it has no chat template."
MODEL = Path("/models/base")


class Bench:
    """A model without a template, until `fetched` holds one.

    Attributes: `kept`, the choices; `seen`, what was shown; `go_on`, set when a fetch may end.
    """

    def __init__(self) -> None:
        self.kept: Mapping[str, str] = {"/models/other": "plain"}
        self.seen: list[TemplateView | None] = []
        self.fetched: list[tuple[Path, str]] = []
        self.go_on = threading.Event()
        self.refusal: NoChatTemplate | None = None
        self.jobs = Jobs()
        self.engines = EngineSlot(self.open, self.jobs)
        self.templates = Templates(
            self.engines,
            self.jobs,
            TemplateSource(lambda model: "org/base", self.fetch),
            lambda: self.kept,
            self.keep,
        )
        self.templates.changed.connect(self.seen.append)

    def open(self, path: Path, cancelled: Callable[[], bool]) -> Engine:
        missing = path == MODEL and not self.fetched
        return ScriptedEngine(path.name, template_problem=NoChatTemplate(BASE) if missing else None)

    def fetch(self, model: Path, repository: str) -> None:
        self.go_on.wait(10)
        if self.refusal is not None:
            raise self.refusal
        self.fetched.append((model, repository))

    def keep(self, chosen: Mapping[str, str]) -> None:
        self.kept = chosen

    def ready(self, loop: QEventLoop, model: Path = MODEL) -> Engine:
        async def choose() -> Engine:
            self.engines.choose(model)
            return await self.engines.engine()

        return loop.run_until_complete(choose())

    def name(self, engine: Engine) -> str:
        return template_for(engine, self.engines.path, self.kept)


@pytest.fixture
def bench(loop: QEventLoop) -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.go_on.set()
    loop.run_until_complete(bench.engines.close())
    bench.jobs.close()


def test_t01_a_base_model_is_told_with_the_choices(loop: QEventLoop, bench: Bench) -> None:
    bench.ready(loop)
    assert bench.templates.view == bench.seen[-1] == TemplateView(BASE, CHOICES, "org/base")


def test_t01_a_choice_is_kept_for_its_model_and_can_be_taken_back(loop: QEventLoop, bench: Bench) -> None:
    engine = bench.ready(loop)
    assert bench.name(engine) == ""
    bench.templates.choose("chatml")
    assert bench.kept == {"/models/other": "plain", "/models/base": "chatml"}
    assert bench.seen[-1] == TemplateView("Using ChatML.")
    assert bench.name(engine) == "chatml"
    bench.templates.choose("")
    assert bench.kept == {"/models/other": "plain"}
    assert bench.seen[-1] == TemplateView(BASE, CHOICES, "org/base")


def test_a_model_whose_own_template_works_is_asked_with_it(loop: QEventLoop, bench: Bench) -> None:
    engine = bench.ready(loop, Path("/models/other"))
    assert bench.templates.view is None
    assert bench.name(engine) == ""


def test_the_notice_goes_while_another_model_loads(loop: QEventLoop, bench: Bench) -> None:
    bench.ready(loop)
    bench.ready(loop, Path("/models/good"))
    assert bench.seen[-2:] == [None, None]


def test_t02_a_fetched_template_is_used_at_once(loop: QEventLoop, bench: Bench, until: Until) -> None:
    bench.ready(loop)
    fetching = asyncio.ensure_future(bench.templates.fetch(), loop=loop)
    until(lambda: bench.seen[-1] == TemplateView(BASE, CHOICES, "org/base", fetching=True))
    bench.go_on.set()
    loop.run_until_complete(fetching)
    engine = loop.run_until_complete(bench.engines.engine())
    assert bench.fetched == [(MODEL, "org/base")]
    assert engine.template_problem is None
    assert bench.templates.view is None


def test_t02_a_fetch_that_fails_can_be_tried_again(loop: QEventLoop, bench: Bench) -> None:
    bench.ready(loop)
    bench.go_on.set()
    bench.refusal = NoChatTemplate("org/base has no template.")
    with pytest.raises(NoChatTemplate):
        loop.run_until_complete(bench.templates.fetch())
    assert bench.seen[-1] == TemplateView(BASE, CHOICES, "org/base", fetching=False)
