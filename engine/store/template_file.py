"""A model's chat template as a file of its own: which repository it is from, and how it is fetched alone."""

import os
import tempfile
from pathlib import Path

from engine.errors import EngineError

__all__ = ["FILE_NAME", "NotFetched", "fetch_template", "repository_of"]

FILE_NAME = "chat_template.jinja"

LARGEST = 1_000_000
"""Bytes; the longest template known has 30,000."""


class NotFetched(EngineError):
    """The file is not there, or cannot be reached or written."""

    action = "Check the connection and the repository's name, then try again."


def repository_of(folder: Path) -> str | None:
    """`organisation/name`, where a folder's path tells it, as it does in the cache of huggingface_hub.

    A folder that was downloaded to a place of one's own does not name its repository: None.
    """
    repository, snapshots = folder.absolute().parents[1:2], folder.absolute().parent
    if snapshots.name != "snapshots" or not repository:
        return None
    kind, *parts = repository[0].name.split("--")
    return "/".join(parts) if kind == "models" and all(parts) and len(parts) in (1, 2) else None


def fetch_template(folder: Path, repository: str, endpoint: str | None = None) -> Path:
    """Fetches the chat template of a repository, and no other file, into a model's folder.

    Args:
        endpoint: address of the hub; None for huggingface_hub's own.

    Returns: the file, which is whole or, after an error, as it was before.

    Raises:
        NotFetched: the repository has none, it cannot be reached, or the folder cannot be written to.
    """
    with tempfile.TemporaryDirectory(prefix="interlace-template-") as parent:
        data = _downloaded(Path(parent), repository, endpoint)
    if len(data) > LARGEST:
        raise NotFetched(f"The {FILE_NAME} of {repository} has {len(data):,} bytes, which is no template.")
    try:
        return _written(folder / FILE_NAME, data)
    except OSError as error:
        raise NotFetched(
            f"{FILE_NAME} cannot be written to {folder} ({error.strerror}).",
            "Check the folder's permissions and the space on the disk, then try again.",
        ) from error


def _downloaded(parent: Path, repository: str, endpoint: str | None) -> bytes:
    # It takes a second to import, and is needed only when a user asks for a file.
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
    )

    # The bases are OSError and what the HTTP client raises, whichever that is.
    unreachable: tuple[type[BaseException], ...] = (LocalEntryNotFoundError, *HfHubHTTPError.__bases__)
    try:
        path = hf_hub_download(repository, FILE_NAME, local_dir=parent, endpoint=endpoint)
        return Path(path).read_bytes()
    except RemoteEntryNotFoundError as error:
        raise NotFetched(
            f"{repository} has no file {FILE_NAME}.", "Choose one of the well-known templates."
        ) from error
    except RepositoryNotFoundError as error:
        raise NotFetched(f"There is no repository {repository} that you can read.") from error
    except HFValidationError as error:
        raise NotFetched(f"{repository!r} is no repository's name; one looks like ORG/NAME.") from error
    except unreachable as error:
        raise NotFetched(f"{repository} could not be reached ({type(error).__name__}).") from error


def _written(path: Path, data: bytes) -> Path:
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(number)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path
