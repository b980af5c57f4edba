"""Where things lie: the user's data folder, and the resources that come with the program."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from app.problems import KnownError

__all__ = ["FolderError", "Paths", "default_paths", "demo_model", "resources"]


class FolderError(KnownError):
    """A folder cannot be made, or a folder of the program is missing."""

    action = "Check the folder's permissions and the space on the disk, then start Interlace again."


@dataclass(frozen=True, slots=True)
class Paths:
    """Every file and folder below the data folder. `create` makes the folders."""

    data: Path

    @property
    def database(self) -> Path:
        return self.data / "interlace.sqlite3"

    @property
    def attachments(self) -> Path:
        return self.data / "attachments"

    @property
    def cache(self) -> Path:
        """What can be found out again."""
        return self.data / "cache"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def settings(self) -> Path:
        return self.data / "settings.json"

    def create(self) -> None:
        """Makes the folders, open to their owner only. Raises FolderError."""
        for folder in (self.data, self.cache, self.attachments, self.logs, self.models):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if folder is self.data:
                    folder.chmod(0o700)  # The rest may be links to another disk, which may refuse.
            except OSError as error:
                raise FolderError(f"The folder {folder} cannot be used ({error.strerror}).") from error


def default_paths() -> Paths:
    """The user's own data folder, or the one that INTERLACE_DATA names. Its folders exist afterwards.

    Raises: FolderError.
    """
    chosen = os.environ.get("INTERLACE_DATA")
    paths = Paths(Path(chosen) if chosen else user_data_path("Interlace", appauthor=False))
    paths.create()
    return paths


def resources() -> Path:
    """The resources of this program: in a frozen bundle, in an installed wheel or in a checkout.

    Raises: FolderError.
    """
    package = Path(__file__).resolve().parent
    places = [package / "resources", package.parent / "resources"]
    if bundle := getattr(sys, "_MEIPASS", None):
        places.insert(0, Path(bundle) / "resources")
    for place in places:
        if place.is_dir():
            return place
    raise FolderError("Interlace is incomplete: its resources are missing.", "Install Interlace again.")


def demo_model() -> Path:
    """Where the model that comes with the program lies, if it was fetched."""
    return resources() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
