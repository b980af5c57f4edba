import importlib
import inspect
import pkgutil
from typing import Any, TypeVar

import pytest

import app
import engine.errors
from app.problems import KnownError, Problem, explain
from engine.errors import (
    EngineError,
    LaneFailed,
    ProcessorFailed,
    PromptTooLong,
    TemplateBroken,
    TokenOutOfRange,
)

T = TypeVar("T")
ARGUMENTS: dict[type[EngineError], tuple[Any, ...]] = {
    PromptTooLong: (54_321, 8_192),
    TokenOutOfRange: (300, 280),
    LaneFailed: (ValueError("boom"),),
    ProcessorFailed: (ValueError("no such token"),),
    TemplateBroken: ("tiny", "unexpected end of template", 3),
}


def tree(root: type[T]) -> list[type[T]]:
    return [root, *(kind for child in root.__subclasses__() for kind in tree(child))]


def engine_errors() -> list[type[EngineError]]:
    return [kind for kind in tree(EngineError) if kind.__module__ == engine.errors.__name__]


def make(kind: type[EngineError]) -> EngineError:
    parameters = inspect.signature(kind).parameters
    default = ("The model file is cut.",) if "sentence" in parameters else ()
    return kind(*ARGUMENTS.get(kind, default))


def is_sentence(text: str) -> bool:
    return len(text) > 5 and text[0].isupper() and text[-1] == "." and "\n" not in text


def test_the_walked_tree_is_every_public_engine_error() -> None:
    assert {kind.__name__ for kind in engine_errors()} == set(engine.errors.__all__)


@pytest.mark.parametrize("kind", engine_errors())
def test_every_engine_error_has_a_sentence_and_an_action(kind: type[EngineError]) -> None:
    error = make(kind)
    problem = explain(error)
    assert problem == Problem(error.sentence, error.action)
    assert is_sentence(problem.sentence)
    assert is_sentence(problem.action)


def test_every_known_error_of_the_app_has_an_action() -> None:
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if not module.name.startswith("app.ui") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds = [kind for kind in tree(KnownError) if kind.__module__.startswith("app.")]
    assert len(kinds) > 8
    assert all(is_sentence(kind.action) for kind in kinds)


def test_an_action_of_its_own_goes_before_the_kinds() -> None:
    assert explain(KnownError("The disk is full.", "Free some space.")).action == "Free some space."
    assert explain(EngineError("It ended.")) == Problem("It ended.", "Try again.")


def test_anything_else_is_a_fault_of_ours_named_by_its_type() -> None:
    problem = explain(ZeroDivisionError("division by zero"))
    assert problem.sentence == "Interlace hit a fault (ZeroDivisionError: division by zero)."
    assert problem.action.startswith("Please report it")


def test_a_fault_is_one_line_however_much_the_error_says() -> None:
    assert explain(KeyError()).sentence == "Interlace hit a fault (KeyError)."
    sentence = explain(ValueError("first line.\nsecond line" + "x" * 5_000)).sentence
    assert sentence == "Interlace hit a fault (ValueError: first line)."
    assert len(explain(ValueError("x" * 5_000)).sentence) < 300
