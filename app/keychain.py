"""Secrets, kept by the system's keychain alone. A call may wait for the user to unlock it: use a job."""

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.errors import KeyringError, KeyringLocked, NoKeyringError

from app.problems import KnownError

__all__ = ["Keychain", "KeychainError"]


class KeychainError(KnownError):
    """The keychain refuses. Neither the text nor the cause holds a secret."""

    action = "Unlock the keychain and allow Interlace to use it, then try again."


class Keychain:
    """Secrets by name, under the service `Interlace`."""

    def __init__(self, service: str = "Interlace") -> None:
        self._service = service

    def get(self, name: str) -> str | None:
        """The secret; None when there is none of this name. Raises KeychainError."""
        with _errors_mapped("read"):
            return keyring.get_password(self._service, name)

    def set(self, name: str, secret: str) -> None:
        """Keeps a secret in place of an earlier one. Raises KeychainError, also when it was not kept."""
        with _errors_mapped("keep"):
            keyring.set_password(self._service, name, secret)
        if self.get(name) != secret:  # A keychain that was switched off takes it and says nothing.
            raise KeychainError("The keychain did not keep the secret.")

    def delete(self, name: str) -> None:
        """Forgets a secret; nothing happens when there is none. Raises KeychainError."""
        if self.get(name) is not None:
            with _errors_mapped("delete"):
                keyring.delete_password(self._service, name)


@contextmanager
def _errors_mapped(verb: str) -> Iterator[None]:
    # Without the cause: what a backend says of a failed call may repeat the secret.
    try:
        yield
    except NoKeyringError:
        raise KeychainError(
            f"There is no keychain on this computer, so Interlace cannot {verb} the secret.",
            "Install a keychain (on Linux GNOME Keyring or KWallet), or go on without the secret.",
        ) from None
    except KeyringLocked:
        raise KeychainError(f"The keychain is locked, so Interlace cannot {verb} the secret.") from None
    except (KeyringError, OSError, RuntimeError) as error:
        raise KeychainError(f"The keychain refused to {verb} the secret ({type(error).__name__}).") from None
