"""Loading: what a lane is told of a model, and one plain sentence for each way it cannot be used."""

import json
import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engine.errors import (
    EngineError,
    LoadCancelled,
    ModelDamaged,
    ModelMissing,
    ModelUnsupported,
    TokenizerMismatch,
)
from engine.mlx.load import DEFAULT_CONTEXT, LEFT_OUT, LoadedModel, load
from engine.mlx.zoo import architecture
from tests.tiny import CHATML, make_tiny

# isort: split
import mlx.core as mx
import numpy as np
from mlx.nn.layers.quantized import quantize
from mlx.utils import tree_flatten

IDS = [2, 104, 105, 32, 270, 33, 3, 200, 15, 16]


def refused(path: Path, error: type[EngineError]) -> str:
    """The sentence with which `path` is refused."""
    with pytest.raises(error) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return caught.value.sentence


def edit(path: Path, **entries: object) -> None:
    """Replaces entries of a JSON file; None takes one out."""
    content = json.loads(path.read_text()) | entries
    path.write_text(json.dumps({name: value for name, value in content.items() if value is not None}))


def logits(loaded: LoadedModel) -> np.ndarray[Any, Any]:
    return np.array(loaded.model(mx.array([IDS])))


def test_a_folder_is_loaded_with_what_a_lane_must_know(tmp_path: Path) -> None:
    loaded = load(make_tiny(tmp_path / "Tiny 1.5"))
    assert (loaded.name, loaded.context, loaded.vocabulary) == ("Tiny 1.5", 256, 281)
    assert loaded.config["hidden_size"] == 64
    assert loaded.tokenizer.chat_template == CHATML
    assert logits(loaded).shape == (1, len(IDS), 281)


def test_the_same_seed_gives_the_same_model_and_another_seed_another(tmp_path: Path) -> None:
    first, again, other = (load(make_tiny(tmp_path / str(n), seed=seed)) for n, seed in enumerate((1, 1, 2)))
    assert np.array_equal(logits(first), logits(again))
    assert not np.array_equal(logits(first), logits(other))


def test_half_precision_becomes_float32_on_a_cpu(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "half")
    weights: Any = mx.load(str(folder / "model.safetensors"))
    halves = {name: array.astype(mx.bfloat16) for name, array in weights.items()}
    mx.save_safetensors(str(folder / "model.safetensors"), halves)
    loaded = load(folder)
    assert logits(loaded).dtype == np.float32
    half = halves["model.layers.0.mlp.up_proj.weight"]
    assert mx.array_equal(loaded.model.layers[0].mlp.up_proj.weight, half.astype(mx.float32))


def quantized(folder: Path, **stated: object) -> Path:
    """The TINY in `folder`, its weights packed in 4 bits by groups of 64."""
    model = load(folder).model
    quantize(model, group_size=64, bits=4)
    weights: dict[str, Any] = dict(tree_flatten(model.parameters()))  # type: ignore[no-untyped-call]
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    edit(folder / "config.json", quantization=stated or None)
    return folder


def test_quantized_weights_become_float32_on_a_cpu(tmp_path: Path) -> None:
    folder = quantized(make_tiny(tmp_path / "packed"), group_size=64, bits=4)
    weights: Any = mx.load(str(folder / "model.safetensors"))
    table = "model.embed_tokens"
    expected = mx.dequantize(
        weights[f"{table}.weight"], weights[f"{table}.scales"], weights[f"{table}.biases"], 64, 4
    )
    loaded = load(folder)
    assert loaded.vocabulary == 281
    assert mx.array_equal(loaded.model.model.embed_tokens.weight, expected)


def test_m09_wrong_quantization_settings_are_worked_out_or_refused(tmp_path: Path) -> None:
    right = logits(load(quantized(make_tiny(tmp_path / "right"), group_size=64, bits=4)))
    for bits, group_size in ((8, 64), (4, 32)):
        folder = make_tiny(tmp_path / f"{bits} {group_size}")
        assert np.allclose(logits(load(quantized(folder, group_size=group_size, bits=bits))), right)
    plain = make_tiny(tmp_path / "plain", model_overrides={"quantization": {"group_size": 64, "bits": 4}})
    assert np.array_equal(logits(load(plain)), logits(load(make_tiny(tmp_path / "same"))))
    assert "do not fit its config.json" in refused(quantized(make_tiny(tmp_path / "none")), ModelDamaged)


@pytest.mark.parametrize(
    ("overrides", "context"),
    [
        ({}, 256),
        ({"max_position_embeddings": None}, DEFAULT_CONTEXT),
        ({"max_position_embeddings": None, "n_positions": 77}, 77),
        ({"max_position_embeddings": None, "max_seq_len": 78}, 78),
        ({"max_position_embeddings": None, "text_config": {"max_position_embeddings": 79}}, 79),
        ({"max_position_embeddings": 10**30, "model_max_length": 80}, 80),
    ],
)
def test_the_context_is_what_the_config_states(
    tmp_path: Path, overrides: Mapping[str, object], context: int
) -> None:
    folder = make_tiny(tmp_path / "tiny")
    edit(folder / "config.json", **overrides)
    assert load(folder).context == context


def test_the_context_may_be_stated_by_the_tokenizer(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    edit(folder / "config.json", max_position_embeddings=None)
    edit(folder / "tokenizer_config.json", model_max_length=99)
    assert load(folder).context == 99


def test_k09_a_tokenizer_with_ids_past_the_embedding_is_refused(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "far", vocab_extra={"<|far|>": 5000})
    assert "do not match" in refused(folder, TokenizerMismatch)
    near = make_tiny(tmp_path / "near", vocab_extra={"<|near|>": 281 + LEFT_OUT})
    assert "289" in refused(near, TokenizerMismatch)


def test_a_special_token_right_behind_the_embedding_is_let_pass(tmp_path: Path) -> None:
    """As in gemma-3-1b-it, whose weights leave the image token out."""
    loaded = load(make_tiny(tmp_path / "tiny", vocab_extra={"<image>": 281}))
    assert loaded.tokenizer.convert_tokens_to_ids("<image>") == loaded.vocabulary == 281


@pytest.mark.parametrize("size", [0, 4, 100, 100_000])
def test_m01_a_cut_weight_file_is_incomplete(tmp_path: Path, size: int) -> None:
    folder = make_tiny(tmp_path / "tiny")
    whole = (folder / "model.safetensors").stat().st_size
    os.truncate(folder / "model.safetensors", size)
    sentence = refused(folder, ModelDamaged)
    assert sentence.startswith(f"model.safetensors is incomplete ({size:,} of ")
    assert size < 100_000 or f"of {whole:,} bytes" in sentence


@pytest.mark.parametrize("header", [b"\xff" * 16, b"\x02" + bytes(7) + b"[]", b"\x04" + bytes(7) + b"{{{{"])
def test_m01_a_header_of_nonsense_is_damaged(tmp_path: Path, header: bytes) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(header)
    assert refused(folder, ModelDamaged) == "model.safetensors is damaged (its header makes no sense)."


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json"]
)
def test_m01_cut_settings_are_damaged_and_named(tmp_path: Path, name: str) -> None:
    folder = make_tiny(tmp_path / "tiny", generation_eos=3)
    os.truncate(folder / name, 20)
    assert refused(folder, ModelDamaged).startswith(f"{name} is damaged")


def test_m01_settings_that_are_no_object_are_damaged(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "config.json").write_text("[1]")
    assert refused(folder, ModelDamaged).startswith("config.json is damaged")


def test_m04_a_missing_shard_is_named_before_anything_is_read(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    os.truncate(folder / "model-00001-of-00002.safetensors", 4)
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    assert refused(folder, ModelMissing) == "model-00002-of-00002.safetensors is missing from tiny."


def test_an_index_without_files_is_damaged(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "model.safetensors.index.json").write_text("{}")
    assert refused(folder, ModelDamaged).startswith("model.safetensors.index.json is damaged")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / name).unlink()
    assert refused(folder, ModelMissing) == f"{name} is missing from tiny."


def test_m11_a_folder_without_safetensors_is_refused_and_no_pickle_opened(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "no weights" in refused(folder, ModelMissing)


def test_nothing_at_the_path_is_missing(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere", ModelMissing) == f"There is no model at {tmp_path / 'nowhere'}."


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()
    assert refused(folder, ModelMissing).startswith("model.safetensors of tiny cannot be opened")
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    assert refused(folder, ModelMissing).startswith("config.json of tiny cannot be opened")
    assert "cannot be opened" in refused(tmp_path / ("x" * 5000), ModelMissing)


def test_weights_that_are_cut_while_they_are_read_are_damaged(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")

    def cut() -> bool:
        os.truncate(folder / "model.safetensors", 5_000)
        return False

    with pytest.raises(ModelDamaged, match="could not be read into memory"):
        load(folder, cut)


def test_another_file_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert refused(tmp_path / "notes.txt", ModelUnsupported).startswith("notes.txt is not a model")


@pytest.mark.parametrize("name", ["モデル é ünï", "with [brackets] and *", "a b"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_m07_any_folder_name_will_do(tmp_path: Path, name: str, form: Any) -> None:
    folder = make_tiny(tmp_path / unicodedata.normalize(form, name))
    assert load(folder).name == folder.name


@pytest.mark.parametrize("model_type", ["xlm-roberta", "../llama", "base", "cache", "", "os", 7])
def test_m08_an_unknown_architecture_is_refused_by_name(tmp_path: Path, model_type: object) -> None:
    folder = make_tiny(tmp_path / "tiny", model_overrides={"model_type": model_type})
    sentence = refused(folder, ModelUnsupported)
    named = isinstance(model_type, str) and model_type
    assert (
        f"{model_type!r} is not supported by this version" if named else "names no architecture"
    ) in sentence


def test_m08_a_missing_architecture_is_refused(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny")
    edit(folder / "config.json", model_type=None)
    assert "names no architecture" in refused(folder, ModelUnsupported)


def test_m08_a_broken_import_of_a_known_architecture_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlx_lm.models.qwen3", None)
    folder = make_tiny(tmp_path / "tiny", model_overrides={"model_type": "qwen3"})
    monkeypatch.setattr("engine.mlx.zoo.find_spec", lambda name: name)
    assert "cannot be loaded" in refused(folder, ModelUnsupported)


@pytest.mark.parametrize(
    "overrides",
    [
        {"hidden_size": None},
        {"hidden_size": "many"},
        {"num_attention_heads": 0, "head_dim": None},
        {"hidden_size": 128},
        {"num_hidden_layers": 3},
        {"num_hidden_layers": 1},
        {"vocab_size": -1},
        {"quantization": []},
        {"text_config": 3},
    ],
)
def test_a_config_that_does_not_fit_is_one_sentence(tmp_path: Path, overrides: Mapping[str, object]) -> None:
    folder = make_tiny(tmp_path / "tiny")
    edit(folder / "config.json", **overrides)
    assert "config.json" in refused(folder, ModelDamaged)


def never(*_: object) -> NoReturn:
    raise AssertionError("nobody is there to answer")


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Program code that would make a file PWNED; its caller checks that it did not."""
    monkeypatch.setenv("MLX_LM_TRUST_REMOTE_CODE", "1")
    monkeypatch.setattr("builtins.input", never)
    return f"import pathlib\npathlib.Path({str(tmp_path / 'PWNED')!r}).touch()\n"


def test_m12_a_model_file_of_its_own_is_never_run(tmp_path: Path, evil: str) -> None:
    folder = make_tiny(tmp_path / "tiny", model_overrides={"model_file": "evil.py"})
    (folder / "evil.py").write_text(evil)
    assert "code of its own" in refused(folder, ModelUnsupported)
    assert not (tmp_path / "PWNED").exists()


def test_m12_a_tokenizer_of_its_own_is_never_run(tmp_path: Path, evil: str) -> None:
    folder = make_tiny(tmp_path / "tiny")
    edit(
        folder / "tokenizer_config.json",
        tokenizer_class="EvilTokenizer",
        auto_map={"AutoTokenizer": ["tk.EvilTokenizer", None]},
    )
    (folder / "tk.py").write_text(evil)
    refused(folder, ModelUnsupported)
    assert not (tmp_path / "PWNED").exists()


def test_m17_a_local_model_is_loaded_without_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.socket, "connect", never)
    monkeypatch.setattr(socket, "getaddrinfo", never)
    assert load(make_tiny(tmp_path / "tiny")).vocabulary == 281


LIMITS = """
import resource
before = resource.getrlimit(resource.RLIMIT_NOFILE)
original = resource.setrlimit
import engine.mlx.load, mlx_lm
assert resource.getrlimit(resource.RLIMIT_NOFILE) == before, before
assert resource.setrlimit is original
"""


@pytest.mark.parametrize("hard", [1024, 0])
def test_m20_the_limits_of_the_process_stay(hard: int) -> None:
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({hard}, {hard}))\n" if hard else ""
    subprocess.run([sys.executable, "-c", limit + LIMITS], check=True)


def test_m20_a_library_that_does_not_import_is_told_in_a_sentence() -> None:
    code = "import sys; sys.modules['transformers'] = None\nimport engine.mlx.load"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert "engine.errors.ModelUnsupported: The model library cannot run on this machine" in done.stderr


def test_a_load_is_given_up_between_weights(tmp_path: Path) -> None:
    asked = iter([False, False, True])
    with pytest.raises(LoadCancelled, match="tiny"):
        load(make_tiny(tmp_path / "tiny"), lambda: next(asked))
    assert next(asked, None) is None


def test_s08_the_stop_set_is_the_union_of_every_place(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "a", generation_eos=[1])
    assert load(folder).stop_tokens == {1, 3}
    edit(folder / "config.json", eos_token_id=[7, 8], text_config={"eos_token_id": 9})
    edit(folder / "generation_config.json", eos_token_id=10)
    assert load(folder).stop_tokens == {3, 7, 8, 9, 10}


def test_s08_the_templates_end_of_turn_mark_ends_a_reply(tmp_path: Path) -> None:
    assert load(make_tiny(tmp_path / "a", eos="</s>")).stop_tokens == {1, 3}
    assert load(make_tiny(tmp_path / "b", eos="</s>", chat_template="{{ messages }}")).stop_tokens == {1}
    assert load(make_tiny(tmp_path / "c", eos="</s>", chat_template=None)).stop_tokens == {1, 3}
    assert load(make_tiny(tmp_path / "d", eos=None)).stop_tokens == {3}


def test_m08_an_architecture_whose_code_exits_is_refused(tmp_path: Path) -> None:
    folder = make_tiny(tmp_path / "tiny", model_overrides={"model_type": "olmo"})
    assert "'olmo' cannot be loaded" in refused(folder, ModelUnsupported)


def test_an_architecture_with_a_hyphen_is_found() -> None:
    model, _ = architecture({"model_type": "nemotron-nas"})
    assert model.__module__ == "mlx_lm.models.nemotron-nas"
