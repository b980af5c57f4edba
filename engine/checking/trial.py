"""The requests that a model is tried with, and the reply to each alone, fresh and read whole."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.api import Request, Sampling
from engine.backend import Backend, Cap
from engine.checking.comparison import Comparison
from engine.checking.driver import Driver, Reply

__all__ = ["BRIEF", "CAPS", "FULL", "Plan", "Trial", "described"]

CAPS = (Cap(0, 16), Cap(64, 8))
"""Chunks small enough for a short prompt to have many cuts."""


def _by_every_bit(_: Any, logits: Any) -> Any:
    # Imported late, for a trial as such needs no MLX.
    from engine.mlx.every_bit import scrambled

    return scrambled(logits)


KINDS = {
    "greedy": Sampling(),
    "sampled": Sampling(
        temperature=0.9, top_p=0.95, top_k=60, min_p=0.01, repetition_penalty=1.1, seed=20_001
    ),
    "by every bit": Sampling(processors=(_by_every_bit,)),
}
"""How tokens are drawn."""

LIVELY = 4
"""Different tokens of a reply that is no mere repetition."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is tried.

    Attributes:
        lengths: tokens of the prompts; the first one is cut at every cut.
        tokens: of each reply.
        some: how many prompts those laws take that need no more than a few.
        crowds: numbers of neighbours.
    """

    lengths: tuple[int, ...]
    tokens: int
    some: int
    crowds: tuple[int, ...]


FULL = Plan((82, 75, 42, 90, 1, 23, 57, 8), 8, 3, (1, 2, 3, 7))
BRIEF = Plan((37, 20, 25, 9, 17), 5, 1, (1, 3))
"""For a real model, whose forward takes longer than a tiny one's whole reply."""


class Trial:
    """What a plan asks of one model.

    Attributes:
        plan: how much.
        mixes: every prompt in every one of KINDS: the kinds take turns in a mix, and each mix begins with
            another one.
    """

    def __init__(self, new_backend: Callable[[], Backend], vocabulary: int, plan: Plan) -> None:
        """`new_backend` gives one that holds nothing, of the same model each time."""
        self._new_backend = new_backend
        self._alone: dict[Request, tuple[int, ...]] = {}
        self.plan = plan
        source = random.Random(20_000)
        prompts = [tuple(source.randrange(4, vocabulary) for _ in range(size)) for size in plan.lengths]
        kinds = list(KINDS.values())
        self.mixes = [
            [
                Request(prompt=prompt, sampling=kinds[(place + first) % len(kinds)], max_tokens=plan.tokens)
                for place, prompt in enumerate(prompts)
            ]
            for first in range(len(kinds))
        ]

    def driver(self) -> Driver:
        """One over a backend of its own."""
        return Driver(self._new_backend())

    def alone(self, request: Request) -> tuple[int, ...]:
        """The reply of that stream alone, fresh, its prompt read without anything between the chunks."""
        if request not in self._alone:
            driver = self.driver()
            reply = driver.open(request).read()
            driver.speak(reply)
            self._alone[request] = tuple(reply.said)
        return self._alone[request]

    def compare(self, reply: Reply, case: str = "", fault: str = "") -> Comparison:
        """With the reply alone, as far as this one got."""
        expected = self.alone(reply.request)[: len(reply.said)]
        return Comparison(f"{described(reply.request)}{case}", reply.said, expected, fault)

    @cached_property
    def keeps(self) -> bool:
        """Whether states of this model can be kept; some bring caches that cannot be copied."""
        driver, request = self.driver(), self.mixes[0][0]
        first = driver.open(request)
        first.read_chunk()
        return first.cancel() == driver.open(request).reused

    def lively(self) -> bool:
        """Whether replies tell prompts apart and three in four hold several tokens; otherwise comparing them
        shows nothing."""
        asked = [request for mix in self.mixes for request in mix if not request.sampling.processors]
        replies = [self.alone(request) for request in asked]
        varied = sum(len(set(reply)) >= LIVELY for reply in replies)
        return len(set(replies)) == len(replies) and 4 * varied >= 3 * len(replies)


def described(request: Request) -> str:
    kind = next(name for name, sampling in KINDS.items() if sampling == request.sampling)
    return f"{kind}, a prompt of {len(request.prompt or ())}"
