import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.bridge import Bridge
from engine.api import Event, Filling, Finished, Sink, Text, Usage


@dataclass
class FakeLoop:
    """A loop whose clock and turns are the test's."""

    now: float = 100.0
    soon: list[Callable[[], None]] = field(default_factory=list)
    later: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False

    def time(self) -> float:
        return self.now

    def call_soon_threadsafe(self, call: Callable[[], None]) -> None:
        if self.closed:
            raise RuntimeError("Event loop is closed")
        self.soon.append(call)

    def call_at(self, when: float, call: Callable[[], None]) -> None:
        self.later.append((when, call))

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.errors.append(context)

    @property
    def pending(self) -> int:
        return len(self.soon) + len(self.later)

    def turn(self) -> None:
        """One turn of the loop: what was asked for soon, and what is due."""
        calls, self.soon = self.soon, []
        calls += [call for when, call in self.later if when <= self.now]
        self.later = [(when, call) for when, call in self.later if when > self.now]
        for call in calls:
            call()


def bridge_on(loop: FakeLoop) -> Bridge:
    return Bridge(loop, deliver_every=0.5)  # type: ignore[arg-type]


def text(id: int, word: str, *tokens: int) -> Text:
    return Text(id, word, tokens)


def finished(id: int) -> Finished:
    return Finished(id, "stop", Usage())


def put_all(sink: Sink, *events: Event) -> None:
    for event in events:
        sink(event)


def test_the_first_event_is_delivered_at_once_and_never_inside_the_sink() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    bridge_on(loop).sink(seen.append)(text(1, "a", 5))
    assert seen == []
    loop.turn()
    assert seen == [text(1, "a", 5)]


def test_texts_that_wait_together_arrive_as_one() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    put_all(bridge_on(loop).sink(seen.append), text(1, "a", 5), text(1, ""), text(1, "b", 6, 7), finished(1))
    loop.turn()
    assert seen == [text(1, "ab", 5, 6, 7), finished(1)]


def test_s09_thinking_that_waits_together_arrives_as_one_apart_from_the_text() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    pieces = (Text(1, "", (5,), "pl"), Text(1, "", (6,), "an"), Text(1, "four", (7, 8)))
    put_all(bridge_on(loop).sink(seen.append), *pieces)
    loop.turn()
    assert seen == [Text(1, "four", (5, 6, 7, 8), "plan")]


def test_only_the_newest_of_readings_in_a_row_arrives() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    readings = [Filling(1, done, 100, 10) for done in range(10, 101, 10)]
    put_all(bridge_on(loop).sink(seen.append), *readings, text(1, "a", 5), readings[0], readings[1])
    loop.turn()
    assert seen == [readings[-1], text(1, "a", 5), readings[1]]


def test_replies_that_alternate_are_merged_each_for_itself() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    sink = bridge_on(loop).sink(seen.append)
    for number in range(3):
        put_all(sink, text(1, "a", number), text(2, "b", number))
    put_all(sink, finished(2), finished(1))
    loop.turn()
    assert seen == [text(1, "aaa", 0, 1, 2), finished(1), text(2, "bbb", 0, 1, 2), finished(2)]


def test_the_same_id_of_two_engines_is_two_replies() -> None:
    loop = FakeLoop()
    first: list[Event] = []
    second: list[Event] = []
    bridge = bridge_on(loop)
    sinks = bridge.sink(first.append), bridge.sink(second.append)
    for sink, word in zip(sinks, "ab", strict=True):
        put_all(sink, text(1, word, 5), text(1, word, 6))
    loop.turn()
    assert (first, second) == ([text(1, "aa", 5, 6)], [text(1, "bb", 5, 6)])


def test_at_most_one_call_is_pending_however_many_events_come() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    bridge = bridge_on(loop)
    sinks = [bridge.sink(seen.append) for _ in range(3)]
    for turn in range(4):
        for sink in sinks * 50:
            sink(text(1, "a", 5))
            assert loop.pending == 1
        loop.now += 0.1 * turn
        loop.turn()
        assert loop.pending <= 1


def test_between_deliveries_the_window_has_its_time() -> None:
    loop = FakeLoop()
    seen: list[Event] = []

    def slow(event: Event) -> None:
        seen.append(event)
        loop.now += 3.0

    sink = bridge_on(loop).sink(slow)
    sink(text(1, "a", 5))
    loop.turn()
    sink(text(1, "b", 6))
    loop.turn()
    loop.now += 0.4
    loop.turn()
    sink(text(1, "c", 7))
    assert seen == [text(1, "a", 5)]
    loop.now += 0.11
    loop.turn()
    assert seen == [text(1, "a", 5), text(1, "bc", 6, 7)]
    assert loop.pending == 0


def test_after_a_pause_an_event_is_delivered_at_once() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    sink = bridge_on(loop).sink(seen.append)
    for word in "ab":
        sink(text(1, word, 5))
        loop.turn()
        loop.now += 0.6
    assert seen == [text(1, "a", 5), text(1, "b", 5)]


def test_a_receiver_that_fails_does_not_stop_the_others() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    bridge = bridge_on(loop)

    def fail(event: Event) -> None:
        raise ZeroDivisionError

    for id, receiver in enumerate((fail, seen.append)):
        put_all(bridge.sink(receiver), text(id, "a", 5), finished(id))
    loop.turn()
    assert seen == [text(1, "a", 5), finished(1)]
    assert [type(error["exception"]) for error in loop.errors] == [ZeroDivisionError] * 2
    bridge.sink(seen.append)(finished(3))
    loop.now += 1
    loop.turn()
    assert seen[-1] == finished(3)


def test_after_close_events_are_dropped() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    bridge = bridge_on(loop)
    sink = bridge.sink(seen.append)
    sink(text(1, "a", 5))
    bridge.close()
    sink(finished(1))
    loop.turn()
    assert (seen, loop.pending) == ([], 0)


def test_a_receiver_may_close_the_bridge() -> None:
    loop = FakeLoop()
    seen: list[Event] = []
    bridge = bridge_on(loop)

    def receive(event: Event) -> None:
        seen.append(event)
        bridge.close()

    put_all(bridge.sink(receive), text(1, "a", 5), finished(1))
    loop.turn()
    assert seen == [text(1, "a", 5)]


def test_an_engine_that_outlives_the_loop_is_not_disturbed() -> None:
    loop = FakeLoop(closed=True)
    sink = bridge_on(loop).sink(lambda event: None)
    put_all(sink, text(1, "a", 5), finished(1))
    assert loop.pending == 0


def test_ten_thousand_events_of_four_threads_arrive_in_order_on_the_loops_thread() -> None:
    threads, each = 4, 2_500
    seen: dict[int, list[Event]] = {id: [] for id in range(threads)}
    callers = set()

    async def main() -> None:
        bridge, all_finished = Bridge(asyncio.get_running_loop(), deliver_every=0.002), asyncio.Event()

        def receive(event: Event) -> None:
            callers.add(threading.get_ident())
            seen[event.id].append(event)
            if all(events and isinstance(events[-1], Finished) for events in seen.values()):
                all_finished.set()

        lanes = [threading.Thread(target=speak, args=(bridge.sink(receive), id)) for id in seen]
        for lane in lanes:
            lane.start()
        await asyncio.wait_for(all_finished.wait(), 30)
        for lane in lanes:
            lane.join()

    def speak(sink: Sink, id: int) -> None:
        for number in range(each - 1):
            sink(text(id, f"{number} ", number))
        sink(finished(id))

    asyncio.run(main())
    assert callers == {threading.get_ident()}
    for events in seen.values():
        texts = [event for event in events if isinstance(event, Text)]
        assert events == [*texts, finished(events[0].id)]
        assert [token for event in texts for token in event.tokens] == list(range(each - 1))
        assert "".join(event.text for event in texts) == "".join(f"{n} " for n in range(each - 1))
        assert len(texts) < each - 1
