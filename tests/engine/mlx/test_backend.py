"""The MLX backend on a real, tiny model: chunks, resumes and neighbours change no token."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

import engine.mlx  # noqa: F401
from tests.tiny import make_tiny

# isort: split
from engine.api import Sampling
from engine.backend import Cap
from engine.errors import InvalidNumbers, ReplyError
from engine.fill import plan_cuts
from engine.mlx.backend import CPU_CAPS, GPU_CAPS, MlxBackend
from engine.mlx.load import LoadedModel, load
from engine.sharing import TURNS, Sharing

CAPS = (Cap(0, 16), Cap(64, 8))
SHARING = Sharing("rows", 8)
GREEDY = Sampling()
SAMPLED = Sampling(temperature=0.9, top_p=0.9, top_k=40, min_p=0.02, repetition_penalty=1.1, seed=7)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(make_tiny(tmp_path_factory.mktemp("tiny")))


def backend_of(loaded: LoadedModel) -> MlxBackend:
    return MlxBackend(loaded, SHARING, CAPS)


def prompt_of(length: int, salt: int = 0) -> tuple[int, ...]:
    return tuple(4 + (position * 37 + salt * 11 + position // 5) % 250 for position in range(length))


def read(backend: MlxBackend, id: int, prompt: Sequence[int], sampling: Sampling = GREEDY) -> int:
    """Opens and fills a stream; returns what was reused."""
    cuts = plan_cuts(len(prompt) - 1, CAPS)
    reused = backend.open(id, prompt, sampling, cuts)
    for cut in cuts:
        if cut > reused:
            backend.prefill_step(id, cut)
    return reused


def say(backend: MlxBackend, id: int, count: int) -> list[int | ReplyError | None]:
    return heard([backend.step([id]) for _ in range(count + 1)])[0]


def heard(steps: list[list[int | ReplyError | None]]) -> list[list[int | ReplyError | None]]:
    """What each of the rows said, without the first step, which only submits."""
    return [[token for token in row if token is not None] for row in zip(*steps, strict=True)]


def alone(
    loaded: LoadedModel, prompt: Sequence[int], count: int, sampling: Sampling = GREEDY
) -> list[object]:
    backend = backend_of(loaded)
    read(backend, 1, prompt, sampling)
    return list(say(backend, 1, count))


def test_replies_depend_on_the_prompt(loaded: LoadedModel) -> None:
    """What the tests below compare is not one constant reply."""
    replies = [alone(loaded, prompt_of(80, salt), 12) for salt in range(4)]
    assert len({tuple(reply) for reply in replies}) == 4
    assert len(set(replies[0])) > 3


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
def test_whole_equals_stepped_with_others_between(loaded: LoadedModel, sampling: Sampling) -> None:
    prompts = {1: prompt_of(100), 2: prompt_of(90, 1), 3: prompt_of(5, 2)}
    backend = backend_of(loaded)
    read(backend, 3, prompts[3], sampling)
    said: dict[int, list[object]] = {1: [], 2: [], 3: []}
    cuts = {id: plan_cuts(len(prompts[id]) - 1, CAPS) for id in (1, 2)}
    for id in (1, 2):
        backend.open(id, prompts[id], sampling, cuts[id])
    for place in range(max(map(len, cuts.values()))):
        for id in (1, 2):
            if place < len(cuts[id]):
                backend.prefill_step(id, cuts[id][place])
        said[3] += backend.step([3])
    for ids in ([1, 2, 3], [2, 1], [3, 2, 1], [1]) * 4:
        for id, token in zip(ids, backend.step(ids), strict=True):
            said[id].append(token)
    for id, prompt in prompts.items():
        tokens = [token for token in said[id] if token is not None]
        assert len(tokens) >= 8
        assert tokens == alone(loaded, prompt, len(tokens), sampling)


def test_cancelled_at_every_cut_and_sent_again_is_fresh(loaded: LoadedModel) -> None:
    prompt = prompt_of(100)
    fresh = alone(loaded, prompt, 10)
    cuts = plan_cuts(len(prompt) - 1, CAPS)
    for place, kept in enumerate(cuts):
        backend = backend_of(loaded)
        backend.open(1, prompt, GREEDY, cuts)
        for cut in cuts[: place + 1]:
            backend.prefill_step(1, cut)
        assert backend.cancel_prefill(1) == kept
        assert read(backend, 2, prompt) == kept
        assert say(backend, 2, 10) == fresh


def test_a_kept_prompt_serves_again_and_again(loaded: LoadedModel) -> None:
    """A restored state is a copy: what a stream adds to it, another never sees."""
    prompt = prompt_of(100)
    fresh = alone(loaded, prompt, 10)
    backend = backend_of(loaded)
    read(backend, 1, prompt)
    say(backend, 1, 10)
    backend.release(1, keep=True)
    for id in (2, 3):
        assert read(backend, id, prompt) == 99
    assert heard([backend.step([2, 3]) for _ in range(11)]) == [fresh, fresh]


def test_another_ending_reuses_up_to_the_last_common_cut(loaded: LoadedModel) -> None:
    first, second = prompt_of(100), (*prompt_of(75), *prompt_of(40, 3))
    backend = backend_of(loaded)
    read(backend, 1, first)
    say(backend, 1, 5)
    backend.release(1, keep=True)
    assert read(backend, 2, second) == 72
    assert say(backend, 2, 10) == alone(loaded, second, 10)


def test_a_forgotten_stream_is_not_reused(loaded: LoadedModel) -> None:
    backend = backend_of(loaded)
    read(backend, 1, prompt_of(50))
    backend.release(1, keep=False)
    assert read(backend, 2, prompt_of(50)) == 0


def test_draws_depend_on_seed_and_position_alone(loaded: LoadedModel) -> None:
    prompt = prompt_of(30)
    first = alone(loaded, prompt, 16, SAMPLED)
    assert first == alone(loaded, prompt, 16, SAMPLED)
    assert first != alone(loaded, prompt, 16, Sampling(temperature=0.9, seed=8))
    plain = Sampling(temperature=0.9, seed=7)
    whole = alone(loaded, prompt, 12, plain)
    backend = backend_of(loaded)
    read(backend, 1, [*prompt, *whole[:6]], plain)  # type: ignore[list-item]
    assert say(backend, 1, 6) == whole[6:]


@pytest.mark.parametrize("fill", ["nan", "zero"])
def test_s15_a_model_of_invalid_numbers_ends_the_reply_at_its_first_token(tmp_path: Path, fill: str) -> None:
    backend = backend_of(load(make_tiny(tmp_path, fill=fill)))  # type: ignore[arg-type]
    read(backend, 1, prompt_of(20))
    (drawn,) = say(backend, 1, 1)
    assert isinstance(drawn, InvalidNumbers)
    assert "invalid numbers (damaged or unsupported file)" in drawn.sentence


def test_s15_a_sound_neighbour_of_invalid_numbers_goes_on(loaded: LoadedModel) -> None:
    backend = backend_of(loaded)
    read(backend, 1, prompt_of(20))
    read(backend, 2, prompt_of(30, 1))
    cache = backend._rows[1].caches[0]
    cache.keys = cache.keys * float("nan")
    broken, sound = heard([backend.step([1, 2]) for _ in range(4)])
    assert isinstance(broken[0], InvalidNumbers)
    assert sound == alone(loaded, prompt_of(30, 1), 3)


def test_c06_a_call_from_another_thread_is_caught(loaded: LoadedModel) -> None:
    backend = backend_of(loaded)
    caught: list[BaseException] = []

    def call() -> None:
        try:
            backend.open(1, prompt_of(5), GREEDY, (4,))
        except AssertionError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_after_a_reset_nothing_is_left_and_the_model_still_answers(loaded: LoadedModel) -> None:
    backend = backend_of(loaded)
    read(backend, 1, prompt_of(50))
    backend.reset()
    assert read(backend, 1, prompt_of(50)) == 0
    assert say(backend, 1, 5) == alone(loaded, prompt_of(50), 5)


def test_each_device_has_its_chunks(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    for on_gpu, caps in ((True, GPU_CAPS), (False, CPU_CAPS)):
        monkeypatch.setattr("engine.mlx.backend.on_gpu", lambda on_gpu=on_gpu: on_gpu)
        assert MlxBackend(loaded, TURNS).facts.caps == caps
