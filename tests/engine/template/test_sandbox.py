"""T11: a template is code from the internet; whatever it tries, it ends within its limits."""

from datetime import datetime

import pytest

from engine.template.chat_template import ChatTemplate, TemplateFault

CHAT = [{"role": "user", "content": "hello"}]
LOOP = "{% for i in range(99999) %}"
END = "{% endfor %}"
DOUBLED = (
    "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}"
    "{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}"
)
"""Two lists that are small in memory and endless when walked through."""


class Steps:
    """A clock that goes on by as much each time it is looked at."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def fault(source: str, step: float = 0.0001) -> TemplateFault:
    template = ChatTemplate(source, {}, Steps(step), datetime.now)
    with pytest.raises(TemplateFault) as raised:
        template.render(CHAT)
    return raised.value


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__.__mro__[1].__subclasses__()",
        "(''|attr('__class__')).__mro__",
        "messages.append(1)",
        "messages[0].update(a=1)",
        "namespace.__init__.__globals__",
        "cycler.__init__.__globals__",
        "raise_exception.__globals__.a",
        "'{0.__class__.__mro__}'.format(1).a.b",
        "namespace(_x=1)",
        "(1).to_bytes(2000000000, 'big')",
        "(range(9)|map('string')).send(none)",
        "'x'.encode('utf-32')",
    ],
)
def test_t11_a_the_inside_of_the_program_is_out_of_reach(expression: str) -> None:
    assert fault("{{ " + expression + " }}").what


def test_t11_b_nested_loops_end_after_two_seconds() -> None:
    stopped = fault(LOOP * 3 + END * 3, step=0.001)
    assert (stopped.what, stopped.line, stopped.limit) == ("it ran longer than 2 s", 1, True)


def test_t11_c_a_text_of_two_billion_characters_is_not_made() -> None:
    stopped = fault("{{ 'x' * 2000000000 }}")
    assert (stopped.what, stopped.limit) == ("it wanted more than 32 MB of memory", True)


@pytest.mark.parametrize(
    "source",
    [
        LOOP + "{% for j in range(99999) if false %}" + END * 2,
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        "{% for i in [1, 1] recursive %}{{ loop([1, 1]) if loop.depth < 60 }}{% endfor %}",
        "{{ range(100000)|map('string')|map('length')|list }}",
        "{% set ns = namespace(x=[]) %}" + LOOP * 2 + "{% set ns.x = [ns.x] %}" + END * 2,
        *(
            DOUBLED + "{{ " + expression + " }}"
            for expression in (
                "ns.x",
                "ns.x|tojson",
                "ns.x == ns.y",
                "ns.x in [ns.y]",
                "ns.x is eq(ns.y)",
                "[ns.y].index(ns.x)",
                "{ns.x: 1}",
                "messages[(ns.x,)]",
                "'%s' % (ns.x,)",
                "'{}'.format(ns.x)",
                "ns.x ~ ''",
                "[ns.x, ns.y]|sort",
                "[ns.x]|map('join')|list",
                "dict(a=ns.x).values()|string",
                "raise_exception(ns.x)",
            )
        ),
    ],
)
def test_t11_work_without_end_is_cut_off(source: str) -> None:
    assert fault(source, step=0.02).what == "it ran longer than 2 s"


@pytest.mark.parametrize(
    "expression",
    [
        "'x'|center(2000000000)",
        "'x'.center(2000000000)",
        "'x'.zfill(2000000000)",
        "'%2000000000d' % 1",
        "'%*d' % (2000000000, 1)",
        "'%2000000000d'|format(1)",
        "'{:2000000000}'.format(1)",
        "'{:{w}}'.format(1, w=2000000000)",
        "('{:>9999}' * 99999).format(1)",
        "('%s' * 9999) % (['x' * 9999] * 9999)",
        "('a' * 99999).replace('', 'b' * 99999)",
        "('a' * 99999)|replace('a', 'b' * 99999)",
        "range(9999)|join('x' * 99999)",
        "('x' * 99999).join('a' * 99999)",
        "(messages * 99999)|map(attribute='content')|join('x' * 9999)",
        "('\t' * 99999).expandtabs(99999)",
        "('a\n' * 99999)|indent(99999)",
        "[1]|batch(2000000000, 'x')|list",
        "[1]|slice(2000000000)|list",
        "([[1]] * 9)|sum(start=[])",
        "([messages] * 99999)|tojson(indent=9999)",
        "('a' * 9999999)|list",
        "('a ' * 999999).split()",
        "('a' * 999999).translate({97: 'x' * 999999})",
        "1.5|round(1000000000)",
        "2 ** 1000000000",
        "9 ** (9 ** 9)",
        "strftime_now('%2000000000d')",
        "messages[:] * 9999999",
    ],
)  # fmt: skip
def test_t11_a_result_without_end_is_refused_before_it_is_made(expression: str) -> None:
    assert fault("{{ " + expression + " }}").limit


@pytest.mark.parametrize(
    "source",
    [
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}" + LOOP + "{% set ns.x = ns.x + [i] %}" + END,
        "{% set ns = namespace(x=[1]) %}" + LOOP + "{% set ns.x = [ns.x, ('x' * 9999)[1:]] %}" + END,
        "{% set text %}" + LOOP + "x" * 999 + END + "{% endset %}",
        LOOP + "{{ 'x' * 9999 }}" + END,
    ],
)
def test_t11_what_grows_in_a_loop_is_counted_in_all(source: str) -> None:
    stopped = fault(source, step=0)
    assert (stopped.what, stopped.limit) == ("it wanted more than 32 MB of memory", True)


@pytest.mark.parametrize(
    "source",
    [
        "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}",
        "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% set ns = namespace(x=()) %}{% for i in range(9999) %}{% set ns.x = (ns.x,) %}{% endfor %}"
        "{{ ns.x }}",
    ],
)
def test_t11_a_recursion_without_end_is_told(source: str) -> None:
    assert fault(source, step=0).what == "it is nested too deeply"


@pytest.mark.parametrize(
    "source",
    [
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{{ 1" + "+1" * 5000 + " }}",
        "{{ 'a'" + "|upper" * 5000 + " }}",
        "{% if 1 %}" * 3000 + "{% endif %}" * 3000,
        "{% for i in [1] %}" * 60 + "{% endfor %}" * 60,
        "{{ 1" + "9" * 5000 + " }}",
        "x" * 200_000,
    ],
)
def test_t11_a_source_made_to_choke_the_compiler_is_refused(source: str) -> None:
    with pytest.raises(TemplateFault):
        ChatTemplate(source, {}, Steps(0), datetime.now)
