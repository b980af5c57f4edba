"""A template renders what transformers renders from it, and its failures are told by line."""

from datetime import datetime

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from engine.template.chat_template import ChatTemplate, Refusal, TemplateFault
from tests.tiny import CHATML

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": " <b>Größe</b>\n\n“two”\t"},
    {"role": "assistant", "content": "<think>so</think>\n\nanswer"},
    {"role": "user", "content": "b"},
]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
NOW = datetime(2026, 3, 4, 5, 6, 7)


def template(source: str) -> ChatTemplate:
    return ChatTemplate(source, TOKENS, lambda: 0.0, lambda: NOW)


LOOPS = [
    CHATML,
    "{{ bos_token }}{% for m in messages %}\n  {% if m.role == 'user' -%}\n    {{ m.content | trim }}\n"
    "  {%- else %}\n    {{ m['content'] }}\n  {% endif %}\n{% endfor %}{{ eos_token }}",
    "{% for m in messages %}{% if loop.index0 == 2 %}{% break %}{% endif %}{{ loop.length }}{% endfor %}",
    "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ loop.previtem.role }}{% endfor %}",
    "{% for m in messages if m.role != 'user' %}{{ m.role ~ loop.index ~ none ~ 1.5 }}{% endfor %}",
    "{% for m in [] %}{% else %}{{ tools is none }}{{ documents is none }}{% endfor %}",
    "{% set ns = namespace(n=0) %}{% for m in messages[1:] | reverse %}"
    "{% set ns.n = ns.n + m.content | length %}{% endfor %}{{ ns.n }} {{ messages[::-1][0].role }}",
    "{% set t = messages[2].content.split('</think>') %}{{ t[-1].lstrip('\\n') }}{{ t | length }}",
    "{{ '</think>' in messages[2].content and not messages[1].content.startswith('x') }}",
    "{% macro turn(role, text='-') %}[{{ role }}:{{ text }}{{ caller('q') if caller }}]{% endmacro %}"
    "{{ turn('a') }}{{ turn('b', text=1) }}{% call(x) turn('c') %}{{ x }}{% endcall %}",
    "{% generation %}{% set x = 1 %}{{ x }}{% endgeneration %}{{ x }}",
    "{% filter upper %}a{% for i in 'bc' %}{{ i }}{% endfor %}{% endfilter %}",
    "{% set z %}q{{ 1 }}{% endset %}{{ z }}{% block a %}x{% endblock %}{{ self.a() }}",
]
EXPRESSIONS = [
    "messages | tojson",
    "{'ä<': [1, none, true]} | tojson(indent=2)",
    "'é' | tojson(ensure_ascii=true)",
    "[add_generation_prompt, missing is defined, 'a' if false]",
    "messages | map(attribute='role') | unique | join(', ')",
    "messages | selectattr('role', 'equalto', 'user') | list | length",
    "messages | groupby('role') | first | first",
    "[(1, 2) + (3,), [1] * 3, 7 // 2, 2 ** 10, -7 % 3, 1 / 4]",
    "'%s-%03d' % ('a', 7) ~ '{:>5}|{x}'.format('a', x=1) ~ ('%s' | format('b'))",
    "'a-b' | replace('-', '+') | center(6) ~ 'a\\nb' | indent(2)",
    "[1 < 2 <= 2 != 3, 'x' not in ['x'], {'a': 1}.items() | list, {'b': 2, 'a': 1} | dictsort]",
    "[dict(a=1).get('b', 'none'), messages[0] | items | list, range(3) | sum, [3, 1] | sort | first]",
    "messages[1].content | e ~ 'x' | default('y') ~ missing | default('y') ~ ('12' | int + 1)",
]


@pytest.mark.parametrize("source", [*LOOPS, *("{{ " + expression + " }}" for expression in EXPRESSIONS)])
def test_it_renders_what_transformers_does(source: str) -> None:
    (expected,), _ = render_jinja_template([CHAT], chat_template=source, add_generation_prompt=True, **TOKENS)
    assert template(source).render(CHAT) == expected


def test_t05_all_of_the_date_and_time_can_be_written() -> None:
    rendered = template("{{ strftime_now('%d %B %Y %H:%M:%S') }}").render(CHAT)
    assert rendered == "04 March 2026 05:06:07"


@pytest.mark.parametrize(
    ("source", "line", "part"),
    [
        ("{% for m in messages %}{{ m.content }", 1, "unexpected '}'"),
        ("a\nb\n{{ messages[0].content.foo.bar }}", 3, "'foo'"),
        ("{% macro m() %}\n{{ 1 / 0 }}\n{% endmacro %}\n{{ m() }}", 2, "division"),
        ("\n{% for i in 5 %}{% endfor %}", 2, "not iterable"),
        ("\n{{ 'a'|nothing }}", 2, "nothing"),
        ("{% if x %}\n", 1, "if"),
    ],
)
def test_t07_a_fault_is_told_with_its_line(source: str, line: int, part: str) -> None:
    with pytest.raises(TemplateFault, match=part) as raised:
        template(source).render(CHAT)
    assert (raised.value.line, raised.value.limit) == (line, False)
    assert "\n" not in raised.value.what


def test_a_refusal_is_in_the_templates_words() -> None:
    with pytest.raises(Refusal, match="roles must alternate"):
        template("{{ raise_exception('roles must alternate') }}").render(CHAT)


def test_a_long_chat_needs_no_more_than_it_may_use() -> None:
    long = [{"role": "user", "content": "ä" * 2_000_000}, {"role": "assistant", "content": "b"}] * 2
    many = [{"role": "user", "content": "word"}] * 2000
    source = (
        "{% set ns = namespace(all=[]) %}{% for m in messages %}{% set ns.all = ns.all + [m] %}"
        "{% set text = '<' + m.role + '>' + m.content.strip() + '\\n' %}{{ text | replace('ö', 'o') }}"
        "{% endfor %}"
    )
    assert len(template(source).render(long)) > 4_000_000
    assert template(source).render(many).count("word") == 2000


def test_runs_do_not_share_their_limits() -> None:
    big = template("{{ 'x' * 10000000 }}")
    assert len(big.render(CHAT)) == len(big.render(CHAT)) == 10_000_000
