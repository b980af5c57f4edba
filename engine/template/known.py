"""The chat templates that come with the program, for models without one or with a broken one."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KNOWN", "KnownTemplate"]


@dataclass(frozen=True, slots=True)
class KnownTemplate:
    """A template written here.

    Attributes:
        title: what the user calls it.
        source: Jinja.
        stop: strings that end a reply, for a model that has no token for them.
    """

    title: str
    source: str
    stop: tuple[str, ...] = ()


PLAIN = "{{ messages | map(attribute='content') | join('\\n\\n') }}"

CHATML = """\
{% for message in messages %}
{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|im_start|>assistant\\n' }}
{%- endif %}
"""

LLAMA_3 = """\
{% for message in messages %}
{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

ALPACA = """\
{% for message in messages %}
{% if message.role == 'user' %}
{{ '### Instruction:\\n' + message.content + '\\n\\n' }}
{%- elif message.role == 'assistant' %}
{{ '### Response:\\n' + message.content + '\\n\\n' }}
{%- else %}
{{ message.content + '\\n\\n' }}
{%- endif %}
{% endfor %}
{% if add_generation_prompt %}
{{ '### Response:\\n' }}
{%- endif %}
"""

VICUNA = """\
{% for message in messages %}
{% if message.role == 'user' %}
{{ 'USER: ' + message.content + '\\n' }}
{%- elif message.role == 'assistant' %}
{{ 'ASSISTANT: ' + message.content + '\\n' }}
{%- else %}
{{ message.content + '\\n\\n' }}
{%- endif %}
{% endfor %}
{% if add_generation_prompt %}
{{ 'ASSISTANT:' }}
{%- endif %}
"""

KNOWN: Mapping[str, KnownTemplate] = {
    "plain": KnownTemplate("plain text", PLAIN),
    "chatml": KnownTemplate("ChatML", CHATML, ("<|im_end|>", "<|im_start|>")),
    "llama3": KnownTemplate("Llama 3", LLAMA_3, ("<|eot_id|>", "<|start_header_id|>")),
    "alpaca": KnownTemplate("Alpaca", ALPACA, ("### Instruction:",)),
    "vicuna": KnownTemplate("Vicuna", VICUNA, ("USER:",)),
}
"""By the name that `Engine.prompt` takes. "plain" goes on with the texts as they are."""
