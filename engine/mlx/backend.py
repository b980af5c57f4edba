"""The Backend over MLX for any mlx-lm model: one cache a stream, chunks, steps one token ahead."""

import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.api import Sampling
from engine.backend import Cap, ModelFacts
from engine.cache.kept import Kept, KeptStates
from engine.errors import ReplyError
from engine.mlx.caches import Caches, append_only, arrays, copied, copyable, metadata, trimmed
from engine.mlx.decoding import Decoding
from engine.mlx.device import leave_thread, on_gpu
from engine.mlx.load import LoadedModel
from engine.mlx.sampling import Sampler, outcome
from engine.sharing import Sharing

__all__ = ["CPU_CAPS", "GPU_CAPS", "KEPT_BYTES", "MlxBackend"]

GPU_CAPS = (Cap(0, 512),)
CPU_CAPS = (Cap(0, 32), Cap(768, 16), Cap(2048, 8))
"""Chunks of a third of a second on one core with SmolLM2-135M in float32: some 0.1 s for any chunk,
3 ms a row, and 5 to 10 microseconds for each pair of a row and a key (attention's exponentials)."""

KEPT_BYTES = 2 << 30
"""Device memory for kept states."""


@dataclass(slots=True)
class _Row:
    """One stream's side of the model. Attributes: `at`, positions in `caches`; `pending`, a token
    [1] drawn on the device that was not handed out yet, or what ended the stream at that place."""

    prompt: tuple[int, ...]
    cuts: Sequence[int]
    caches: Caches
    at: int
    sampler: Sampler
    pending: mx.array | ReplyError | None = None


class MlxBackend:
    """See engine.backend.Backend. Belongs to the thread that made it."""

    def __init__(self, loaded: LoadedModel, sharing: Sharing, caps: tuple[Cap, ...] | None = None) -> None:
        self._model = loaded.model
        self._decoding = Decoding(loaded.model, sharing)
        self._thread = threading.get_ident()
        self._rows: dict[int, _Row] = {}
        self._kept: KeptStates[Caches] = KeptStates(KEPT_BYTES)
        self.facts = ModelFacts(
            context=loaded.context,
            vocabulary=loaded.vocabulary,
            stop_tokens=loaded.stop_tokens,
            caps=caps or (GPU_CAPS if on_gpu() else CPU_CAPS),
            sharing=sharing,
        )

    def open(self, id: int, prompt: Sequence[int], sampling: Sampling, cuts: Sequence[int]) -> int:
        self._check_thread()
        prompt = tuple(prompt)
        found = self._kept.find(prompt, cuts)
        caches, at = self._new_caches(), 0
        if found:
            kept, at = found
            caches = trimmed(copied(kept.state), len(kept.tokens) - at)
        self._rows[id] = _Row(prompt, cuts, caches, at, Sampler(sampling, prompt))
        return at

    def prefill_step(self, id: int, end: int) -> None:
        self._check_thread()
        row = self._rows[id]
        self._model(mx.array([row.prompt[row.at : end]]), cache=row.caches)
        mx.eval(arrays(row.caches))
        row.at = end

    def cancel_prefill(self, id: int) -> int:
        self._check_thread()
        row = self._rows.pop(id)
        self._keep(row, row.caches, row.at)
        return row.at

    def step(self, ids: Sequence[int]) -> list[int | ReplyError | None]:
        self._check_thread()
        rows = [self._rows[id] for id in ids]
        submitted = [row.pending for row in rows]
        # The next tokens are computed while these are read and turned into text.
        drawing = [row for row in rows if not isinstance(row.pending, ReplyError)]
        self._draw(drawing)
        mx.async_eval([(row.pending, row.sampler.held, metadata(row.caches)) for row in drawing])  # type: ignore[no-untyped-call]
        return [_drawn(token) for token in submitted]

    def release(self, id: int, keep: bool) -> None:
        self._check_thread()
        row = self._rows.pop(id)
        filled = len(row.prompt) - 1
        if keep and (row.at == filled or (row.at > filled and append_only(row.caches))):
            self._keep(row, trimmed(row.caches, row.at - filled), filled)

    def reset(self) -> None:
        self._check_thread()
        self._rows.clear()
        self._kept.clear()
        mx.clear_cache()

    def close(self) -> None:
        self.reset()
        del self._model, self._decoding
        leave_thread()

    def _new_caches(self) -> Caches:
        from mlx_lm.models.cache import make_prompt_cache

        return list(make_prompt_cache(self._model))

    def _input(self, row: _Row) -> mx.array:
        """The token [1] that the row feeds next: the last one drawn, at first the prompt's last."""
        if isinstance(row.pending, mx.array):
            return row.pending
        filled = len(row.prompt) - 1
        if copyable(row.caches) and not append_only(row.caches):
            self._keep(row, copied(row.caches), filled)
        return mx.array(row.prompt[filled:])

    def _draw(self, rows: Sequence[_Row]) -> None:
        """Feeds each row the token that is its input and draws the one after it."""
        fresh = [row.at == 0 for row in rows]
        logits = self._decoding.step([self._input(row) for row in rows], [row.caches for row in rows], fresh)
        for row, own in zip(rows, logits, strict=True):
            row.at += 1
            row.pending = row.sampler.draw(own, row.at)

    def _keep(self, row: _Row, caches: Caches, at: int) -> None:
        if not at or not copyable(caches):
            return
        held = sum(array.nbytes for array in arrays(caches))
        cuts = tuple(row.cuts[: bisect_right(row.cuts, at)])
        self._kept.keep(Kept(row.prompt[:at], cuts, caches, append_only(caches), held))

    def _check_thread(self) -> None:
        assert threading.get_ident() == self._thread, "MLX is used off the lane's thread"


def _drawn(token: mx.array | ReplyError | None) -> int | ReplyError | None:
    """Waits for a submitted token."""
    if not isinstance(token, mx.array):
        return token
    number: Any = token.item()
    return outcome(int(number))
