"""The engine without a window: `python -m engine chat MODEL "text"`, `check`, `bench`, `template`."""

import argparse
import sys
import threading

from engine import open_model
from engine.api import Event, Filling, Finished, Request, Sampling, Text, Usage
from engine.bench import add_bench
from engine.checking.command import add_check
from engine.errors import BadRequest, EngineError
from engine.template_command import add_template

__all__ = ["main"]


class _Terminal:
    """A sink that prints a reply: its text to standard output, its progress to standard error."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.error: EngineError | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Filling(_, done, total, _):
                if sys.stderr.isatty():
                    print(f"\rReading {done:,} of {total:,} tokens ", end="", file=sys.stderr, flush=True)
            case Text(_, text, _):
                print(text, end="", flush=True)
            case Finished(_, reason, usage, error):
                self.error = error
                if error is None:
                    print(f"\n[{reason}: {_summary(usage)}]", file=sys.stderr)
                self.ended.set()


def _summary(usage: Usage) -> str:
    return (
        f"{usage.read:,} tokens read, {usage.reused:,} reused, "
        f"{usage.generated:,} generated in {usage.seconds:.1f} s"
    )


def _chat(arguments: argparse.Namespace) -> None:
    request = _request(arguments)
    engine = open_model(arguments.model)
    try:
        terminal = _Terminal()
        engine.submit(request, terminal)
        terminal.ended.wait()
        if terminal.error is not None:
            raise terminal.error
    finally:
        engine.close()


def _request(arguments: argparse.Namespace) -> Request:
    if not arguments.text.strip():
        raise BadRequest("There is no text to send.", "Give the message as the last argument.")
    messages = [{"role": "user", "content": arguments.text}]
    if arguments.system:
        messages.insert(0, {"role": "system", "content": arguments.system})
    sampling = Sampling(temperature=arguments.temperature, seed=arguments.seed)
    return Request(messages=messages, sampling=sampling, max_tokens=arguments.max_tokens)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine", description="Interlace's engine without a window."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    chat = commands.add_parser("chat", help="stream one reply to the terminal")
    chat.add_argument("model", help="a model folder (safetensors, config, tokenizer) or a GGUF file")
    chat.add_argument("text", help="the message")
    chat.add_argument("--system", default="", help="the system text")
    chat.add_argument("--temperature", type=float, default=0.0, help="0 (default) picks the likeliest token")
    chat.add_argument("--seed", type=int, default=0)
    chat.add_argument("--max-tokens", type=int, default=None, help="end the reply after that many tokens")
    chat.set_defaults(run=_chat)
    add_check(commands)
    add_bench(commands)
    add_template(commands)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs one command. Returns the exit code: 0, 1 after an error, 130 after Ctrl-C."""
    parsed = _parser().parse_args(arguments)
    try:
        parsed.run(parsed)
    except EngineError as error:
        print(f"{error.sentence}\n{error.action}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
