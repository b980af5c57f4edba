"""How fast streams decode here, beside mlx-lm's own ways, in one run."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx
from mlx_lm.generate import BatchGenerator, generate_step

from engine.api import Sampling
from engine.mlx.backend import MlxBackend
from engine.mlx.load import LoadedModel
from engine.mlx.row_linear import multiply_whole
from engine.sharing import Sharing

__all__ = ["STREAMS", "Rate", "measure_decoding"]

STREAMS = (1, 4, 8)
LENGTHS = (40, 64, 80, 52, 47, 70, 61, 90)
"""Tokens of each stream's prompt: chats are never of one length."""

WARM_STEPS = 3
"""Steps before the clock starts."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens a second of so many streams together. Attributes: `rates`, one a repeat, in order."""

    name: str
    streams: int
    rates: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rates)

    def times(self, other: "Rate") -> float:
        """How many times as fast as `other`: the median over repeats, for a machine's speed changes between
        them."""
        return statistics.median(own / its for own, its in zip(self.rates, other.rates, strict=True))


def measure_decoding(loaded: LoadedModel, sharing: Sharing, tokens: int, repeats: int) -> list[Rate]:
    """Times `tokens` steps of 1, 4 and 8 greedy streams, ours and mlx-lm's in turn, `repeats` times over.

    Every way runs once before that, for what is compiled on first use.
    """
    prompts = [[(7 * place + length) % loaded.vocabulary for place in range(length)] for length in LENGTHS]
    ways: dict[tuple[str, int], Callable[[], float]] = {}
    for count in STREAMS:
        chosen = prompts[:count]
        ways["interlace", count] = _way(_ours, loaded, sharing, chosen, tokens)
        if count == 1:
            ways["mlx-lm generate_step", 1] = _way(_generate_step, loaded, sharing, chosen, tokens)
        else:
            ways["mlx-lm BatchGenerator", count] = _way(_batch_generator, loaded, sharing, chosen, tokens)
    runs = [{name: way() for name, way in ways.items()} for _ in range(1 + repeats)][1:]
    return [Rate(name, count, tuple(run[name, count] for run in runs)) for name, count in ways]


_Measure = Callable[[LoadedModel, Sharing, Sequence[list[int]], int], float]


def _way(
    measure: _Measure, loaded: LoadedModel, sharing: Sharing, prompts: Sequence[list[int]], tokens: int
) -> Callable[[], float]:
    return lambda: measure(loaded, sharing, prompts, tokens)


def _ours(loaded: LoadedModel, sharing: Sharing, prompts: Sequence[list[int]], tokens: int) -> float:
    backend = MlxBackend(loaded, sharing)
    ids = range(len(prompts))
    for id, prompt in enumerate(prompts):
        filled = len(prompt) - 1
        backend.open(id, prompt, Sampling(), [filled])
        backend.prefill_step(id, filled)
    rate = _rate(lambda: len(backend.step(ids)), tokens)
    backend.reset()
    return rate


def _generate_step(loaded: LoadedModel, _: Sharing, prompts: Sequence[list[int]], tokens: int) -> float:
    multiply_whole(loaded.model)
    steps = generate_step(mx.array(prompts[0]), loaded.model, max_tokens=tokens + WARM_STEPS + 1)

    def step() -> int:
        next(steps)
        return 1

    return _rate(step, tokens)


def _batch_generator(loaded: LoadedModel, _: Sharing, prompts: Sequence[list[int]], tokens: int) -> float:
    multiply_whole(loaded.model)
    generator = BatchGenerator(loaded.model, max_tokens=4 * tokens, stop_tokens=[])
    generator.insert(list(prompts))
    while len(generator.next_generated()) < len(prompts):
        pass
    rate = _rate(lambda: len(generator.next_generated()), tokens)
    generator.close()
    return rate


def _rate(step: Callable[[], int], steps: int) -> float:
    for _ in range(WARM_STEPS):
        step()
    started = time.perf_counter()
    made = sum(step() for _ in range(steps))
    return made / (time.perf_counter() - started)
