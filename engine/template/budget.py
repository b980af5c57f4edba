"""What one run of a template may use: its time, and the bytes of everything that it makes."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["BYTES", "SECONDS", "Budget", "LimitExceeded", "Weight"]

SECONDS = 2.0
BYTES = 32 << 20
"""For what the template makes beside `COPIES` copies of what it was given."""
COPIES = 16

NODE = 16
"""Bytes that one value takes in a text about it, at most, beside the characters of strings."""

CONTAINERS: tuple[type, ...] = (
    list,
    dict,
    tuple,
    range,
    set,
    frozenset,
    type({}.items()),
    type({}.keys()),
    type({}.values()),
)

SMALL = 64
"""Bytes of a string or number that are free: their number is bounded by the time."""


class LimitExceeded(Exception):
    """A template wants more than it may use. Its text says what: a clause without a full stop."""


@dataclass(frozen=True, slots=True)
class Weight:
    """All that is in a value, counted as often as it is there.

    Attributes:
        bytes: of a text about it, before escapes.
        nodes: values.
        depth: levels of nesting.
    """

    bytes: int
    nodes: int
    depth: int


class Budget:
    """Counts down. Belongs to one run on one thread."""

    def __init__(self, given: int, clock: Callable[[], float]) -> None:
        """`given` is the size of what the template is to render, in bytes; `clock`, in seconds."""
        self._left = BYTES + COPIES * given
        self._clock = clock
        self._end = clock() + SECONDS

    def tick(self) -> None:
        """Looks at the clock. Raises LimitExceeded."""
        if self._clock() >= self._end:
            raise LimitExceeded(f"it ran longer than {SECONDS:g} s")

    def afford(self, size: int) -> None:
        """Whether so many bytes may be made now. Raises LimitExceeded."""
        if size > self._left:
            raise LimitExceeded(f"it wanted more than {BYTES >> 20} MB of memory")

    def charge(self, size: int) -> None:
        """Takes bytes that were made. Raises LimitExceeded."""
        self.afford(size)
        self._left -= size

    def made(self, value: Any) -> Any:
        """Charges for a value that was just made, and returns it."""
        free = SMALL if isinstance(value, str | int | float) else 0
        self.charge(max(0, sys.getsizeof(value) - free))
        return value

    def weigh(self, value: Any) -> Weight:
        """Walks through a value before code that cannot be interrupted does. Raises LimitExceeded."""
        size = nodes = depth = 0
        waiting = [(value, 1)]
        while waiting:
            item, level = waiting.pop()
            nodes += 1
            depth = max(depth, level)
            size += NODE
            if isinstance(item, str):
                size += sys.getsizeof(item)
            elif isinstance(item, CONTAINERS):
                waiting += [(part, level + 1) for part in _parts(item)]
                self.afford(len(waiting) * NODE)
            if not nodes % 1024:
                self.tick()
                self.afford(size)
        self.afford(size)
        return Weight(size, nodes, depth)


def _parts(value: Any) -> list[object]:
    return [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
