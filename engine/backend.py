"""What a round asks of a loaded model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.api import Sampling
from engine.errors import ReplyError
from engine.sharing import TURNS, Sharing

__all__ = ["Backend", "Cap", "ModelFacts"]


@dataclass(frozen=True, slots=True)
class Cap:
    """From prompt position `start` on, chunks end at multiples of `rows`."""

    start: int
    rows: int


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the lane needs to know of a model.

    Attributes:
        context: most tokens of prompt and reply together.
        vocabulary: rows of the embedding; ids from 0 to one less are safe.
        stop_tokens: ids that end a reply.
        caps: the largest chunk by prompt position, ascending from position 0. A function of
            the model and the machine alone, so that cuts never move with load.
        sharing: how decoding streams are run.
    """

    context: int
    vocabulary: int
    stop_tokens: frozenset[int]
    caps: tuple[Cap, ...]
    sharing: Sharing = TURNS


class Backend(Protocol):
    """A loaded model and its caches, one per stream. Every call comes from the lane's thread.

    A prompt of n tokens is filled up to n - 1; its last token is the input of the first step,
    so a fill never samples and a fully reused prompt still has one row to run.
    """

    facts: ModelFacts

    def open(self, id: int, prompt: Sequence[int], sampling: Sampling, cuts: Sequence[int]) -> int:
        """Gives the stream a cache and restores the longest kept state into it.

        `cuts` are the ends of the chunks of a whole pass, ascending, the last one n - 1. A state
        is restored only at one of them, so that what follows is cut like a whole pass.

        Returns: the position restored, 0 for none.
        """

    def prefill_step(self, id: int, end: int) -> None:
        """Runs one chunk: the prompt from where the stream stands up to `end`, and waits for it."""

    def cancel_prefill(self, id: int) -> int:
        """Keeps the state at the end of the last chunk and forgets the stream. Runs no prompt work.

        Returns: the position kept.
        """

    def step(self, ids: Sequence[int]) -> list[int | ReplyError | None]:
        """Draws the next token of each filled stream.

        Returns: for each id, in order, its token; what ends that stream alone; or None in its first
            step, whose token was only submitted and comes with the next one.
        """

    def release(self, id: int, keep: bool) -> None:
        """Forgets the stream. With `keep`, and its prompt filled, the prompt's state is kept."""

    def reset(self) -> None:
        """Drops every stream and every kept state; the model stays. Called after a failed round."""

    def close(self) -> None:
        """Frees everything, the model included."""
