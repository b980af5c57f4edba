"""What a round does: one chunk of one prompt, one token of every stream; nothing else changes a reply."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api import Filling, Priority, Text
from engine.backend import Cap, ModelFacts
from engine.errors import InvalidNumbers, PromptTooLong, TokenOutOfRange
from engine.rounds import PASSED_OVER_LIMIT, Rounds
from engine.text import TextOf
from engine.thinking.format import CHANNELS, ReplyFormat
from tests.fakes import END, FakeBackend, FakeClock, Recorder, ask, decode, expected_reply

CAPS = (Cap(0, 16),)


class Bench:
    """Rounds over a fake backend, with every event recorded."""

    def __init__(self, backend: FakeBackend | None = None) -> None:
        self.backend = backend or FakeBackend()
        self.clock = FakeClock()
        self.rounds = Rounds(self.backend, TextOf(decode), self.clock)
        self.seen = Recorder()

    def submit(self, id: int, prompt: Sequence[int], **settings: object) -> None:
        request = ask(prompt, **settings)
        self.record(self.rounds.admit(id, request, prompt, self.clock.now))

    def record(self, events: Sequence[object]) -> None:
        for event in events:
            self.seen(event)  # type: ignore[arg-type]

    def round(self) -> None:
        self.record(self.rounds.fill())
        self.record(self.rounds.step())

    def run(self) -> None:
        while len(self.rounds):
            self.round()

    def chunks(self) -> list[tuple[int, int]]:
        return [detail for kind, detail in self.backend.calls if kind == "chunk"]  # type: ignore[misc]


def prompt_of(length: int, salt: int = 0) -> list[int]:
    return [(position * 7 + salt) % 900 for position in range(length)]


def test_one_chunk_a_round_at_the_planned_cuts() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(50), max_tokens=1)
    for round in range(4):
        assert len(bench.chunks()) == round
        bench.round()
    assert bench.chunks() == [(1, 16), (1, 32), (1, 48), (1, 49)]


def test_only_one_prompt_advances_in_a_round() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(100), max_tokens=1)
    bench.submit(2, prompt_of(200, 3), max_tokens=1)
    while len(bench.rounds):
        before = len(bench.chunks())
        bench.round()
        assert len(bench.chunks()) - before <= 1


def test_shared_streams_commit_what_each_commits_alone() -> None:
    prompts = {1: prompt_of(5), 2: prompt_of(60, 1), 3: prompt_of(300, 2)}
    bench = Bench()
    for id, prompt in prompts.items():
        bench.submit(id, prompt, max_tokens=12)
        bench.round()
    bench.run()
    for id, prompt in prompts.items():
        assert bench.seen.tokens(id) == expected_reply(prompt, 12, CAPS)


def test_l07_a_cancel_between_chunks_keeps_the_last_chunks_end_and_the_resend_reuses_it() -> None:
    backend = FakeBackend(ModelFacts(4096, 1000, frozenset({END}), (Cap(0, 100),)))
    bench = Bench(backend)
    prompt = prompt_of(1000)
    bench.submit(1, prompt, max_tokens=20)
    for _ in range(3):
        bench.round()
    bench.record(bench.rounds.cancel(1))
    bench.run()
    assert bench.seen.finished(1).reason == "cancelled"
    assert bench.seen.fills(1) == [0, 100, 200, 300, 300]
    assert bench.seen.finished(1).usage.read == 300
    assert bench.chunks() == [(1, 100), (1, 200), (1, 300)]
    bench.submit(2, prompt, max_tokens=20)
    bench.run()
    assert bench.seen.finished(2).usage.reused == 300
    assert bench.chunks()[3] == (2, 400)
    assert bench.seen.tokens(2) == expected_reply(prompt, 20, (Cap(0, 100),))


@pytest.mark.parametrize("stop_after", range(1, 8))
@pytest.mark.parametrize("trimmable", [True, False])
def test_resumed_at_every_cut_is_fresh(stop_after: int, trimmable: bool) -> None:
    bench = Bench(FakeBackend(trimmable=trimmable))
    prompt = prompt_of(120)
    bench.submit(1, prompt, max_tokens=9)
    for _ in range(stop_after):
        bench.round()
    bench.record(bench.rounds.cancel(1))
    bench.submit(2, prompt, max_tokens=9)
    bench.run()
    assert bench.seen.finished(2).usage.reused == min(16 * stop_after, 119)
    assert bench.seen.tokens(2) == expected_reply(prompt, 9, CAPS)


def test_a_cancel_after_the_last_chunk_yields_no_token() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(33), max_tokens=5)
    for _ in range(2):
        bench.record(bench.rounds.fill())
    bench.record(bench.rounds.cancel(1))
    assert bench.seen.tokens(1) == []
    assert not [call for call in bench.backend.calls if call[0] == "step"]


def test_a_forgotten_stream_leaves_nothing_behind() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(100), max_tokens=5)
    bench.round()
    bench.record(bench.rounds.forget(1))
    assert bench.backend.rows == {}
    assert bench.backend.kept.bytes == 0
    assert bench.seen.finished(1).reason == "cancelled"
    bench.submit(1, prompt_of(40, 5), max_tokens=3)
    bench.run()
    assert bench.seen.tokens(1) == expected_reply(prompt_of(40, 5), 3, CAPS)


def test_the_next_turn_reads_only_from_the_last_common_cut() -> None:
    bench = Bench()
    first = prompt_of(100)
    bench.submit(1, first, max_tokens=4)
    bench.run()
    second = [*first, *bench.seen.tokens(1), *prompt_of(30, 9)]
    bench.submit(2, second, max_tokens=4)
    bench.run()
    assert bench.seen.finished(2).usage.reused == 96
    assert bench.seen.tokens(2) == expected_reply(second, 4, CAPS)


def test_a_continued_reply_goes_on_where_it_ended() -> None:
    prompt = prompt_of(40)
    bench = Bench()
    bench.submit(1, prompt, max_tokens=6)
    bench.run()
    bench.submit(2, prompt, continues=bench.seen.tokens(1), max_tokens=6)
    bench.run()
    assert bench.seen.finished(2).usage.prompt == 46
    assert bench.seen.tokens(2) == expected_reply([*prompt, *bench.seen.tokens(1)], 6, CAPS)


def test_l01_a_prompt_over_the_limit_is_refused_before_anything_is_read() -> None:
    bench = Bench()
    with pytest.raises(PromptTooLong) as refused:
        bench.submit(1, prompt_of(5000), max_tokens=5)
    assert (refused.value.tokens, refused.value.limit) == (5000, 4096)
    assert "5,000" in str(refused.value)
    assert "4,096" in str(refused.value)
    assert bench.backend.calls == []


def test_l02_the_context_is_never_exceeded() -> None:
    bench = Bench(FakeBackend(ModelFacts(256, 1000, frozenset({END}), CAPS)))
    bench.submit(1, prompt_of(250), max_tokens=100)
    bench.run()
    finished = bench.seen.finished(1)
    assert (finished.reason, finished.usage.generated) == ("context_full", 6)
    assert bench.seen.tokens(1) == expected_reply(prompt_of(250), 6, CAPS)


@pytest.mark.parametrize("token", [-3, 1000, 999999])
def test_k09_a_token_without_a_row_never_reaches_the_model(token: int) -> None:
    bench = Bench()
    with pytest.raises(TokenOutOfRange):
        bench.submit(1, [5, token, 6])
    assert bench.backend.calls == []


def test_l06_progress_starts_at_once_never_falls_and_reaches_the_total_before_the_first_token() -> None:
    bench = Bench()
    prompt = prompt_of(100)
    bench.submit(1, prompt, max_tokens=2)
    assert bench.seen.fills(1) == [0]
    bench.run()
    fills = bench.seen.fills(1)
    assert fills == sorted(fills) == [0, 16, 32, 48, 64, 80, 96, 99, 100]
    events = bench.seen.of(1)
    first_text = next(place for place, event in enumerate(events) if isinstance(event, Text))
    before = events[first_text - 1]
    assert isinstance(before, Filling)
    assert before.done == before.total == 100


def test_an_end_token_ends_the_reply_and_is_not_shown() -> None:
    bench = Bench()
    bench.backend.scripts[1] = [5, 6, END, END]
    bench.submit(1, prompt_of(10))
    bench.run()
    assert bench.seen.text(1) == "[5][6]"
    assert bench.seen.finished(1).reason == "stop"
    assert bench.seen.finished(1).usage.generated == 3


def test_a_stop_string_ends_the_reply_and_is_not_shown() -> None:
    bench = Bench()
    bench.backend.scripts[1] = [5, 6, 7, 8]
    bench.submit(1, prompt_of(10), stop=["6][7]"])
    bench.run()
    assert bench.seen.text(1) == "[5]["
    assert bench.seen.tokens(1) == [5, 6, 7]
    assert bench.seen.finished(1).reason == "stop"


def thinking(bench: Bench, texts: dict[int, str]) -> None:
    """Gives tokens these texts, of a model that thinks between <think> and </think>."""
    format = ReplyFormat((("<think>", "</think>"),))
    text_of = TextOf(lambda tokens: "".join(texts.get(token, "") for token in tokens), format)
    bench.rounds = Rounds(bench.backend, text_of, bench.clock)


def test_s09_thinking_comes_apart_and_every_token_is_told_once() -> None:
    bench = Bench()
    thinking(bench, {5: "<thi", 6: "nk>plan", 7: "ning</think>\n\nfo", 8: "ur"})
    bench.backend.scripts[1] = [5, 6, 7, 8, END]
    bench.submit(1, prompt_of(10))
    bench.run()
    texts = [event for event in bench.seen.of(1) if isinstance(event, Text)]
    assert texts == [
        Text(1, "", (5, 6), "plan"),
        Text(1, "fo", (7,), "ning"),
        Text(1, "ur", (8,)),
    ]


def test_s09_a_reply_that_ends_while_it_thinks_has_no_answer() -> None:
    bench = Bench()
    thinking(bench, {5: "<think>", 6: "plan</", 7: "\n"})
    bench.backend.scripts[1] = [5, 6, 7]
    bench.submit(1, prompt_of(10), max_tokens=2)
    bench.run()
    texts = [event for event in bench.seen.of(1) if isinstance(event, Text)]
    assert "".join(event.thinking for event in texts) == "plan</"
    assert bench.seen.text(1) == ""
    assert bench.seen.tokens(1) == [5, 6]


def test_an_answer_before_more_thinking_is_an_event_of_its_own() -> None:
    bench = Bench()
    text = "<|channel|>final<|message|>a<|end|><|channel|>analysis<|message|>b"
    text_of = TextOf(lambda tokens: text if 5 in tokens else "", ReplyFormat(messages=CHANNELS))
    bench.rounds = Rounds(bench.backend, text_of, bench.clock)
    bench.backend.scripts[1] = [5, END]
    bench.submit(1, prompt_of(10))
    bench.run()
    texts = [event for event in bench.seen.of(1) if isinstance(event, Text)]
    assert texts == [Text(1, "a", (5,)), Text(1, "", (), "b")]


def test_a_failing_draw_ends_that_stream_alone() -> None:
    bench = Bench()
    bench.backend.scripts[1] = [InvalidNumbers()]
    bench.submit(1, prompt_of(10))
    bench.submit(2, prompt_of(10, 4), max_tokens=5)
    bench.run()
    assert isinstance(bench.seen.finished(1).error, InvalidNumbers)
    assert bench.seen.tokens(1) == []
    assert bench.seen.tokens(2) == expected_reply(prompt_of(10, 4), 5, CAPS)


def test_the_focused_prompt_goes_first_then_the_shortest() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(400), max_tokens=1)
    bench.submit(2, prompt_of(80, 1), max_tokens=1)
    bench.submit(3, prompt_of(160, 2), max_tokens=1, priority=Priority.FOCUSED)
    bench.run()
    order = list(dict.fromkeys(id for id, _ in bench.chunks()))
    assert order[0] == 3
    assert order.index(2) < order.index(1)


def test_a_prompt_passed_over_often_enough_goes_next() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(400), max_tokens=1, priority=Priority.BACKGROUND)
    bench.submit(2, prompt_of(2000, 1), max_tokens=1, priority=Priority.FOCUSED)
    bench.run()
    turns = [id for id, _ in bench.chunks()]
    assert turns[: 2 * PASSED_OVER_LIMIT + 2] == ([2] * PASSED_OVER_LIMIT + [1]) * 2


def test_the_status_tells_who_waits_and_for_how_many() -> None:
    bench = Bench()
    bench.submit(1, prompt_of(100), max_tokens=50)
    bench.submit(2, prompt_of(200, 1), max_tokens=1)
    bench.round()
    by_id = {stream.id: stream for stream in bench.rounds.status().streams}
    assert (by_id[1].phase, by_id[1].done, by_id[1].ahead) == ("filling", 16, 0)
    assert (by_id[2].phase, by_id[2].ahead) == ("queued", 1)
    while bench.rounds.status().streams[0].phase == "filling":
        bench.round()
    assert bench.rounds.status().streams[0].phase == "decoding"


arrivals = st.lists(
    st.tuples(
        st.integers(1, 90),
        st.integers(0, 12),
        st.sampled_from(["stay", "cancel", "forget"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(deadline=None, max_examples=150)
@given(arrivals, st.booleans(), st.booleans(), st.integers(1, 40))
def test_random_neighbours_change_nothing(
    plans: list[tuple[int, int, str]], trimmable: bool, ahead: bool, rows: int
) -> None:
    """Streams arrive, are cancelled or leave at random; those that stay say what they say alone."""
    caps = (Cap(0, rows),)
    facts = ModelFacts(4096, 1000, frozenset({END}), caps)
    bench = Bench(FakeBackend(facts, trimmable=trimmable, ahead=ahead))
    for id, (length, later, _) in enumerate(plans, 1):
        bench.submit(id, prompt_of(length, id % 2), max_tokens=8)
        for _ in range(later):
            bench.round()
        victim, (_, _, fate) = 1 + later % id, plans[later % id]
        if fate != "stay":
            bench.record(bench.rounds.cancel(victim) if fate == "cancel" else bench.rounds.forget(victim))
    bench.run()
    assert bench.backend.rows == {}
    for id, (length, _, _) in enumerate(plans, 1):
        reply = expected_reply(prompt_of(length, id % 2), 8, caps)
        if bench.seen.finished(id).reason == "length":
            assert bench.seen.tokens(id) == reply
        else:
            assert bench.seen.tokens(id) == reply[: len(bench.seen.tokens(id))]
