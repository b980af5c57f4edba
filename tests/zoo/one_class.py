"""One model class of mlx-lm, tiny and random: what the row check chooses, and whether the laws hold.

Usage: python -m tests.zoo.one_class NAME. Prints a JSON object; an empty one for a module without a model.
"""

import json
import sys
from importlib import import_module
from typing import Any

import engine.mlx  # noqa: F401

# isort: split
import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache
from transformers import PreTrainedTokenizerBase

from engine.checking.laws import LAWS, tried
from engine.checking.trial import CAPS, Plan, Trial
from engine.mlx.backend import MlxBackend
from engine.mlx.device import leave_thread
from engine.mlx.load import LoadedModel
from engine.mlx.row_check import FAILURES, _Trial, check_rows, prepare_rows
from engine.mlx.tiny_families import randomized
from engine.sharing import Sharing
from tests.zoo.configurations import configuration


class Nonsense(Exception):
    """The guessed configuration makes a model of invalid numbers."""


PLAN = Plan((37, 20, 9), 5, 1, (2,))


def built(name: str) -> LoadedModel | None:
    """With random weights, tried on a few tokens; None where the module holds no model."""
    module = import_module(f"mlx_lm.models.{name}")
    if not (hasattr(module, "Model") and hasattr(module, "ModelArgs")):
        return None
    config = configuration(name, module.ModelArgs)
    model = randomized(module.Model(module.ModelArgs.from_dict(config)), 0)
    mx.eval(model.parameters())
    logits = model(mx.array([[5, 6, 7]]), cache=make_prompt_cache(model))
    if not mx.isfinite(logits.max()).item() or not (logits.max() > logits.min()).item():
        raise Nonsense("its logits are flat or not finite")
    text = config.get("text_config") or {}
    rows = config.get("vocab_size") or text.get("vocab_size") or 281
    return LoadedModel(model, PreTrainedTokenizerBase(), name, config, 1024, rows, frozenset())


def found(loaded: LoadedModel) -> dict[str, Any]:
    chosen = check_rows(loaded.model, loaded.vocabulary)
    trial = Trial(lambda: MlxBackend(loaded, chosen, CAPS), loaded.vocabulary, PLAN)
    laws = {tally.law: [tally.identical, tally.compared, tally.first] for tally in tried(trial, LAWS)}
    return {
        "mode": chosen.mode,
        "rows": chosen.rows,
        "caches": sorted({type(cache).__name__ for cache in make_prompt_cache(loaded.model)}),
        "laws": laws,
        "keeps": trial.keeps,
        "lively": trial.lively(),
        "why": why_in_turns(loaded) if chosen.mode == "turns" else "",
    }


def why_in_turns(loaded: LoadedModel) -> str:
    """What the row check ran into, in one phrase."""
    prepare_rows(loaded.model, Sharing("rows", 1))
    trial = _Trial(loaded.model, loaded.vocabulary, lambda: False)
    try:
        if not trial.holds(1):
            return "a row that is handed over alone comes back different"
        return "two rows differ from one" if not trial.holds(2) else "no number of rows holds"
    except FAILURES as error:
        return f"{told(error)} ({where(error)})"


def told(error: BaseException) -> str:
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first[:90]}"


def where(error: BaseException) -> str:
    """The model's own module that raised."""
    files = []
    trace = error.__traceback__
    while trace:
        folder, _, file = trace.tb_frame.f_code.co_filename.rpartition("/")
        if folder.endswith("mlx_lm/models") and file not in ("base.py", "cache.py"):
            files.append(file)
        trace = trace.tb_next
    return files[-1] if files else "mlx-lm"


def tried_class(name: str) -> dict[str, Any]:
    try:
        loaded = built(name)
    # A guessed configuration may be nonsense, and what a model then raises may be anything.
    except (Exception, SystemExit) as error:
        return {"unbuilt": f"{told(error)} ({where(error)})"}
    try:
        return found(loaded) if loaded else {}
    except Exception as error:
        return {"failed": f"{told(error)} ({where(error)})"}


def main() -> None:
    result = tried_class(sys.argv[1])
    leave_thread()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
