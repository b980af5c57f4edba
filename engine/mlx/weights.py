"""A loaded model's weights: brought into memory piece by piece, in the precision the machine is fast at."""

from collections.abc import Callable

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.utils import tree_flatten
from mlx_lm.utils import dequantize_model

from engine.errors import LoadCancelled, ModelDamaged, ModelUnsupported
from engine.mlx.device import on_gpu

__all__ = ["embedding_rows", "materialize"]

TOKEN_EMBEDDINGS = {
    "embed_tokens",
    "wte",
    "word_embeddings",
    "embeddings",
    "tok_embeddings",
    "embedding",
    "token_embeddings",
    "embed_in",
    "embed",
}
"""What the models of mlx-lm call the table from token to vector."""


def materialize(model: Module, name: str, cancelled: Callable[[], bool]) -> None:
    """Evaluates every weight. On a CPU all become float32: other products are some 50 times slower there.

    Raises:
        LoadCancelled: `cancelled`, asked before each weight, said so.
        ModelDamaged: a weight could not be read.
    """
    if not on_gpu():
        # Scales first: in half precision the products would be rounded.
        model.set_dtype(mx.float32)
        dequantize_model(model)
    for weight in dict(tree_flatten(model.parameters())).values():  # type: ignore[no-untyped-call]
        if cancelled():
            raise LoadCancelled(f"{name} was not loaded: it was given up.")
        try:
            mx.eval(weight)
        except RuntimeError as error:
            raise ModelDamaged(f"The weights of {name} could not be read into memory ({error}).") from error


def embedding_rows(model: Module) -> int:
    """Tokens that the model has a vector for; a higher id would read foreign memory.

    Raises:
        ModelUnsupported: no token embedding was found.
    """
    for path, module in model.named_modules():  # type: ignore[no-untyped-call]
        if path.rpartition(".")[2] in TOKEN_EMBEDDINGS and "weight" in module:
            return int(module["weight"].shape[0])
    raise ModelUnsupported("The model has no token embedding that this version knows.")
