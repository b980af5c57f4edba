"""Streams that share a step are each drawn by their own settings and processors alone."""

import io
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import engine.mlx  # noqa: F401
from engine.mlx.tiny_families import make_tiny_family
from tests.tiny import make_tiny

# isort: split
import mlx.core as mx

from engine.api import Sampling
from engine.backend import Cap
from engine.errors import ProcessorFailed, ReplyError
from engine.fill import plan_cuts
from engine.mlx.backend import MlxBackend
from engine.mlx.load import LoadedModel, load
from engine.sampling import Processor
from engine.sharing import Sharing

CAPS = (Cap(0, 16),)
COUNT = 12


def odd_ids_less_likely(tokens: mx.array, logits: mx.array) -> mx.array:
    """Depends on all that was said: how many ids are odd."""
    return logits - 0.05 * mx.sum(tokens % 2) * (mx.arange(logits.shape[-1]) % 2)


SETTINGS = {
    "greedy": Sampling(),
    "temperature": Sampling(temperature=1.2, seed=5),
    "top_p": Sampling(temperature=1.2, top_p=0.6, seed=5),
    "top_k": Sampling(temperature=1.2, top_k=4, seed=5),
    "min_p": Sampling(temperature=1.2, min_p=0.4, seed=5),
    "repetition_penalty": Sampling(repetition_penalty=1.8),
    "processors": Sampling(processors=(odd_ids_less_likely,)),
    "all": Sampling(
        temperature=0.9,
        top_p=0.95,
        top_k=60,
        min_p=0.01,
        repetition_penalty=1.2,
        seed=9,
        processors=(odd_ids_less_likely,),
    ),
}


@cache
def model_of(family: str) -> LoadedModel:
    with TemporaryDirectory() as parent:
        folder = Path(parent, family)
        return load(make_tiny(folder) if family == "llama" else make_tiny_family(folder, family))


def backend_of(family: str) -> MlxBackend:
    return MlxBackend(model_of(family), Sharing("rows", 8), CAPS)


def prompt_of(length: int, salt: int = 0) -> tuple[int, ...]:
    return tuple(4 + (position * 37 + salt * 11 + position // 5) % 250 for position in range(length))


def read(backend: MlxBackend, id: int, prompt: Sequence[int], sampling: Sampling) -> None:
    cuts = plan_cuts(len(prompt) - 1, CAPS)
    at = backend.open(id, prompt, sampling, cuts)
    for cut in cuts:
        if cut > at:
            backend.prefill_step(id, cut)


def replies(backend: MlxBackend, ids: Sequence[int], count: int = COUNT) -> dict[int, list[Any]]:
    """What each says in `count` steps after the first, which only submits."""
    steps = [backend.step(ids) for _ in range(count + 1)]
    return {id: list(said[1:]) for id, said in zip(ids, zip(*steps, strict=True), strict=True)}


@cache
def alone(family: str, prompt: tuple[int, ...], sampling: Sampling, count: int = COUNT) -> list[Any]:
    backend = backend_of(family)
    read(backend, 1, prompt, sampling)
    return replies(backend, [1], count)[1]


@pytest.mark.parametrize("family", ["llama", "qwen3_5"])
@pytest.mark.parametrize(
    "prompt", [lambda place: prompt_of(40), lambda place: prompt_of(9 + 13 * place, place)]
)
def test_every_setting_draws_shared_what_it_draws_alone(
    family: str, prompt: Callable[[int], tuple[int, ...]]
) -> None:
    backend = backend_of(family)
    for place, sampling in enumerate(SETTINGS.values()):
        read(backend, place, prompt(place), sampling)
    said = replies(backend, range(len(SETTINGS)))
    for place, sampling in enumerate(SETTINGS.values()):
        assert said[place] == alone(family, prompt(place), sampling)


@pytest.mark.parametrize("family", ["llama", "qwen3_5"])
def test_every_setting_changes_the_reply(family: str) -> None:
    """What the test above compares is not one and the same reply."""
    said = {tuple(alone(family, prompt_of(40), sampling)) for sampling in SETTINGS.values()}
    assert len(said) == len(SETTINGS)


@pytest.mark.parametrize("family", ["llama", "qwen3_5"])
def test_the_same_setting_in_all_rows_draws_what_it_draws_alone(family: str) -> None:
    for sampling in SETTINGS.values():
        backend = backend_of(family)
        for place in range(3):
            read(backend, place, prompt_of(20 + place, place), sampling)
        said = replies(backend, range(3), 6)
        assert said[1] == alone(family, prompt_of(21, 1), sampling, 6)


def failing_at(place: int, failure: Processor) -> Processor:
    """A processor that changes nothing until the reply to a prompt of 20 has `place` tokens."""
    return lambda tokens, logits: failure(tokens, logits) if tokens.size == 20 + place else logits


def raising(tokens: mx.array, logits: mx.array) -> mx.array:
    raise LookupError("no rule")


FAILURES: dict[str, Processor] = {
    "raises": raising,
    "returns nothing": lambda tokens, logits: None,
    "returns another shape": lambda tokens, logits: logits[:, 1:],
    "leaves nothing": lambda tokens, logits: logits * float("nan"),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("place", [0, 5])
@pytest.mark.parametrize("family", ["llama", "qwen3_5"])
def test_a_failing_processor_ends_its_stream_in_its_place_and_no_neighbour_changes(
    family: str, place: int, failure: str
) -> None:
    """Its place: after the tokens drawn before it, though the step that tells of it comes one later."""
    backend = backend_of(family)
    broken = Sampling(processors=(failing_at(place, FAILURES[failure]),))
    read(backend, 1, prompt_of(30, 1), SETTINGS["all"])
    read(backend, 2, prompt_of(20), broken)
    read(backend, 3, prompt_of(25, 2), SETTINGS["greedy"])
    said: dict[int, list[int | ReplyError | None]] = {1: [], 2: [], 3: []}
    ids = [1, 2, 3]
    while len(said[1]) < 10:
        for id, token in zip(list(ids), backend.step(ids), strict=True):
            said[id].append(token)
            if isinstance(token, ReplyError):
                backend.release(id, keep=False)
                ids.remove(id)
    assert said[2][:-1] == [None, *alone(family, prompt_of(20), Sampling(), place)]
    assert isinstance(said[2][-1], ProcessorFailed)
    assert said[1] == [None, *alone(family, prompt_of(30, 1), SETTINGS["all"], 9)]
    assert said[3] == [None, *alone(family, prompt_of(25, 2), SETTINGS["greedy"], 9)]


def test_a_lone_stream_whose_processor_fails_is_told_and_the_next_one_works() -> None:
    asked: list[int] = []

    def failing(tokens: mx.array, logits: mx.array) -> mx.array:
        asked.append(tokens.size)
        return raising(tokens, logits)

    backend = backend_of("llama")
    read(backend, 1, prompt_of(20), Sampling(processors=(failing,)))
    assert backend.step([1]) == [None]
    (failed,) = backend.step([1])
    assert isinstance(failed, ProcessorFailed)
    assert asked == [20]
    assert failed.sentence == "A logits processor failed (LookupError: no rule)."
    backend.release(1, keep=False)
    read(backend, 2, prompt_of(20), Sampling())
    assert replies(backend, [2])[2] == alone("llama", prompt_of(20), Sampling())


@pytest.mark.parametrize("reads_ids", [True, False])
def test_the_work_of_a_step_does_not_grow_with_the_steps_before(reads_ids: bool) -> None:
    """What no token needs is evaluated all the same, also where a processor does not look at the ids."""
    processor: Processor = odd_ids_less_likely if reads_ids else lambda tokens, logits: logits
    backend = backend_of("llama")
    read(backend, 1, prompt_of(20), Sampling(processors=(processor,)))
    sizes = []
    for _ in range(20):
        backend.step([1])
        graph = io.StringIO()
        mx.export_to_dot(graph, *backend._rows[1].sampler.held)
        sizes.append(graph.getvalue().count("shape=rectangle"))
    assert max(sizes[10:]) <= max(sizes[:10])
