"""Cuts are a function of position alone, and a resumed pass cuts like a whole one."""

from hypothesis import given
from hypothesis import strategies as st

from engine.backend import Cap
from engine.fill import Fill, plan_cuts

CAPS = (Cap(0, 64), Cap(512, 32), Cap(2048, 16))


def test_chunks_end_on_the_grid_and_at_the_prompts_end() -> None:
    assert plan_cuts(600, CAPS) == (64, 128, 192, 256, 320, 384, 448, 512, 544, 576, 600)


def test_one_prompt_token_needs_no_chunk() -> None:
    assert plan_cuts(0, CAPS) == ()
    assert Fill((), 0, 0).complete


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_a_longer_prompt_has_the_same_cuts_up_to_the_shorter_ones_end(a: int, b: int) -> None:
    short, long = (plan_cuts(total, CAPS) for total in sorted((a, b)))
    assert short[:-1] == long[: len(short[:-1])]


@given(st.integers(1, 5000))
def test_cuts_ascend_to_the_end_and_no_chunk_is_larger_than_its_cap(total: int) -> None:
    cuts = plan_cuts(total, CAPS)
    assert cuts[-1] == total
    for start, end in zip((0, *cuts), cuts, strict=False):
        rows = next(cap.rows for cap in reversed(CAPS) if cap.start <= start)
        assert 0 < end - start <= rows


def test_a_resumed_fill_goes_on_with_the_whole_passes_cuts() -> None:
    cuts = plan_cuts(100, (Cap(0, 16),))
    fill = Fill(cuts, at=32, reused=32)
    seen = []
    while not fill.complete:
        fill.at = fill.next_cut()
        seen.append(fill.at)
    assert seen == [48, 64, 80, 96, 100]
    assert fill.left == 0
