"""Where text is cut, and what is held back."""

from engine.thinking.marks import cut_at_mark, possible_start


def test_text_is_cut_at_the_first_mark_and_there_at_the_longest() -> None:
    assert cut_at_mark("a<b>c<d>", ["<d>", "<b>"], final=False) == ("a", "<b>", "c<d>")
    assert cut_at_mark("x<b>y", ["<b>", "<b>y"], final=False) == ("x", "<b>y", "")


def test_a_mark_that_may_become_a_longer_one_waits_unless_the_text_is_final() -> None:
    assert cut_at_mark("x<b>", ["<b>", "<b>y"], final=False) == ("x", "", "<b>")
    assert cut_at_mark("x<b>", ["<b>", "<b>y"], final=True) == ("x", "<b>", "")


def test_only_the_end_that_begins_a_mark_is_held_back() -> None:
    assert cut_at_mark("a < b <th", ["<think>"], final=False) == ("a < b ", "", "<th")
    assert cut_at_mark("plain", [], final=False) == ("plain", "", "")
    assert possible_start("<think>", ["<think>"]) == 0
