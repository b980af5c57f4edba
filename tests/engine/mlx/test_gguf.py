"""GGUF files: the same model and tokenizer as the folder they were made from; others are refused."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import EngineError, LoadCancelled, ModelDamaged, ModelMissing, ModelUnsupported
from engine.mlx.load import LoadedModel, load
from tests.tiny import make_tiny
from tests.tiny_gguf import BLOCKS, Tensor, dequantized, tiny_metadata, tiny_tensors, write_gguf

# isort: split
import mlx.core as mx
import numpy as np

IDS = [2, 104, 105, 32, 270, 33, 3, 200, 15, 16]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny") / "tiny")


def logits(loaded: LoadedModel) -> np.ndarray[Any, Any]:
    return np.array(loaded.model(mx.array([IDS])).astype(mx.float32))


def changed(folder: Path, path: Path, **metadata: object) -> Path:
    """TINY as a file with some of its metadata replaced, or left out where None is given."""
    entries = tiny_metadata(folder) | {key.replace("__", "."): value for key, value in metadata.items()}
    return write_gguf(path, {k: v for k, v in entries.items() if v is not None}, tiny_tensors(folder))


@pytest.mark.parametrize("type", BLOCKS)
def test_a_file_gives_the_logits_of_its_own_weights_in_float32(tiny: Path, tmp_path: Path, type: str) -> None:
    file = write_gguf(tmp_path / "tiny.gguf", tiny_metadata(tiny), tiny_tensors(tiny, type))
    folder = make_tiny(tmp_path / "same")
    weights = {name: mx.array(array) for name, array in dequantized(tiny, type).items()}
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    from_file = load(file)
    assert np.abs(logits(from_file) - logits(load(folder))).max() < 1e-4
    assert from_file.model.layers[0].self_attn.q_proj.weight.dtype == mx.float32


def test_what_a_lane_must_know_is_that_of_the_folder(tiny: Path, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "TINY.gguf", tiny_metadata(tiny), tiny_tensors(tiny))
    loaded, folder = load(file), load(tiny)
    assert (loaded.name, loaded.context, loaded.vocabulary) == ("TINY", 256, 281)
    assert loaded.stop_tokens == folder.stop_tokens == {3}


def test_a_table_of_its_own_for_the_output_is_used(tiny: Path, tmp_path: Path) -> None:
    tensors = tiny_tensors(tiny)
    table = np.zeros((281, 64), np.float32)
    table[7] = 1
    tensors["output.weight"] = Tensor(0, table.shape, table.tobytes())
    scores = logits(load(write_gguf(tmp_path / "untied.gguf", tiny_metadata(tiny), tensors)))
    assert np.all(np.delete(scores, 7, axis=-1) == 0)
    assert np.any(scores[..., 7] != 0)


def test_factors_of_the_positions_are_those_of_llama_3(tiny: Path, tmp_path: Path) -> None:
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    scaling |= {"original_max_position_embeddings": 64}
    expected = load(make_tiny(tmp_path / "scaled", model_overrides={"rope_scaling": scaling}))
    plain = 10000.0 ** (np.arange(0, 16, 2) / 16)
    factors = (np.array(expected.model.layers[0].self_attn.rope._freqs) / plain).astype(np.float32)
    tensors = tiny_tensors(tiny) | {"rope_freqs.weight": Tensor(0, factors.shape, factors.tobytes())}
    scores = logits(load(write_gguf(tmp_path / "scaled.gguf", tiny_metadata(tiny), tensors)))
    assert np.abs(scores - logits(expected)).max() < 1e-4
    assert np.abs(scores - logits(load(tiny))).max() > 1e-2


def test_on_a_gpu_weights_stay_packed_and_norms_become_half(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.mlx.gguf.on_gpu", lambda: True)
    monkeypatch.setattr("engine.mlx.weights.on_gpu", lambda: True)
    model = load(write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny, "Q4_1"))).model
    assert model.layers[0].mlp.up_proj.weight.dtype == mx.uint32
    assert model.layers[0].input_layernorm.weight.dtype == mx.float16


@pytest.mark.parametrize(
    "text",
    [
        "  two",
        "a👩‍👩‍👧‍👦b 你好 ďábelské 🇩🇪",
        "12345 6.78",
        "a\n\n\tb \r\n",
        "the fox's <|im_end|> a\x00b",
        "x\u00a0y",
    ],
)
def test_the_tokenizer_is_that_of_the_folder(tiny: Path, tmp_path: Path, text: str) -> None:
    made = load(write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny))).tokenizer
    ids = made.encode(text, add_special_tokens=False)
    assert ids == load(tiny).tokenizer.encode(text, add_special_tokens=False)
    assert made.decode(ids) == text
    chat = [{"role": "user", "content": text}]
    assert made.apply_chat_template(chat, tokenize=False) == (f"<|im_start|>user\n{text}<|im_end|>\n")


@pytest.mark.parametrize(
    ("kind", "pieces"),
    [
        ("gpt-2", ["I", "'", "LL", " see", " 1234", ",", " don", "'t", "\n\n", " x"]),
        ("smollm", ["I", "'", "LL", " see", " ", "1", "2", "3", "4", ",", " don", "'t", "\n\n", " x"]),
        ("llama-bpe", ["I", "'LL", " see", " ", "123", "4", ",", " don", "'t", "\n\n", " x"]),
        ("qwen2", ["I", "'LL", " see", " ", "1", "2", "3", "4", ",", " don", "'t", "\n\n", " x"]),
    ],
)
def test_text_is_cut_into_words_as_the_file_says(
    tiny: Path, tmp_path: Path, kind: str, pieces: list[str]
) -> None:
    loaded = load(changed(tiny, tmp_path / "t.gguf", tokenizer__ggml__pre=kind))
    cut = loaded.tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str("I'LL see 1234, don't\n\n x")
    assert [piece.replace("Ġ", " ").replace("Ċ", "\n") for piece, _ in cut] == pieces


def test_user_defined_tokens_are_whole_but_not_special(tiny: Path, tmp_path: Path) -> None:
    types = [3] * 4 + [1] * 277
    types[280] = 4
    loaded = load(changed(tiny, tmp_path / "t.gguf", tokenizer__ggml__token_type=types))
    token = loaded.tokenizer.convert_ids_to_tokens(280)
    assert loaded.tokenizer.added_tokens_decoder[280].content == token
    assert not loaded.tokenizer.added_tokens_decoder[280].special


def test_a_start_token_is_added_where_the_file_says_so(tiny: Path, tmp_path: Path) -> None:
    loaded = load(changed(tiny, tmp_path / "t.gguf", tokenizer__ggml__add_bos_token=True))
    assert loaded.tokenizer.encode("fox")[0] == 0
    assert loaded.tokenizer.encode("fox", add_special_tokens=False)[0] != 0


def test_a_model_without_a_template_loads(tiny: Path, tmp_path: Path) -> None:
    loaded = load(changed(tiny, tmp_path / "t.gguf", tokenizer__chat_template=None))
    assert loaded.tokenizer.chat_template is None


def test_every_end_token_of_the_file_ends_a_reply(tiny: Path, tmp_path: Path) -> None:
    file = changed(
        tiny, tmp_path / "t.gguf", tokenizer__ggml__eos_token_id=1, tokenizer__ggml__eot_token_id=280
    )
    assert load(file).stop_tokens == {1, 3, 280}


REFUSED: list[tuple[dict[str, object], type[EngineError], str]] = [
    ({"general__architecture": "mamba"}, ModelUnsupported, "'mamba'"),
    ({"general__architecture": None}, ModelUnsupported, "None"),
    ({"llama__expert_count": 8}, ModelUnsupported, "mixture of experts"),
    ({"llama__rope__scaling__type": "yarn"}, ModelUnsupported, "positions"),
    ({"llama__rope__dimension_count": 8}, ModelUnsupported, "positions"),
    ({"llama__block_count": 3}, ModelDamaged, "2 of 3 layers"),
    ({"llama__attention__head_count": 0}, ModelDamaged, "head_count is 0"),
    ({"llama__attention__head_count_kv": 3}, ModelDamaged, "3 heads"),
    ({"llama__context_length": "long"}, ModelDamaged, "context_length is long"),
    ({"llama__rope__freq_base": -1.0}, ModelDamaged, "freq_base is -1"),
    ({"llama__attention__head_count": 2, "llama__rope__dimension_count": 32}, ModelDamaged, "2 heads"),
    ({"tokenizer__ggml__model": "llama"}, ModelUnsupported, "'llama'"),
    ({"tokenizer__ggml__pre": "tekken"}, ModelUnsupported, "'tekken'"),
    ({"tokenizer__ggml__tokens": None}, ModelDamaged, "no tokens"),
    ({"tokenizer__ggml__merges": ["q z"]}, ModelDamaged, "merges"),
    ({"tokenizer__ggml__tokens": ["a"] * 281}, ModelDamaged, "twice"),
    ({"tokenizer__ggml__token_type": [1]}, ModelDamaged, "type"),
    ({"tokenizer__ggml__eos_token_id": 9999}, ModelDamaged, "9999"),
    ({"general__alignment": 0}, ModelDamaged, "alignment"),
]


@pytest.mark.parametrize(("metadata", "error", "words"), REFUSED, ids=[str(row[0]) for row in REFUSED])
def test_other_files_are_refused_by_name(
    tiny: Path, tmp_path: Path, metadata: Mapping[str, object], error: type[EngineError], words: str
) -> None:
    file = changed(tiny, tmp_path / "other.gguf", **metadata)
    with pytest.raises(error) as refused:
        load(file)
    assert words in refused.value.sentence
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "tensor", "error", "words"),
    [
        ("output.weight", Tensor(14, (281, 256), bytes(281 * 210)), ModelUnsupported, "type Q6_K"),
        ("output.weight", Tensor(77, (281, 64), b""), ModelUnsupported, "type 77"),
        ("blk.0.ffn_gate_inp.weight", Tensor(0, (4, 64), bytes(1024)), ModelUnsupported, "ffn_gate_inp"),
        ("position_embd.weight", Tensor(0, (4, 64), bytes(1024)), ModelUnsupported, "position_embd"),
        ("blk.0.ffn_up.weight", Tensor(0, (128, 32), bytes(128 * 128)), ModelDamaged, "shape"),
        ("blk.0.ffn_up.weight", Tensor(2, (128, 33), b""), ModelDamaged, "shape"),
        ("blk.0.ffn_up.weight", Tensor(0, (1, 1, 1, 1, 1), b""), ModelDamaged, "5 dimensions"),
        ("token_embd.weight", Tensor(0, (64,), bytes(256)), ModelDamaged, "token_embd"),
        ("blk.1.attn_q.weight", Tensor(0, (63, 64), bytes(63 * 256)), ModelDamaged, "63 rows"),
        ("output_norm.weight", Tensor(2, (64,), bytes(36)), ModelDamaged, "RMSNorm"),
    ],
)
def test_other_tensors_are_refused_by_name(
    tiny: Path, tmp_path: Path, name: str, tensor: Tensor, error: type[EngineError], words: str
) -> None:
    file = write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny) | {name: tensor})
    with pytest.raises(error) as refused:
        load(file)
    assert words in refused.value.sentence


@pytest.mark.parametrize("size", [0, 2, 4, 20, 30, 2_000, 200_000])
def test_m01_a_cut_file_is_incomplete(tiny: Path, tmp_path: Path, size: int) -> None:
    file = write_gguf(tmp_path / "cut.gguf", tiny_metadata(tiny), tiny_tensors(tiny))
    whole = file.stat().st_size
    os.truncate(file, size)
    with pytest.raises(ModelDamaged, match=r"cut\.gguf is incomplete") as refused:
        load(file)
    assert f"{size:,}" in refused.value.sentence
    assert size < 200_000 or f"of {whole:,} bytes" in refused.value.sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04 and more", "is not a GGUF file"),
        (b"GGUF\x03\0\0\0" + b"\xff" * 16, "counts"),
        (b"GGUF\x03\0\0\0" + bytes(8) + b"\x01" + bytes(7) + b"\xff" * 40, "counts"),
        (b"GGUF\x03\0\0\0" + bytes(8) + b"\x01" + bytes(15) + b"\x63" + bytes(40), "setting"),
        (b"GGUF\x03\0\0\0" + bytes(8) + b"\x01" + bytes(15) + b"\x09\0\0\0" * 40, "counts"),
    ],
)
def test_nonsense_is_damaged(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "nonsense.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelDamaged, match=words):
        load(file)


@pytest.mark.parametrize("version", [b"\x01\0\0\0", b"\0\0\0\x03"])
def test_other_versions_of_the_format_are_refused(tmp_path: Path, version: bytes) -> None:
    file = tmp_path / "old.gguf"
    file.write_bytes(b"GGUF" + version + bytes(64))
    with pytest.raises(ModelUnsupported, match="version"):
        load(file)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(at=st.integers(0, 9_000), bytes_=st.binary(min_size=1, max_size=8))
def test_a_damaged_header_never_raises_anything_else(
    tiny: Path, tmp_path: Path, at: int, bytes_: bytes
) -> None:
    file = write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny))
    with file.open("r+b") as content:
        content.seek(at)
        content.write(bytes_)
    try:
        load(file)
    except EngineError as error:
        assert error.sentence.endswith(".")  # noqa: PT017  (most damage is harmless)


def test_a_file_that_is_cut_while_it_is_read_is_damaged(tiny: Path, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny))

    def cut() -> bool:
        os.truncate(file, 20_000)
        return False

    with pytest.raises(ModelDamaged, match="was cut while it was read"):
        load(file, cut)


def test_a_load_can_be_given_up_between_tensors(tiny: Path, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny))
    asked = iter([False, False, True])
    with pytest.raises(LoadCancelled):
        load(file, lambda: next(asked))


def opening_flags(path: Path, action: Callable[[], object]) -> list[int]:
    """How `path` is opened while `action` runs. An audit hook cannot be removed, so it is silenced."""
    flags: list[int] = []
    listening = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if listening and event == "open" and str(arguments[0]) == str(path):
            flags.append(arguments[2])

    sys.addaudithook(hook)
    action()
    listening = False
    return flags


def test_a_file_that_may_not_be_written_loads(tiny: Path, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "t.gguf", tiny_metadata(tiny), tiny_tensors(tiny))
    flags = opening_flags(file, lambda: load(file))
    assert flags
    assert all(flag & os.O_ACCMODE == os.O_RDONLY for flag in flags)


def test_an_unreadable_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ModelMissing):
        load(tmp_path / "folder.gguf")
