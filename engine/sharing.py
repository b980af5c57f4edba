"""How the decoding streams of a model are run: in one forward, or one after the other."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["BATCHES", "TURNS", "Sharing"]

BATCHES = (2, 3, 4, 6, 8)
"""Numbers of rows that a shared forward may have where streams share it as they are."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the decoding streams of a model are run.

    Attributes:
        mode: "rows", in one forward with as many rows as there are streams, a lone stream in a plain one;
            "padded", in one forward that always has `rows` rows, also for a lone stream;
            "turns", each in a forward of its own.
        rows: most streams in one forward.
    """

    mode: Literal["rows", "padded", "turns"]
    rows: int

    def batch(self, streams: int) -> int:
        """Rows of the forward for so many streams: a number that was checked."""
        if self.mode == "padded":
            return self.rows
        return next(size for size in (1, *BATCHES) if size >= streams)

    def __str__(self) -> str:
        match self.mode:
            case "rows":
                return f"Replies run together in one pass, up to {self.rows} at a time"
            case "padded":
                return f"Replies run together in one pass that always has {self.rows} rows"
            case "turns":
                return "Replies take turns: one pass for several would change them, or is not possible"


TURNS = Sharing("turns", 1)
