"""The demo model itself: its file gives good English and its tokenizer is the one it was trained with."""

import runpy
from pathlib import Path

import pytest

from engine.mlx.load import LoadedModel, load

# isort: split
import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

FETCH = Path(__file__).resolve().parents[3] / "packaging" / "fetch_demo_model.py"


@pytest.fixture(scope="module")
def demo() -> LoadedModel:
    script = runpy.run_path(str(FETCH))
    script["fetch"]()
    return load(script["TARGET"])


def reply(demo: LoadedModel, question: str, most: int) -> str:
    """The model's most likely answer."""
    chat = [{"role": "user", "content": question}]
    tokens = demo.tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)
    cache = make_prompt_cache(demo.model)
    said: list[int] = []
    while len(said) < most:
        token = mx.argmax(demo.model(mx.array([tokens]), cache=cache)[0, -1]).item()
        assert isinstance(token, int)
        if token in demo.stop_tokens:
            break
        said.append(token)
        tokens = [token]
    return str(demo.tokenizer.decode(said))


def test_it_answers_in_english_and_ends(demo: LoadedModel) -> None:
    assert reply(demo, "What is the capital of France?", 20) == "The capital of France is Paris."


def test_what_a_lane_must_know(demo: LoadedModel) -> None:
    assert demo.name == "SmolLM2-135M-Instruct.Q4_1"
    assert (demo.context, demo.vocabulary) == (8192, 49152)
    assert demo.stop_tokens == {2}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world!", ["Hello", ",", "Ġworld", "!"]),
        ("in 1987", ["in", "Ġ", "1", "9", "8", "7"]),
        ("a\n\nb", ["a", "Ċ", "Ċ", "b"]),
        ("<|im_start|>user", ["<|im_start|>", "user"]),
    ],
)
def test_the_tokenizer_cuts_as_it_was_trained(demo: LoadedModel, text: str, tokens: list[str]) -> None:
    assert demo.tokenizer.convert_ids_to_tokens(demo.tokenizer.encode(text)) == tokens


@pytest.mark.parametrize(
    "text", ["  two", "👩‍👩‍👧‍👦 🇩🇪", "你好 ďábelské", "1,234.5", "\tif x:\r\n", "x\u00a0y\x00z"]
)
def test_text_comes_back_as_it_was(demo: LoadedModel, text: str) -> None:
    assert demo.tokenizer.decode(demo.tokenizer.encode(text)) == text
