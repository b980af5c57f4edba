"""The lane's thread: every submit ends in one Finished, whatever happens, and the next one works."""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from engine.api import Event, Filling, Finished
from engine.backend import Backend, Cap
from engine.errors import InvalidNumbers, LaneClosed, LaneFailed, LoadCancelled, ModelMissing, PromptTooLong
from engine.lane import Lane
from engine.text import TextOf
from tests.fakes import FakeBackend, Recorder, ask, decode, expected_reply

CAPS = (Cap(0, 16),)
WAIT = 20


class Waiting(Recorder):
    """A sink one can wait on."""

    def __init__(self) -> None:
        self.ended = threading.Semaphore(0)
        super().__init__(done=self.ended.release)

    def wait(self) -> None:
        assert self.ended.acquire(timeout=WAIT)


def lane_over(backend: Backend) -> Lane:
    lane = Lane(lambda closing: (backend, TextOf(decode)))
    lane.wait_ready()
    return lane


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def lane(backend: FakeBackend) -> Iterator[Lane]:
    lane = lane_over(backend)
    yield lane
    lane.close()


def reply(lane: Lane, prompt: list[int], count: int = 5) -> tuple[int, Waiting]:
    sink = Waiting()
    return lane.submit(ask(prompt, max_tokens=count), prompt, sink), sink


def test_a_reply_is_streamed_and_finished(lane: Lane) -> None:
    id, sink = reply(lane, list(range(40)))
    sink.wait()
    assert sink.tokens(id) == expected_reply(list(range(40)), 5, CAPS)
    assert sink.finished(id).usage.first_token is not None


def test_everything_runs_on_one_thread(backend: FakeBackend) -> None:
    threads: set[int] = set()
    backend.on_chunk = lambda id: threads.add(threading.get_ident())
    backend.on_step = lambda ids: threads.add(threading.get_ident())
    lane = lane_over(backend)
    seen: list[int] = []
    done = threading.Event()

    def sink(event: Event) -> None:
        seen.append(threading.get_ident())
        if isinstance(event, Finished):
            done.set()

    lane.submit(ask([1] * 40, max_tokens=3), [1] * 40, sink)
    assert done.wait(WAIT)
    lane.close()
    assert len(threads | set(seen)) == 1
    assert threading.get_ident() not in threads


def test_a_cancel_given_during_the_last_chunk_yields_no_token(backend: FakeBackend) -> None:
    lane = lane_over(backend)
    backend.on_chunk = lambda id: lane.leave(id, keep=True)
    id, sink = reply(lane, list(range(10)))
    sink.wait()
    lane.close()
    assert sink.finished(id).reason == "cancelled"
    assert sink.tokens(id) == []
    assert [kind for kind, _ in backend.calls] == ["open", "chunk", "release"]


def test_l07_no_chunk_starts_after_the_click(backend: FakeBackend) -> None:
    lane = lane_over(backend)
    clicked = []

    def click(id: int) -> None:
        if len([1 for kind, _ in backend.calls if kind == "chunk"]) == 3:
            lane.leave(id, keep=True)
            clicked.append(id)

    backend.on_chunk = click
    id, sink = reply(lane, list(range(200)))
    sink.wait()
    lane.close()
    assert clicked == [id]
    assert sink.fills(id)[-1] == 48
    assert sink.finished(id).usage.read == 48


def test_c03_parallel_replies_are_each_what_they_are_alone(lane: Lane) -> None:
    prompts = [list(range(5)), list(range(60)), list(range(3, 303))]
    asked = [reply(lane, prompt, 30) for prompt in prompts]
    lane.leave(asked[1][0], keep=True)
    for _, sink in asked:
        sink.wait()
    for (id, sink), prompt in zip(asked, prompts, strict=True):
        alone = expected_reply(prompt, 30, CAPS)
        tokens = sink.tokens(id)
        assert tokens == (alone if sink.finished(id).reason == "length" else alone[: len(tokens)])
    assert asked[0][1].finished(asked[0][0]).reason == "length"
    assert asked[2][1].finished(asked[2][0]).reason == "length"


def test_a_refused_request_fails_alone_in_its_own_words(lane: Lane) -> None:
    good, sink = reply(lane, list(range(40)), 20)
    long, refused = reply(lane, [1] * 5000)
    unrendered = Waiting()
    third = lane.refuse(InvalidNumbers(), unrendered)
    for waiting in (sink, refused, unrendered):
        waiting.wait()
    assert isinstance(refused.finished(long).error, PromptTooLong)
    assert isinstance(unrendered.finished(third).error, InvalidNumbers)
    assert refused.of(long) == [refused.finished(long)]
    assert sink.tokens(good) == expected_reply(list(range(40)), 20, CAPS)


@pytest.mark.parametrize("fault", ["chunk", "step"])
def test_a_failing_round_ends_its_streams_and_the_next_send_works(backend: FakeBackend, fault: str) -> None:
    def fail(_: object) -> None:
        backend.on_chunk = backend.on_step = lambda _: None
        raise RuntimeError("out of memory")

    setattr(backend, f"on_{fault}", fail)
    lane = lane_over(backend)
    id, sink = reply(lane, list(range(40)))
    sink.wait()
    error = sink.finished(id).error
    assert isinstance(error, LaneFailed)
    assert "out of memory" in str(error)
    assert ("reset", None) in backend.calls
    again, sink = reply(lane, list(range(40)))
    sink.wait()
    lane.close()
    assert sink.tokens(again) == expected_reply(list(range(40)), 5, CAPS)


def test_a_lane_that_cannot_be_rebuilt_says_so(backend: FakeBackend) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("device lost")

    backend.on_step = fail
    backend.reset = fail  # type: ignore[method-assign]
    lane = lane_over(backend)
    id, sink = reply(lane, [1, 2, 3])
    sink.wait()
    assert sink.finished(id).reason == "error"
    lane.close()
    with pytest.raises(LaneFailed, match="device lost"):
        reply(lane, [1, 2, 3])


def test_a_raising_sink_hurts_no_one(lane: Lane) -> None:
    def broken(event: Event) -> None:
        raise ValueError("sink")

    lane.submit(ask([1] * 30, max_tokens=3), [1] * 30, broken)
    id, sink = reply(lane, list(range(40)))
    sink.wait()
    assert sink.tokens(id) == expected_reply(list(range(40)), 5, CAPS)


def test_a_sink_may_ask_for_more(lane: Lane) -> None:
    second = Waiting()
    ids: list[int] = []

    def chain(event: Event) -> None:
        if isinstance(event, Finished):
            ids.append(lane.submit(ask([4, 5], max_tokens=2), [4, 5], second))

    lane.submit(ask([1, 2, 3], max_tokens=2), [1, 2, 3], chain)
    second.wait()
    assert second.tokens(ids[0]) == expected_reply([4, 5], 2, CAPS)


@pytest.mark.parametrize("moment", ["filling", "decoding"])
def test_closing_ends_every_reply_once(backend: FakeBackend, moment: str) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        reached.set()
        assert go_on.wait(WAIT)

    if moment == "filling":
        backend.on_chunk = hold
    else:
        backend.on_step = hold
    lane = lane_over(backend)
    sinks = [reply(lane, list(range(40)), 1000) for _ in range(3)]
    assert reached.wait(WAIT)
    closer = threading.Thread(target=lane.close)
    closer.start()
    while not lane._closing:
        pass
    go_on.set()
    closer.join(WAIT)
    assert not closer.is_alive()
    assert backend.closed
    for id, sink in sinks:
        assert sink.finished(id).reason == "closed"
    with pytest.raises(LaneClosed):
        reply(lane, [1])


def test_a_failed_load_is_told_to_the_opener_and_to_those_who_waited() -> None:
    go_on = threading.Event()

    def open_backend(closing: Callable[[], bool]) -> tuple[Backend, TextOf]:
        assert go_on.wait(WAIT)
        raise ModelMissing("There is no model at /nowhere.")

    lane = Lane(open_backend)
    assert lane.status().loading
    id, sink = reply(lane, [1, 2])
    go_on.set()
    sink.wait()
    assert isinstance(sink.finished(id).error, ModelMissing)
    with pytest.raises(ModelMissing):
        lane.wait_ready()
    with pytest.raises(ModelMissing):
        reply(lane, [1])
    lane.close()


def test_c07_closing_while_loading_gives_the_load_up() -> None:
    loading = threading.Event()

    def open_backend(closing: Callable[[], bool]) -> tuple[Backend, TextOf]:
        loading.set()
        while not closing():
            pass
        raise LoadCancelled("Loading was cancelled.")

    lane = Lane(open_backend)
    assert loading.wait(WAIT)
    id, sink = reply(lane, [1, 2])
    lane.close()
    assert sink.finished(id).reason == "error"
    assert isinstance(sink.finished(id).error, LoadCancelled)
    assert not lane._thread.is_alive()


def test_submits_that_race_with_closing_end_too() -> None:
    for _ in range(20):
        lane = lane_over(FakeBackend())
        asked: list[tuple[int, Waiting]] = []

        def submit_until_closed(lane: Lane = lane, asked: list[tuple[int, Waiting]] = asked) -> None:
            try:
                while True:
                    asked.append(reply(lane, [1, 2, 3], 2))
            except LaneClosed:
                pass

        threads = [threading.Thread(target=submit_until_closed) for _ in range(3)]
        for thread in threads:
            thread.start()
        lane.close()
        for thread in threads:
            thread.join(WAIT)
        for id, sink in asked:
            sink.finished(id)


def test_the_status_follows_the_rounds(backend: FakeBackend) -> None:
    seen = []
    lane = lane_over(backend)
    backend.on_step = lambda ids: seen.append(lane.status().streams)
    _, sink = reply(lane, list(range(40)), 3)
    sink.wait()
    lane.close()
    assert [(s.phase, s.generated) for status in seen for s in status][-1] == ("decoding", 2)


def test_c01_a_paste_delays_another_stream_by_one_chunk_and_one_step() -> None:
    """Fake time: 20 ms a token, 300 ms a chunk of 512; the paste has 20,000 tokens."""
    from engine.backend import ModelFacts
    from engine.rounds import Rounds
    from tests.fakes import END, FakeClock

    clock = FakeClock()
    backend = FakeBackend(ModelFacts(65536, 1000, frozenset({END}), (Cap(0, 512),)))

    def cost(seconds: float) -> Callable[[object], None]:
        def spend(_: object) -> None:
            clock.now += seconds

        return spend

    backend.on_chunk, backend.on_step = cost(0.3), cost(0.02)
    rounds = Rounds(backend, TextOf(decode), clock)
    times: list[float] = []
    firsts: list[float] = []

    def play() -> None:
        for event in [*rounds.fill(), *rounds.step()]:
            if isinstance(event, Finished):
                continue
            if event.id == 1 and not isinstance(event, Filling):
                times.append(clock.now)
            if event.id > 1 and not isinstance(event, Filling):
                firsts.append(clock.now)

    short = [1, 2, 3]
    rounds.admit(1, ask(short, max_tokens=3000), short, clock.now)
    play()
    paste = [position % 900 for position in range(20_000)]
    started = clock.now
    rounds.admit(2, ask(paste, max_tokens=1), paste, clock.now)
    second = [position % 800 for position in range(20_000)]
    rounds.admit(3, ask(second, max_tokens=1), second, clock.now)
    while len(firsts) < 2:
        play()
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert max(gaps) <= 0.35
    alone = 0.3 * 40 + 0.02
    assert firsts[0] - started <= 1.3 * alone


def test_a_request_whose_admission_fails_is_answered_too(backend: FakeBackend) -> None:
    opened = backend.open

    def fail(*arguments: object) -> int:
        backend.open = opened  # type: ignore[method-assign]
        raise RuntimeError("no memory for a cache")

    backend.open = fail  # type: ignore[method-assign]
    lane = lane_over(backend)
    id, sink = reply(lane, list(range(40)))
    sink.wait()
    assert isinstance(sink.finished(id).error, LaneFailed)
    again, sink = reply(lane, list(range(40)))
    sink.wait()
    lane.close()
    assert sink.tokens(again) == expected_reply(list(range(40)), 5, CAPS)


def test_a_step_that_fails_after_another_stream_ended_answers_both() -> None:
    """The first stream ends in the very step in which decoding the second one's token fails."""
    backend = FakeBackend(ahead=False)
    held = threading.Event()
    backend.on_chunk = lambda id: held.wait(WAIT) and None
    backend.scripts = {1: [5], 2: [6]}

    def failing(tokens: Sequence[int]) -> str:
        if 6 in tokens:
            raise RuntimeError("no such token")
        return decode(tokens)

    lane = Lane(lambda closing: (backend, TextOf(failing)))
    lane.wait_ready()
    asked = [reply(lane, [1, 2, 3], 1), reply(lane, [4, 5, 6], 1)]
    held.set()
    for _, sink in asked:
        sink.wait()
    assert isinstance(asked[1][1].finished(asked[1][0]).error, LaneFailed)
    assert lane.status().streams == ()
    lane.close()


def test_a_lane_whose_thread_is_ended_from_inside_answers_and_takes_no_more(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    lane = lane_over(backend)
    waiting = Waiting()

    def exiting(event: Event) -> None:
        if isinstance(event, Filling):
            raise SystemExit

    second = lane.submit(ask([1] * 30), [1] * 30, waiting)
    lane.submit(ask([1] * 30), [1] * 30, exiting)
    waiting.wait()
    assert waiting.finished(second).reason in ("closed", "stop", "length")
    lane.close()
    with pytest.raises(LaneClosed):
        reply(lane, [1])
