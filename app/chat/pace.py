"""How fast prompts are read here, learned from the chunks seen, to tell the time that is left."""

from collections import deque
from statistics import StatisticsError, fmean, linear_regression

__all__ = ["Pace"]

FEWEST_CHUNKS = 3
REMEMBERED_CHUNKS = 256


class Pace:
    """A line through the last chunks: seconds per token over the prompt position, since attention
    makes deeper tokens slower. All replies of one model share one."""

    def __init__(self) -> None:
        self._chunks: deque[tuple[float, float]] = deque(maxlen=REMEMBERED_CHUNKS)

    def saw(self, start: int, end: int, seconds: float) -> None:
        """A piece of a prompt, from position `start` to `end`, took `seconds`."""
        self._chunks.append(((start + end) / 2, seconds / (end - start)))

    def seconds(self, start: int, end: int) -> float | None:
        """What reading from `start` to `end` will take; None before three chunks were seen."""
        if len(self._chunks) < FEWEST_CHUNKS:
            return None
        positions, costs = zip(*self._chunks, strict=True)
        try:
            slope, intercept = linear_regression(positions, costs)
        except StatisticsError:  # All of them at one position.
            slope, intercept = 0.0, fmean(costs)
        if slope < 0:
            slope, intercept = 0.0, fmean(costs)
        return (end - start) * max(intercept + slope * (start + end) / 2, 0.0)
