"""A model's tokenizer alone, without its weights."""

from pathlib import Path

from transformers import PreTrainedTokenizerBase

from engine.errors import ModelMissing
from engine.mlx.folder import folder_tokenizer
from engine.mlx.gguf_file import read_container
from engine.mlx.gguf_tokenizer import read_tokenizer

__all__ = ["load_tokenizer"]


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a model folder or GGUF file, its chat template attached.

    Raises:
        ModelMissing, ModelDamaged: nothing is there, or it is cut or nonsense.
        ModelUnsupported: another kind of tokenizer.
    """
    if not path.exists():
        raise ModelMissing(f"There is no model at {path}.")
    if path.is_dir():
        return folder_tokenizer(path)
    return read_tokenizer(path.name, read_container(path).metadata)
