"""`python -m engine template`: whether a model's chat template can be used, and how to get it."""

import argparse
from pathlib import Path

from engine.errors import BadRequest
from engine.prompt import Prompter
from engine.store.template_file import fetch_template, repository_of

__all__ = ["add_template"]


def add_template(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command `template` to `commands`."""
    template = commands.add_parser("template", help="tell whether a model's chat template can be used")
    template.add_argument("model", help="a model folder (safetensors, config, tokenizer) or a GGUF file")
    template.add_argument("--fetch", action="store_true", help="get it from the model's repository first")
    template.add_argument("--repository", metavar="ORG/NAME", help="where from, if the path does not tell")
    template.add_argument("--endpoint", metavar="ADDRESS", help="of another hub than huggingface_hub's own")
    template.set_defaults(run=_template)


def _template(arguments: argparse.Namespace) -> None:
    """Raises: EngineError: there is no such model, or the template cannot be fetched."""
    path = Path(arguments.model)
    repository = arguments.repository or repository_of(path)
    if arguments.fetch:
        print(f"Fetched {fetch_template(_folder(path), _known(path, repository), arguments.endpoint)}.")
    print(_state(path))
    if not arguments.fetch and repository:
        print(f"Its repository is {repository}; --fetch gets the template from there.")


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise BadRequest(
            f"{path.name} is no folder.", "Only folders have their template in a file of its own."
        )
    return path


def _known(path: Path, repository: str | None) -> str:
    if repository is None:
        raise BadRequest(
            f"It is not known which repository {path.name} is from.", "Name it with --repository ORG/NAME."
        )
    return repository


def _state(path: Path) -> str:
    # The other commands need no MLX here.
    from engine.mlx.tokenizer import load_tokenizer

    problem = Prompter(load_tokenizer(path), path.name).problem
    return str(problem) if problem is not None else f"The chat template of {path.name} can be used."
