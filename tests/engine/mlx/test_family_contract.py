"""The contract on a real backend, for each family: rounds with comings and goings change no reply."""

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import engine.mlx  # noqa: F401
from engine.mlx.tiny_families import FAMILIES, make_tiny_family
from tests.tiny import make_tiny

# isort: split
import mlx.core as mx

from engine.api import Priority, Request, Sampling
from engine.backend import Cap
from engine.fill import plan_cuts
from engine.mlx.backend import MlxBackend
from engine.mlx.caches import arrays
from engine.mlx.folder import load_folder
from engine.mlx.load import LoadedModel, load
from engine.mlx.stop_tokens import stop_tokens
from engine.mlx.weights import embedding_rows
from engine.sharing import TURNS, Sharing
from tests.engine.contract import Play, Watched

CAPS = (Cap(0, 16), Cap(32, 8))
SHARED = Sharing("rows", 8)
REPLY = 8
GREEDY = Sampling()
SAMPLED = Sampling(temperature=0.9, top_p=0.95, top_k=60, min_p=0.01, repetition_penalty=1.1, seed=11)

EVERY = ["llama", *FAMILIES]
RECURRENT = ["qwen3_5", "lfm2_moe", "nemotron_h"]


@cache
def model_of(family: str, kind: str) -> LoadedModel:
    with TemporaryDirectory() as parent:
        folder = Path(parent, family)
        if family == "llama":
            return load(make_tiny(folder))
        if kind == "float32":
            return load(make_tiny_family(folder, family))
        # As a GPU holds it; `load` makes float32 of it on a CPU.
        model, config, tokenizer = load_folder(make_tiny_family(folder, family, dtype="bfloat16", bits=4))
        mx.eval(model.parameters())  # type: ignore[no-untyped-call]
        stops, rows = stop_tokens(config, tokenizer), embedding_rows(model)
        return LoadedModel(model, tokenizer, family, config, 1024, rows, stops)


@cache
def alone(family: str, kind: str, sharing: Sharing, prompt: tuple[int, ...], sampling: Sampling) -> list[Any]:
    """The reply of a stream that is alone, fresh, and read in one go; one token more than is compared."""
    backend = MlxBackend(model_of(family, kind), sharing, CAPS)
    cuts = plan_cuts(len(prompt) - 1, CAPS)
    backend.open(1, prompt, sampling, cuts)
    for cut in cuts:
        backend.prefill_step(1, cut)
    return [backend.step([1])[0] for _ in range(REPLY + 2)][1:]


def play_of(family: str, kind: str = "float32", sharing: Sharing = SHARED) -> tuple[Play, MlxBackend]:
    backend = MlxBackend(model_of(family, kind), sharing, CAPS)

    def expected(prompt: tuple[int, ...], request: Request) -> list[Any]:
        return alone(family, kind, sharing, prompt, request.sampling)

    return Play(Watched(backend, lambda: backend._rows), expected), backend


def prompt_of(length: int, salt: int = 0, shared: int = 0) -> tuple[int, ...]:
    """A prompt whose first `shared` tokens are the same for every salt."""
    own = (salt * 11 * (position >= shared) for position in range(length))
    return tuple(4 + (position * 37 + other + position // 5) % 250 for position, other in enumerate(own))


PROMPTS = [
    *(
        prompt_of(length, salt, shared)
        for salt, (length, shared) in enumerate([(70, 40), (55, 40), (45, 16)])
    ),
    prompt_of(50, 7),
    prompt_of(23, 8),
    prompt_of(4, 9),
    prompt_of(1, 10),
]


def schedule(play: Play, seed: int, actions: int = 40) -> None:
    """Streams come, leave, are stopped and sent again between rounds, then all that are left end."""
    source = random.Random(seed)
    for _ in range(actions):
        action = source.choice(["arrive"] * 3 + ["rounds"] * 3 + ["leave", "again"])
        if action == "arrive":
            settings: dict[str, Any] = {
                "sampling": source.choice([GREEDY, SAMPLED]),
                "priority": source.choice(list(Priority)),
                "max_tokens": source.randint(5, REPLY),
            }
            play.submit(source.choice(PROMPTS), **settings)
        elif action == "rounds":
            for _ in range(source.randint(1, 3)):
                play.round()
        elif play.live:
            id = source.choice(sorted(play.live))
            play.leave(id, keep=action == "again" or source.random() < 0.5)
            if action == "again":
                play.submit(play.prompt(id), max_tokens=REPLY)
    play.run()


@pytest.fixture
def turns_between_fills(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts that are read at the same time get a chunk each in turn."""
    monkeypatch.setattr("engine.rounds.PASSED_OVER_LIMIT", 1)


@pytest.mark.parametrize(
    ("family", "kind"),
    [*((family, "float32") for family in EVERY), *((family, "4 bits") for family in FAMILIES)],
)
@pytest.mark.usefixtures("turns_between_fills")
def test_whatever_comes_and_goes_a_reply_is_what_it_is_alone(family: str, kind: str) -> None:
    play, _ = play_of(family, kind)
    schedule(play, 9)
    assert play.watched.widest >= 4
    assert len({id for id, _ in play.watched.chunks}) >= 8


@pytest.mark.parametrize("sharing", [TURNS, Sharing("padded", 4), Sharing("rows", 2)])
@pytest.mark.parametrize("family", ["llama", "qwen3_5"])
@pytest.mark.usefixtures("turns_between_fills")
def test_however_streams_share_a_reply_is_what_it_is_alone(family: str, sharing: Sharing) -> None:
    play, _ = play_of(family, sharing=sharing)
    schedule(play, 3)


@pytest.mark.parametrize("family", EVERY)
def test_the_replies_that_are_compared_differ(family: str) -> None:
    said = [
        tuple(alone(family, "float32", SHARED, prompt, sampling))
        for prompt in PROMPTS
        for sampling in (GREEDY, SAMPLED)
    ]
    assert len(set(said)) > len(said) // 2
    assert len({token for reply in said for token in reply}) > 10


@pytest.mark.parametrize("family", EVERY)
def test_cancelled_at_every_cut_beside_a_neighbour_and_sent_again(family: str) -> None:
    prompt = PROMPTS[0]
    for chunks, cut in enumerate(plan_cuts(len(prompt) - 1, CAPS)[:-1], 1):
        play, _ = play_of(family)
        play.submit(PROMPTS[5], sampling=SAMPLED, max_tokens=REPLY)
        play.round()
        stopped = play.submit(prompt, max_tokens=REPLY)
        for _ in range(chunks):
            play.round()
        play.leave(stopped, keep=True)
        assert play.seen.finished(stopped).usage.read == cut
        again = play.submit(prompt, max_tokens=REPLY)
        assert play.reused(again) == cut
        play.run()


@pytest.mark.parametrize("family", EVERY)
def test_cancelled_in_the_last_chunk_and_sent_again(family: str) -> None:
    play, _ = play_of(family)
    stopped = play.submit(PROMPTS[1], max_tokens=REPLY)
    while play.rounds.status().streams[0].phase != "decoding":
        play.look(play.rounds.fill())
    play.leave(stopped, keep=True)
    again = play.submit(PROMPTS[1], max_tokens=REPLY)
    assert play.reused(again) == len(PROMPTS[1]) - 1
    play.run()


@pytest.mark.parametrize("family", EVERY)
def test_stopped_while_it_writes_and_sent_again(family: str) -> None:
    play, _ = play_of(family)
    stops = model_of(family, "float32").stop_tokens
    prompt = next(one for one in PROMPTS if not stops & {*alone(family, "float32", SHARED, one, SAMPLED)})
    stopped = play.submit(prompt, sampling=SAMPLED, max_tokens=REPLY)
    while len(play.seen.tokens(stopped)) < 3:
        play.round()
    play.leave(stopped, keep=True)
    again = play.submit(prompt, sampling=SAMPLED, max_tokens=REPLY)
    assert play.reused(again) == len(prompt) - 1
    play.run()


@pytest.mark.parametrize("family", EVERY)
def test_a_lone_stream_shares_no_forward(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("engine.mlx.decoding.shared_step")
    play, _ = play_of(family)
    play.submit(PROMPTS[1], max_tokens=REPLY)
    play.run()


@pytest.mark.parametrize("family", EVERY)
def test_caches_are_as_large_as_they_are_alone(family: str) -> None:
    prompts = [PROMPTS[2], PROMPTS[4], PROMPTS[5]]
    assert held(family, prompts) == [size for prompt in prompts for size in held(family, [prompt])]


def held(family: str, prompts: list[tuple[int, ...]]) -> list[int]:
    """Bytes of the caches of each stream when it has said two tokens, in steps shared by all."""
    play, backend = play_of(family)
    ids = [play.submit(prompt, max_tokens=REPLY) for prompt in prompts]
    sizes: dict[int, int] = {}
    while len(sizes) < len(ids):
        play.round()
        for id in play.live - set(sizes):
            if len(play.seen.tokens(id)) == 2:
                sizes[id] = sum(array.nbytes for array in arrays(backend._rows[id].caches))
    assert play.watched.widest == len(prompts)
    return [sizes[id] for id in ids]


@pytest.mark.parametrize("family", EVERY)
def test_streams_that_left_hold_no_memory(family: str) -> None:
    play, backend = play_of(family)
    come_and_go(play, backend)  # Some layers keep a constant that they made for their first step.
    before = active()
    assert come_and_go(play, backend) > before + 10_000
    assert active() == before


def come_and_go(play: Play, backend: MlxBackend) -> int:
    """Streams are read and write, and are forgotten. Returns: bytes that arrays held meanwhile."""
    for prompt in PROMPTS:
        play.submit(prompt, max_tokens=REPLY)
    for _ in range(12):
        play.round()
    held = active()
    for id in sorted(play.live):
        play.leave(id, keep=False)
    backend._kept.clear()
    return held


def active() -> int:
    """Bytes that arrays hold, none of them still being computed."""
    mx.synchronize()
    return mx.get_active_memory()
