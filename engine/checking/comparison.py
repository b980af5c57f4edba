"""One reply beside what it must be, and how many of a law's replies are so."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Comparison", "Tally"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One reply, or another row of numbers, beside what it must be.

    Attributes:
        case: which one, for whoever looks for the fault.
        said, expected: ids.
        fault: what is wrong besides; empty for nothing.
    """

    case: str
    said: Sequence[int]
    expected: Sequence[int]
    fault: str = ""

    @property
    def identical(self) -> bool:
        return not self.difference

    @property
    def difference(self) -> str:
        """The first position that differs, counted from 1; empty where none does."""
        if self.fault:
            return f"{self.case}: {self.fault}"
        if list(self.said) == list(self.expected):
            return ""
        pairs = enumerate(zip(self.said, self.expected, strict=False))
        shorter = min(len(self.said), len(self.expected))
        place = next((at for at, (one, other) in pairs if one != other), shorter)
        return (
            f"{self.case}: position {place + 1} is {_at(self.said, place)}, not {_at(self.expected, place)}"
        )


@dataclass(slots=True)
class Tally:
    """One law on one model. Attributes: `first`, the first difference; empty when there is none."""

    law: str
    compared: int = 0
    identical: int = 0
    first: str = ""

    def add(self, comparison: Comparison) -> None:
        self.compared += 1
        self.identical += comparison.identical
        self.first = self.first or comparison.difference


def _at(ids: Sequence[int], place: int) -> str:
    return str(ids[place]) if place < len(ids) else "missing"
