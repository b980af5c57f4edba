"""How a stream's next token is drawn, as a request says it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import BadRequest

__all__ = ["Processor", "Sampling"]

Processor = Callable[[Any, Any], Any]
"""Called on the lane's thread with the ids so far [tokens] and the logits [1, vocabulary], both arrays of
MLX; returns new logits of the same shape. It must not wait for a value: the step is not computed yet."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn. Draws depend on `seed` and the token's position alone.

    Attributes:
        temperature: 0 picks the most likely token; above 0 divides the logits.
        top_p: keep the smallest set of tokens whose probability reaches it, in (0, 1]; 1 is off.
        top_k: keep that many most likely tokens; 0 is off.
        min_p: drop tokens below this share of the most likely one, in [0, 1]; 0 is off.
        repetition_penalty: divide (or multiply) the logits of the last 64 tokens by it; 1 is off
            (arXiv:1909.05858).
        seed: any integer.
        processors: change the logits of this stream alone, in order, before all of the above.

    Raises:
        BadRequest: a value is out of its range.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int = 0
    processors: tuple[Processor, ...] = ()

    def __post_init__(self) -> None:
        ranges = {
            "temperature": (0 <= self.temperature <= 100, "from 0 to 100"),
            "top_p": (0 < self.top_p <= 1, "above 0 and at most 1"),
            "top_k": (self.top_k >= 0, "0 or more"),
            "min_p": (0 <= self.min_p <= 1, "from 0 to 1"),
            "repetition_penalty": (0 < self.repetition_penalty <= 100, "above 0 and at most 100"),
        }
        if not isinstance(self.seed, int) or not isinstance(self.top_k, int):
            raise BadRequest("seed and top_k take whole numbers.")
        for name, (holds, allowed) in ranges.items():
            if not holds:
                raise BadRequest(f"{name} is {getattr(self, name)}; it must be {allowed}.")
