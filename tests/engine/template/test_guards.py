"""The limits stand in the template itself: where its own code would run long, it asks first."""

from jinja2 import Environment, nodes

from engine.template.guards import CONCATENATED, MADE, TICK, WEIGHED, WRITTEN, guarded


def names(source: str) -> list[str]:
    """The filters of the guarded template, sorted."""
    return sorted(node.name for node in guarded(Environment().parse(source)).find_all(nodes.Filter))


def test_each_turn_of_a_loop_ticks_and_so_does_its_condition() -> None:
    assert names("{% for x in y %}{% endfor %}") == [TICK]
    assert names("{% for x in y if x %}{% endfor %}") == [TICK, TICK]


def test_each_piece_of_output_is_counted() -> None:
    assert names("a{{ b }}c") == [WRITTEN] * 3


def test_what_is_made_or_compared_is_looked_at() -> None:
    assert names("{% set a = b ~ c %}") == [CONCATENATED]
    assert (
        names("{% set a = [b] %}")
        == names("{% set a = (b, c) %}")
        == names("{% set a = {'b': c} %}")
        == [MADE]
    )
    assert names("{% set a = b[1:] %}") == [MADE]
    assert names("{% set a = b == c %}") == [WEIGHED, WEIGHED]
    assert names("{% set a = b == 1 %}") == [WEIGHED]
    assert names("{% set a = {b: 1} %}") == sorted([MADE, WEIGHED])


def test_no_template_can_name_a_guard() -> None:
    assert all(" " in name for name in (CONCATENATED, MADE, TICK, WEIGHED, WRITTEN))


def test_what_is_assigned_to_is_left_alone() -> None:
    assert names("{% set a, b = c %}") == []
    assert names("{% for a, b in c %}{% endfor %}") == [TICK]
