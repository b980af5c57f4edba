"""One prompt's way into the cache: its cuts, what was reused, how far it is."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from engine.backend import Cap

__all__ = ["Fill", "plan_cuts"]


def plan_cuts(total: int, caps: Sequence[Cap]) -> tuple[int, ...]:
    """The chunk ends of a whole pass over `total` prompt tokens, ascending; the last one is `total`.

    From each cap's start on, chunks end at multiples of its rows. The grid does not depend on where
    a pass begins, so a resumed pass cuts as the whole one does.
    """
    cuts: list[int] = []
    limits = [*(cap.start for cap in caps[1:]), total]
    at = 0
    for cap, limit in zip(caps, limits, strict=True):
        stop = min(limit, total)
        while at < stop:
            at = min(at - at % cap.rows + cap.rows, stop)
            cuts.append(at)
    return tuple(cuts)


@dataclass(slots=True)
class Fill:
    """Attributes: `cuts` of the whole pass; `at`, tokens in the cache; `reused`, of these not read now."""

    cuts: tuple[int, ...]
    at: int
    reused: int
    passed_over: int = 0

    @property
    def end(self) -> int:
        """Where the whole pass ends: one token before the prompt's end."""
        return self.cuts[-1] if self.cuts else 0

    @property
    def complete(self) -> bool:
        return self.at >= self.end

    @property
    def left(self) -> int:
        return self.end - self.at

    def next_cut(self) -> int:
        """Where the next chunk ends."""
        return self.cuts[bisect_right(self.cuts, self.at)]
