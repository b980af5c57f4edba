"""What the user is told when something fails: one sentence and one next action."""

from dataclasses import dataclass

from engine.errors import EngineError

__all__ = ["KnownError", "Problem", "explain"]


class KnownError(Exception):
    """The machine or its state stands in the way: no fault of ours.

    Attributes:
        sentence: what happened, one sentence, names and numbers included.
        action: what the user can do next, one sentence.
    """

    action = "Try again."

    def __init__(self, sentence: str, action: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        if action is not None:
            self.action = action

    def __str__(self) -> str:
        return f"{self.sentence} {self.action}"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is shown of an error: what happened, and what can be done next."""

    sentence: str
    action: str


def explain(error: BaseException) -> Problem:
    """The problem an error stands for. One that is neither the engine's nor known is a fault of ours."""
    if isinstance(error, EngineError | KnownError):
        return Problem(error.sentence, error.action)
    return Problem(
        f"Interlace hit a fault ({_name(error)}).", "Please report it, and what you did just before."
    )


def _name(error: BaseException) -> str:
    first_line = str(error).strip().partition("\n")[0][:200].rstrip(".")
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
