"""The tokenizer of the tiny models: byte-level BPE, trained on one sentence, written to a folder."""

import json
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

__all__ = ["CHATML", "ROWS", "SPECIALS", "write_tokenizer"]

ROWS = 281
"""Tokens, and rows of the models' embeddings: 4 specials, 256 bytes, 21 merges."""

SPECIALS = ("<s>", "</s>", "<|im_start|>", "<|im_end|>")
"""The special tokens, ids 0 to 3."""

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

SENTENCE = "the quick brown fox jumps over the lazy dog and then the other dog jumps over the brown fox again"


def write_tokenizer(
    folder: Path, eos: str | None, chat_template: str | None, extra: Mapping[str, int]
) -> None:
    """Writes tokenizer.json and tokenizer_config.json; the same arguments give the same bytes.

    Args:
        eos: the end token; None for none.
        chat_template: Jinja source; None makes a base model.
        extra: added tokens and their ids, which may lie outside the embedding.
    """
    content = json.loads(_train().to_str())
    for token, row in extra.items():
        content["model"]["vocab"][token] = row
        content["added_tokens"].append({**content["added_tokens"][0], "content": token, "id": row})
    _write(folder / "tokenizer.json", content)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": eos,
        "clean_up_tokenization_spaces": False,
        "chat_template": chat_template,
    }
    _write(
        folder / "tokenizer_config.json",
        {name: value for name, value in settings.items() if value is not None},
    )


def _train() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=ROWS,
        special_tokens=list(SPECIALS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([SENTENCE], trainer)
    return tokenizer


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
