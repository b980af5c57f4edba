"""A backend without a model: its tokens depend on everything fed to a stream, in order."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.api import Event, Filling, Finished, Request, Sampling, Text
from engine.backend import Cap, ModelFacts
from engine.cache.kept import Kept, KeptStates
from engine.errors import ReplyError
from engine.fill import plan_cuts

__all__ = ["FakeBackend", "FakeClock", "Recorder", "decode", "expected_reply"]

VOCABULARY = 1000
END = 999


class FakeClock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def decode(tokens: Sequence[int]) -> str:
    return "".join(f"[{token}]" for token in tokens)


def next_token(fed: Sequence[tuple[int, int]], seed: int) -> int:
    """Any wrong, missing, doubled or misplaced token in the history changes it."""
    digest = hashlib.blake2b(repr((tuple(fed), seed)).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") % END


def expected_reply(prompt: Sequence[int], count: int, caps: Sequence[Cap], seed: int = 0) -> list[int]:
    """What a stream that is alone, fresh and read whole draws: tokens and cuts both matter."""
    fed = _fed_prompt(prompt, plan_cuts(len(prompt) - 1, caps))
    reply: list[int] = []
    token = prompt[-1]
    for _ in range(count):
        fed.append((token, -1))
        token = next_token(fed, seed)
        reply.append(token)
    return reply


def _fed_prompt(prompt: Sequence[int], cuts: Sequence[int]) -> list[tuple[int, int]]:
    """Each token with the end of the chunk that fed it."""
    fed: list[tuple[int, int]] = []
    for cut in cuts:
        fed += [(token, cut) for token in prompt[len(fed) : cut]]
    return fed


@dataclass
class FakeRow:
    prompt: tuple[int, ...]
    cuts: tuple[int, ...]
    seed: int
    fed: list[tuple[int, int]]
    last: int | None = None
    submitted: bool = False


@dataclass
class FakeBackend:
    """Attributes: `calls`, what was asked, in order; `on_chunk`, `on_step`, run inside the call, for
    costs and faults; `trimmable`, whether kept states can be cut back; `ahead`, whether a stream's first
    step only submits."""

    facts: ModelFacts = field(
        default_factory=lambda: ModelFacts(4096, VOCABULARY, frozenset({END}), (Cap(0, 16),))
    )
    trimmable: bool = True
    ahead: bool = False
    kept_bytes: int = 1 << 20
    on_chunk: Callable[[int], None] = lambda id: None
    on_step: Callable[[Sequence[int]], None] = lambda ids: None
    scripts: dict[int, list[int | ReplyError]] = field(default_factory=dict)
    calls: list[tuple[str, object]] = field(default_factory=list)
    rows: dict[int, FakeRow] = field(default_factory=dict)
    closed: bool = False

    def __post_init__(self) -> None:
        self.kept: KeptStates[list[tuple[int, int]]] = KeptStates(self.kept_bytes)

    def open(self, id: int, prompt: Sequence[int], sampling: Sampling, cuts: Sequence[int]) -> int:
        assert id not in self.rows, "an id is opened once"
        found = self.kept.find(tuple(prompt), cuts)
        at = found[1] if found else 0
        fed = list(found[0].state[:at]) if found else []
        self.rows[id] = FakeRow(tuple(prompt), tuple(cuts), sampling.seed, fed)
        self.calls.append(("open", id))
        return at

    def prefill_step(self, id: int, end: int) -> None:
        row = self.rows[id]
        assert len(row.fed) < end < len(row.prompt), "a chunk ends after its start, before the last token"
        self.calls.append(("chunk", (id, end)))
        self.on_chunk(id)
        row.fed += [(token, end) for token in row.prompt[len(row.fed) : end]]

    def cancel_prefill(self, id: int) -> int:
        row = self.rows.pop(id)
        self.calls.append(("cancel", id))
        self._keep(row)
        return len(row.fed)

    def step(self, ids: Sequence[int]) -> list[int | ReplyError | None]:
        self.calls.append(("step", tuple(ids)))
        self.on_step(ids)
        return [self._draw(id) for id in ids]

    def release(self, id: int, keep: bool) -> None:
        row = self.rows.pop(id)
        self.calls.append(("release", id))
        if keep and len(row.fed) >= len(row.prompt) - 1:
            row.fed = row.fed[: len(row.prompt) - 1]
            self._keep(row)

    def reset(self) -> None:
        self.calls.append(("reset", None))
        self.rows.clear()
        self.kept.clear()

    def close(self) -> None:
        self.rows.clear()
        self.kept.clear()
        self.closed = True

    def _draw(self, id: int) -> int | ReplyError | None:
        row = self.rows[id]
        assert len(row.fed) >= len(row.prompt) - 1, "a step before the prompt was read"
        if self.ahead and not row.submitted:
            row.submitted = True
            return None
        if script := self.scripts.get(id):
            return script.pop(0)
        row.fed.append((row.prompt[-1] if row.last is None else row.last, -1))
        row.last = next_token(row.fed, row.seed)
        return row.last

    def _keep(self, row: FakeRow) -> None:
        if row.fed:
            at = len(row.fed)
            cuts = tuple(cut for cut in row.cuts if cut <= at)
            self.kept.keep(Kept(row.prompt[:at], cuts, row.fed, self.trimmable, at))


@dataclass
class Recorder:
    """A sink that remembers. Attributes: `events`, in order; `done`, a callback on Finished."""

    events: list[Event] = field(default_factory=list)
    done: Callable[[], None] = lambda: None

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Finished):
            self.done()

    def of(self, id: int) -> list[Event]:
        return [event for event in self.events if event.id == id]

    def tokens(self, id: int) -> list[int]:
        return [token for event in self.of(id) if isinstance(event, Text) for token in event.tokens]

    def text(self, id: int) -> str:
        return "".join(event.text for event in self.of(id) if isinstance(event, Text))

    def fills(self, id: int) -> list[int]:
        return [event.done for event in self.of(id) if isinstance(event, Filling)]

    def finished(self, id: int) -> Finished:
        (last,) = (event for event in self.of(id) if isinstance(event, Finished))
        assert self.of(id)[-1] is last, "Finished comes last"
        return last


def ask(prompt: Sequence[int], **settings: object) -> Request:
    return Request(prompt=prompt, **settings)  # type: ignore[arg-type]
