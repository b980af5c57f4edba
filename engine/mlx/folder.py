"""A model out of a folder of safetensors, read by mlx-lm and transformers without running its code."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlx.nn.layers.base import Module
from mlx_lm.utils import load_model
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from engine.errors import ModelDamaged, ModelMissing, ModelUnsupported
from engine.mlx.checks import check_weights, read_json
from engine.mlx.stop_tokens import eos_ids
from engine.mlx.zoo import architecture

__all__ = ["folder_tokenizer", "load_folder"]

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer.model",
    "vocab.json",
    "*.tiktoken",
    "tekken.json",
)


def load_folder(folder: Path) -> tuple[Module, dict[str, Any], PreTrainedTokenizerBase]:
    """Loads a model, its weights not yet in memory, its config.json and its tokenizer.

    The `eos_token_id` of the config is the list of all that config.json and generation_config.json name.

    Raises:
        ModelMissing, ModelDamaged: a file is absent, cut or nonsense.
        ModelUnsupported: an architecture or tokenizer unknown here, or one that brings its own code.
    """
    stated = read_json(folder / "config.json")
    architecture(stated)
    generation = folder / "generation_config.json"
    ends = eos_ids(stated) + (eos_ids(read_json(generation)) if generation.exists() else [])
    check_weights(folder)
    model, config = _model(folder, stated)
    return model, config | {"eos_token_id": ends}, folder_tokenizer(folder)


def _model(folder: Path, stated: dict[str, Any]) -> tuple[Module, dict[str, Any]]:
    try:
        with _plainly_named(folder) as plain:
            model, config = load_model(plain, lazy=True, get_model_classes=architecture)
    except (ValueError, RuntimeError) as error:
        raise ModelDamaged(
            f"The weights of {folder.name} do not fit its config.json ({_first_line(error)})."
        ) from error
    except (TypeError, KeyError, AttributeError, IndexError, ArithmeticError, AssertionError) as error:
        raise ModelDamaged(
            f"The config.json of {folder.name} does not describe a model of the architecture "
            f"{stated['model_type']!r} ({type(error).__name__}: {_first_line(error)})."
        ) from error
    return model, config


@contextmanager
def _plainly_named(folder: Path) -> Iterator[Path]:
    """mlx-lm looks for weights with a pattern made of the path, which brackets in it would spoil."""
    if not any(character in str(folder) for character in "*?["):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="interlace-model-") as parent:
        link = Path(parent, "model")
        link.symlink_to(folder.resolve(), target_is_directory=True)
        yield link


def folder_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a model's folder, its chat template attached.

    Raises: ModelMissing, ModelDamaged, ModelUnsupported, as `load_folder` does.
    """
    if not any(any(folder.glob(name)) for name in TOKENIZER_FILES):
        raise ModelMissing(f"tokenizer.json is missing from {folder.name}.")
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
    except Exception as error:  # tokenizers raises nothing more specific
        for path in sorted(folder.glob("*.json")):
            read_json(path)
        raise ModelUnsupported(
            f"The tokenizer of {folder.name} is not supported ({_first_line(error)})."
        ) from error
    if not tokenizer.chat_template:
        tokenizer.chat_template = _template(folder)
    return tokenizer


def _template(folder: Path) -> str | None:
    """A chat template where transformers does not look: as one of several, or of a processor."""
    named = folder / "chat_templates" / "default.jinja"
    if named.exists():
        try:
            return named.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ModelMissing(
                f"{named.name} of {folder.name} cannot be opened ({error.strerror})."
            ) from error
    processor = folder / "chat_template.json"
    template = read_json(processor).get("chat_template") if processor.exists() else None
    return template if isinstance(template, str) else None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".: ")
