"""Kept states in RAM: which prompt each one belongs to, which one a new prompt may start from."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Kept", "KeptStates"]

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Kept(Generic[State]):
    """A saved cache.

    Attributes:
        tokens: what it has read.
        cuts: the ends of the chunks it was read in, ascending, the last one `len(tokens)`.
        state: the cache itself.
        trimmable: whether it can be cut back to an earlier cut.
        bytes: of device memory.
    """

    tokens: tuple[int, ...]
    cuts: tuple[int, ...]
    state: State
    trimmable: bool
    bytes: int


class KeptStates(Generic[State]):
    """The kept states of one model, the least recently used given up first."""

    def __init__(self, budget: int) -> None:
        """`budget` is in bytes; a single state above it is not kept."""
        self._budget = budget
        self._states: list[Kept[State]] = []

    @property
    def bytes(self) -> int:
        return sum(kept.bytes for kept in self._states)

    def keep(self, kept: Kept[State]) -> None:
        """Adds a state as the most recent one. Those it makes superfluous go."""
        self._states = [old for old in self._states if not _supersedes(kept, old)]
        self._states.append(kept)
        while self.bytes > self._budget:
            del self._states[0]

    def find(self, prompt: Sequence[int], cuts: Sequence[int]) -> tuple[Kept[State], int] | None:
        """The state that saves the most of `prompt`, and the cut to restore it at.

        Only a cut of both qualifies: anywhere else the chunks before or after it would not be
        those of a whole pass, and neither would the numbers.
        """
        best: tuple[Kept[State], int] | None = None
        for kept in self._states:
            at = _usable(kept, prompt, cuts)
            if at > (best[1] if best else 0):
                best = (kept, at)
        if best:
            self._states.remove(best[0])
            self._states.append(best[0])
        return best

    def clear(self) -> None:
        self._states.clear()


def _usable(kept: Kept[State], prompt: Sequence[int], cuts: Sequence[int]) -> int:
    """The last cut that both have within their common tokens; 0 for none."""
    shared = _common_prefix(kept.tokens, prompt)
    if not kept.trimmable and shared < len(kept.tokens):
        return 0
    for at in reversed(cuts[: bisect_right(cuts, shared)]):
        if kept.cuts[bisect_left(kept.cuts, at)] == at:
            return at if kept.trimmable or at == len(kept.tokens) else 0
    return 0


def _supersedes(new: Kept[State], old: Kept[State]) -> bool:
    """Whether `new` restores all that `old` does."""
    same = new.tokens[: len(old.tokens)] == old.tokens
    return same and (new.trimmable or len(new.tokens) == len(old.tokens))


def _common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Bisects over slices, which compare in C: prompts have up to a million tokens."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
