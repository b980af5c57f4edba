"""Getting a model into memory, from a folder or a GGUF file, with what a lane must know of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from mlx.nn.layers.base import Module
from transformers import PreTrainedTokenizerBase

from engine.errors import ModelMissing, ModelUnsupported, TokenizerMismatch
from engine.mlx.folder import load_folder
from engine.mlx.gguf import load_gguf
from engine.mlx.stop_tokens import stop_tokens
from engine.mlx.weights import embedding_rows, materialize

__all__ = ["DEFAULT_CONTEXT", "LoadedModel", "load"]

DEFAULT_CONTEXT = 8192
"""Tokens of context for a model that states no limit, such as a purely recurrent one."""

CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "n_ctx",
    "model_max_length",
)
LONGEST_CONTEXT = 100_000_000
"""Tokens; tokenizers without a limit state 10**30."""

LEFT_OUT = 8
"""Special tokens behind the embedding's last row that a model may name and never use."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model whose weights are in memory.

    Attributes:
        model: called with ids [batch, tokens], gives logits [batch, tokens, vocabulary].
        tokenizer: of transformers, the chat template attached; a base model's is None.
        name: of the folder or file, without its ending.
        config: of config.json, or the same made from a GGUF file.
        context: most tokens of prompt and reply together.
        vocabulary: rows of the token embedding.
        stop_tokens: ids that end a reply.
    """

    model: Module
    tokenizer: PreTrainedTokenizerBase
    name: str
    config: dict[str, Any]
    context: int
    vocabulary: int
    stop_tokens: frozenset[int]


def load(path: Path, cancelled: Callable[[], bool] = lambda: False) -> LoadedModel:
    """Loads the folder or `.gguf` file at `path`; `cancelled` is asked between pieces.

    Raises:
        ModelMissing: nothing is there, or one of its files is absent.
        ModelDamaged: a file is cut or holds nonsense.
        ModelUnsupported: an architecture, tensor type or tokenizer unknown to this version.
        TokenizerMismatch: the tokenizer knows ids the weights have no row for.
        LoadCancelled: `cancelled` said so.
    """
    if not _exists(path):
        raise ModelMissing(f"There is no model at {path}.")
    if path.is_dir():
        name = path.resolve().name
        model, config, tokenizer = load_folder(path)
    elif path.suffix.lower() == ".gguf":
        name = path.stem
        model, config, tokenizer = load_gguf(path, cancelled)
    else:
        raise ModelUnsupported(
            f"{path.name} is not a model this version reads.", "Choose a model's folder or a .gguf file."
        )
    rows = embedding_rows(model)
    _check_ids(name, tokenizer, rows)
    materialize(model, name, cancelled)
    return LoadedModel(
        model, tokenizer, name, config, _context(config, tokenizer), rows, stop_tokens(config, tokenizer)
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise ModelMissing(f"{path} cannot be opened ({error.strerror}).") from error


def _check_ids(name: str, tokenizer: PreTrainedTokenizerBase, rows: int) -> None:
    """MLX checks no bounds: one id too high ends the process.

    A few special tokens right behind the table are let pass: gemma-3-1b-it names an image token
    that its weights leave out. The lane refuses a prompt that holds one.
    """
    special = {id for id, token in tokenizer.added_tokens_decoder.items() if token.special}
    for token, id in tokenizer.get_vocab().items():
        if id < rows or (id in special and id < rows + LEFT_OUT):
            continue
        raise TokenizerMismatch(
            f"The tokenizer and the weights of {name} do not match "
            f"(token {id:,}, {token!r}, of a vocabulary of {rows:,})."
        )


def _context(config: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase) -> int:
    text = config.get("text_config")
    places = (config, text if isinstance(text, Mapping) else {}, vars(tokenizer))
    stated = (place.get(key) for place in places for key in CONTEXT_KEYS)
    return next(filter(_sane, stated), DEFAULT_CONTEXT)


def _sane(limit: object) -> TypeGuard[int]:
    return isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit <= LONGEST_CONTEXT
