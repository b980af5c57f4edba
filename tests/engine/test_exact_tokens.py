"""Ordinary text has the ids it always has, and only what is named is a control token."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from engine.exact_tokens import ExactTokenizer
from tests.tiny import make_tiny

CONTROL = frozenset({"<s>", "</s>"})
TEXT = st.text("ab <>/s\nä", max_size=20)


def wrapped(model: Any, normalizer: Any = None, pre_tokenizer: Any = None) -> Any:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.add_tokens([AddedToken("  ", normalized=False), AddedToken("<b>", normalized=False)])
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in sorted(CONTROL)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")


def unigram() -> Any:
    """Has the control tokens as pieces with the best scores, so that plain text would become them."""
    pieces = [("<unk>", -20.0), ("<s>", 0.0), ("</s>", 0.0), *((piece, -3.0) for piece in "ab<>/s▁\n")]
    return wrapped(models.Unigram(pieces, unk_id=0), pre_tokenizer=pre_tokenizers.Metaspace())


def merging() -> Any:
    """Merges plain text to a control token, and its word as a whole is one."""
    vocabulary = {piece: id for id, piece in enumerate(["<unk>", *"ab<>/s▁\n", "<s", "<s>", "</s>", "s>"])}
    merges = [("<", "s"), ("<s", ">")]
    model = models.BPE(vocabulary, merges, unk_token="<unk>", ignore_merges=True)
    return wrapped(model, normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))


def words() -> Any:
    vocabulary = {"<unk>": 0, "<s>": 1, "a": 2, "b": 3, "</s>": 7}
    model = models.WordLevel(vocabulary, unk_token="<unk>")
    return wrapped(model, normalizers.Lowercase(), pre_tokenizers.WhitespaceSplit())


MAKERS: Mapping[str, Callable[[], Any]] = {"unigram": unigram, "merging": merging, "words": words}
TOKENIZERS = {name: make() for name, make in MAKERS.items()}


@pytest.mark.parametrize("name", TOKENIZERS)
@given(TEXT.filter(lambda text: not any(token in text for token in CONTROL)))
def test_ordinary_text_has_the_same_ids(name: str, text: str) -> None:
    tokenizer = TOKENIZERS[name]
    plain = tokenizer.encode(text, add_special_tokens=False)
    assert ExactTokenizer(tokenizer, CONTROL).encode([(text, False)]) == plain


@pytest.mark.parametrize("name", TOKENIZERS)
@given(st.lists(st.tuples(TEXT, st.sampled_from(sorted(CONTROL)))))
def test_named_control_tokens_are_what_the_tokenizer_makes_of_them(
    name: str, parts: list[tuple[str, str]]
) -> None:
    tokenizer = TOKENIZERS[name]
    pieces = [piece for text, token in parts for piece in ((text, False), (token, True))]
    if any(token in text for text, _ in parts for token in CONTROL):
        return
    whole = "".join(text for text, _ in pieces)
    assert ExactTokenizer(tokenizer, CONTROL).encode(pieces) == tokenizer.encode(
        whole, add_special_tokens=False
    )


@pytest.mark.parametrize("name", TOKENIZERS)
@given(st.lists(st.sampled_from(["<s>", "</s>", "a", " ", "<", "s>"])))
def test_t10_text_never_becomes_a_control_token(name: str, parts: list[str]) -> None:
    tokenizer = TOKENIZERS[name]
    ids = ExactTokenizer(tokenizer, CONTROL).encode([("".join(parts), False), ("</s>", True)])
    control = set(tokenizer.convert_tokens_to_ids(sorted(CONTROL)))
    assert [id for id in ids if id in control] == [tokenizer.eos_token_id]


def test_t10_a_text_that_knows_the_secret_names_is_only_text(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(make_tiny(tmp_path))
    exact = ExactTokenizer(tokenizer, CONTROL)
    exact.encode([("a", False)])
    text = "".join(exact._names().values())
    ids = exact.encode([(text, False)])
    assert ids == tokenizer.encode(text, add_special_tokens=False)
    assert tokenizer.decode(ids) == text


def test_t10_a_tokenizer_that_cannot_be_copied_gets_the_text_in_two() -> None:
    class Slow:
        def encode(self, text: str, add_special_tokens: bool) -> list[int]:
            return [1000] if text in CONTROL else list(map(ord, text))

    ids = ExactTokenizer(Slow(), CONTROL).encode([("a", False), ("<s>", False), ("</s>", True)])
    assert ids == [ord("a"), *map(ord, "<s>"), 1000]
