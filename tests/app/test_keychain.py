import logging
import traceback
from collections.abc import Callable

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import KeyringError, KeyringLocked, PasswordSetError

from app.keychain import Keychain, KeychainError
from tests.conftest import MemoryKeyring

SECRET = "sk-0123456789"


class Refusing(KeyringBackend):
    """Fails every call, and is talkative about it."""

    priority = 0.1

    def __init__(self, kind: type[Exception]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kind = kind

    def get_password(self, service: str, username: str) -> str | None:
        raise self.kind(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.kind(f"cannot store {password}")

    def delete_password(self, service: str, username: str) -> None:
        raise self.kind(username)


def test_a_secret_is_kept_by_the_systems_keychain(memory_keyring: MemoryKeyring) -> None:
    keychain = Keychain()
    assert keychain.get("server") is None
    keychain.set("server", "first")
    keychain.set("server", SECRET)
    assert keychain.get("server") == SECRET
    assert memory_keyring.secrets == {("Interlace", "server"): SECRET}


def test_a_deleted_secret_is_gone_and_deleting_again_is_nothing(memory_keyring: MemoryKeyring) -> None:
    keychain = Keychain()
    keychain.set("server", SECRET)
    keychain.delete("server")
    keychain.delete("server")
    assert memory_keyring.secrets == {}


@pytest.mark.parametrize("kind", [KeyringError, KeyringLocked, PasswordSetError, OSError, RuntimeError])
def test_a_refusal_is_one_sentence_without_the_secret(
    kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    keyring.set_keyring(Refusing(kind))
    with pytest.raises(KeychainError) as caught:
        Keychain().set("server", SECRET)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert caught.value.sentence.startswith("The keychain")
    assert SECRET not in told


@pytest.mark.parametrize("call", [lambda k: k.get("server"), lambda k: k.delete("server")])
def test_reading_and_deleting_fail_in_a_sentence_too(call: Callable[[Keychain], object]) -> None:
    keyring.set_keyring(Refusing(KeyringLocked))
    with pytest.raises(KeychainError, match="locked"):
        call(Keychain())


def test_a_computer_without_a_keychain_is_told_so() -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    with pytest.raises(KeychainError, match="There is no keychain on this computer"):
        Keychain().set("server", SECRET)


def test_a_keychain_that_keeps_nothing_is_not_believed() -> None:
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]
    with pytest.raises(KeychainError, match="did not keep"):
        Keychain().set("server", SECRET)
