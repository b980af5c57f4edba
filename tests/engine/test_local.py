"""The public surface on a real, tiny model: open it, ask it, stop it, close it."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine import Engine, Request, Sampling, Text, open_model
from engine.api import Filling, Priority
from engine.errors import (
    BadRequest,
    InvalidNumbers,
    LaneClosed,
    LoadCancelled,
    ModelMissing,
    NoChatTemplate,
    PromptTooLong,
    TemplateBroken,
    TokenOutOfRange,
)
from tests.fakes import Recorder
from tests.tiny import CHATML, make_tiny

WAIT = 60
HELLO = [{"role": "user", "content": "the quick brown fox"}]


class Waiting(Recorder):
    def __init__(self) -> None:
        self.ended = threading.Event()
        super().__init__(done=self.ended.set)

    def wait(self) -> None:
        assert self.ended.wait(WAIT)


def replies(engine: Engine, *requests: Request) -> list[tuple[int, Waiting]]:
    """Submits all of them at once and waits for all."""
    asked = []
    for request in requests:
        sink = Waiting()
        asked.append((engine.submit(request, sink), sink))
    for _, sink in asked:
        sink.wait()
    return asked


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("models") / "tiny", context=600)


@pytest.fixture(scope="module")
def engine(tiny: Path) -> Iterator[Engine]:
    engine = open_model(tiny)
    yield engine
    engine.close()


def prompt_of(length: int, salt: int = 0) -> Sequence[int]:
    return [4 + (position * 37 + salt * 11) % 250 for position in range(length)]


def test_a_chat_is_rendered_read_and_answered(engine: Engine) -> None:
    ((id, sink),) = replies(engine, Request(messages=HELLO, max_tokens=8))
    usage = sink.finished(id).usage
    assert usage.prompt == len(engine.prompt(HELLO).tokens) == sink.fills(id)[-1]
    assert 1 <= usage.generated <= 8
    assert (engine.name, engine.context) == ("tiny", 600)


def test_s10_what_a_model_writes_after_a_mark_in_its_prompt_is_thinking(tmp_path: Path) -> None:
    template = CHATML.replace("assistant\\n", "assistant\\n<think>\\n")
    engine = open_model(make_tiny(tmp_path / "thinks", chat_template=template))
    ((id, sink),) = replies(engine, Request(messages=HELLO, max_tokens=30))
    engine.close()
    texts = [event for event in sink.of(id) if isinstance(event, Text)]
    assert any(event.thinking for event in texts)
    assert sink.text(id) == ""
    assert len(sink.tokens(id)) == 30


def test_c03_replies_asked_together_are_what_they_are_alone(engine: Engine) -> None:
    requests = [
        Request(prompt=prompt_of(5), max_tokens=25),
        Request(prompt=prompt_of(60, 1), max_tokens=25, sampling=Sampling(temperature=0.8, seed=3)),
        Request(prompt=prompt_of(300, 2), max_tokens=25, priority=Priority.FOCUSED),
    ]
    alone = []
    for request in requests:
        ((id, sink),) = replies(engine, request)
        alone.append((sink.text(id), sink.tokens(id)))
    together = replies(engine, *requests)
    assert [(sink.text(id), sink.tokens(id)) for id, sink in together] == alone
    assert all(tokens for _, tokens in alone)


def test_l07_a_stopped_read_is_kept_and_the_resend_is_a_cold_run(tiny: Path) -> None:
    prompt = prompt_of(590)
    engine = open_model(tiny)
    ((cold, cold_sink),) = replies(engine, Request(prompt=prompt, max_tokens=8))
    engine.close()

    engine = open_model(tiny)
    stopped = Waiting()

    class Stopping(Waiting):
        def __call__(self, event: object) -> None:
            super().__call__(event)  # type: ignore[arg-type]
            if isinstance(event, Filling) and event.done >= 128:
                engine.cancel(event.id)

    stopped = Stopping()
    id = engine.submit(Request(prompt=prompt, max_tokens=8), stopped)
    stopped.wait()
    kept = stopped.finished(id).usage.read
    assert stopped.finished(id).reason == "cancelled"
    assert kept == stopped.fills(id)[-1] == 128
    ((again, sink),) = replies(engine, Request(prompt=prompt, max_tokens=8))
    engine.close()
    assert sink.finished(again).usage.reused == 128
    assert sink.tokens(again) == cold_sink.tokens(cold)


def test_l01_too_long_is_refused_with_both_numbers_and_nothing_is_read(engine: Engine) -> None:
    ((id, sink),) = replies(engine, Request(prompt=prompt_of(10_000)))
    error = sink.finished(id).error
    assert isinstance(error, PromptTooLong)
    assert "10,000" in error.sentence
    assert "600" in error.sentence
    assert len(sink.events) == 1


def test_l02_a_reply_ends_where_the_context_does(tmp_path: Path) -> None:
    engine = open_model(make_tiny(tmp_path / "short", eos=None, chat_template=None))
    ((id, sink),) = replies(engine, Request(prompt=prompt_of(250), max_tokens=100))
    ((_, refused),) = replies(engine, Request(prompt=prompt_of(256)))
    engine.close()
    assert sink.finished(id).reason == "context_full"
    assert sink.finished(id).usage.generated == 6
    assert isinstance(refused.events[-1].error, PromptTooLong)  # type: ignore[union-attr]


def test_s08_the_end_tokens_of_every_file_end_the_reply(tmp_path: Path) -> None:
    """Greedy TINY draws what follows; whichever of its tokens is made an end token ends it."""
    plain = open_model(make_tiny(tmp_path / "plain", eos=None, context=600))
    ((id, sink),) = replies(plain, Request(prompt=prompt_of(40), max_tokens=12))
    plain.close()
    tokens = sink.tokens(id)
    end = next(token for token in tokens[1:] if tokens.index(token) >= 1)
    ended = open_model(make_tiny(tmp_path / "ended", eos="<|im_end|>", generation_eos=[end], context=600))
    ((id, sink),) = replies(ended, Request(prompt=prompt_of(40), max_tokens=12))
    ended.close()
    assert sink.finished(id).reason == "stop"
    assert sink.tokens(id) == tokens[: tokens.index(end)]


def test_s15_invalid_numbers_end_the_reply_in_one_sentence(tmp_path: Path) -> None:
    engine = open_model(make_tiny(tmp_path / "nan", fill="nan"))
    ((id, sink),) = replies(engine, Request(messages=HELLO))
    engine.close()
    assert isinstance(sink.finished(id).error, InvalidNumbers)
    assert sink.text(id) == ""


@pytest.mark.parametrize("token", [5000, 999_999, 281, -3])
def test_k09_ids_without_a_row_are_refused_and_the_next_send_works(engine: Engine, token: int) -> None:
    ((id, sink),) = replies(engine, Request(prompt=[5, token]))
    assert isinstance(sink.finished(id).error, TokenOutOfRange)
    ((id, sink),) = replies(engine, Request(prompt=[5, 6], max_tokens=2))
    assert sink.finished(id).reason in ("length", "stop")


@pytest.mark.parametrize(
    "settings",
    [
        {"prompt": []},
        {"messages": []},
        {},
        {"prompt": [1], "messages": HELLO},
        {"prompt": [1], "max_tokens": 0},
        {"prompt": [1], "max_tokens": -1},
        {"prompt": [1], "stop": [""]},
        {"prompt": [1], "stop": "word"},
        {"prompt": [1], "stop": b"word"},
        {"prompt": [1], "stop": None},
        {"prompt": [1], "max_tokens": "3"},
        {"prompt": "text"},
        {"prompt": ["1"]},
        {"prompt": [1.0]},
        {"prompt": [None]},
        {"prompt": iter(())},
        {"prompt": [1], "continues": "text"},
        {"prompt": [1], "sampling": None},
        {"prompt": [1], "priority": "high"},
        {"messages": ["text"]},
        {"messages": "text"},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": None}]},
        {"messages": [{"role": "user", "content": ["a"]}]},
    ],
)
def test_k10_a_request_for_nothing_is_refused_when_it_is_made(settings: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as refused:
        Request(**settings)  # type: ignore[arg-type]
    assert refused.value.action


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": float("nan")},
        {"seed": 1.5},
        {"temperature": -1},
        {"top_p": 0},
        {"top_k": -1},
        {"min_p": 2},
        {"repetition_penalty": 0},
    ],
)
def test_a_setting_out_of_its_range_is_named(settings: dict[str, float]) -> None:
    with pytest.raises(BadRequest, match=next(iter(settings))):
        Sampling(**settings)  # type: ignore[arg-type]


def test_a_base_model_says_so_and_reads_plain_tokens(tmp_path: Path) -> None:
    engine = open_model(make_tiny(tmp_path / "base", chat_template=None))
    ((id, sink),) = replies(engine, Request(messages=HELLO))
    assert isinstance(sink.finished(id).error, NoChatTemplate)
    ((id, sink),) = replies(engine, Request(prompt=[5, 6, 7], max_tokens=3))
    engine.close()
    assert sink.finished(id).error is None


def test_t01_a_base_model_opens_and_its_templates_problem_is_told(tmp_path: Path, engine: Engine) -> None:
    base = open_model(make_tiny(tmp_path / "base", chat_template=None))
    assert isinstance(base.template_problem, NoChatTemplate)
    assert "base is a base model" in base.template_problem.sentence
    with pytest.raises(NoChatTemplate):
        base.prompt(HELLO)
    ((id, sink),) = replies(base, Request(prompt=base.prompt(HELLO, "plain").tokens, max_tokens=3))
    base.close()
    assert sink.finished(id).error is None
    assert engine.template_problem is None


def test_t07_a_model_with_a_broken_template_opens_and_takes_another(tmp_path: Path) -> None:
    broken = open_model(make_tiny(tmp_path / "broken", chat_template="\n{{ messages[0].content.foo.bar }}"))
    assert isinstance(broken.template_problem, TemplateBroken)
    assert broken.template_problem.line == 2
    assert broken.prompt(HELLO, "chatml").tokens == broken.prompt(HELLO, "chatml").tokens
    broken.close()


def test_a_continued_reply_is_the_reply_that_was_not_interrupted(engine: Engine) -> None:
    prompt = prompt_of(64)
    ((id, sink),) = replies(engine, Request(prompt=prompt, max_tokens=12))
    whole, text = sink.tokens(id), sink.text(id)
    assert len(whole) == 12
    ((id, first),) = replies(engine, Request(prompt=prompt, max_tokens=5))
    ((again, rest),) = replies(engine, Request(prompt=prompt, continues=whole[:5], max_tokens=7))
    assert first.text(id) + rest.text(again) == text


def test_c06_the_model_is_loaded_and_used_on_one_thread(tiny: Path) -> None:
    """Opened on one thread and asked from two others, it answers each of them."""
    opened: list[Engine] = []
    opener = threading.Thread(target=lambda: opened.append(open_model(tiny)))
    opener.start()
    opener.join()
    heard: list[str] = []

    def ask(salt: int) -> None:
        ((id, sink),) = replies(opened[0], Request(prompt=prompt_of(70, salt), max_tokens=4))
        heard.append(sink.finished(id).reason)

    askers = [threading.Thread(target=ask, args=(salt,)) for salt in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    opened[0].close()
    assert sorted(heard) == ["length", "length"]


def test_a_load_that_fails_or_is_given_up_is_told_and_leaves_no_thread(tmp_path: Path, tiny: Path) -> None:
    with pytest.raises(ModelMissing):
        open_model(tmp_path / "nowhere")
    with pytest.raises(LoadCancelled):
        open_model(tiny, cancelled=lambda: True)
    assert [thread.name for thread in threading.enumerate()].count("lane") <= 1


def test_after_closing_nothing_more_is_taken(tiny: Path) -> None:
    engine = open_model(tiny)
    waiting = Waiting()
    engine.submit(Request(prompt=prompt_of(40), max_tokens=500), waiting)
    engine.close()
    waiting.wait()
    assert waiting.events[-1].reason == "closed"  # type: ignore[union-attr]
    with pytest.raises(LaneClosed):
        engine.submit(Request(prompt=[1]), waiting)
    engine.close()


def test_texts_carry_the_ids_they_come_from(engine: Engine) -> None:
    ((id, sink),) = replies(engine, Request(prompt=prompt_of(33), max_tokens=10))
    ids = [token for event in sink.events if isinstance(event, Text) for token in event.tokens]
    assert len(ids) == sink.finished(id).usage.generated - (sink.finished(id).reason == "stop")


def test_ids_of_any_whole_number_type_are_read_as_integers(engine: Engine) -> None:
    plain = Request(prompt=[5, 1, 7], max_tokens=4)
    foreign = Request(prompt=iter([np.int64(5), True, np.uint8(7)]), max_tokens=4)  # type: ignore[arg-type]
    assert foreign.prompt == plain.prompt == (5, 1, 7)
    (one, first), (two, second) = replies(engine, plain, foreign)
    assert first.tokens(one) == second.tokens(two)


def test_text_that_is_no_valid_unicode_is_read_all_the_same(engine: Engine) -> None:
    broken = [{"role": "user", "content": "a\ud800b"}]
    assert engine.prompt(broken) == engine.prompt([{"role": "user", "content": "a\ufffdb"}])
