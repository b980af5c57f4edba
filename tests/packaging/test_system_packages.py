"""What is missing of a Linux system: asked for by its session, named in one line."""

import pytest

from tests.packaging.scripts import load

script = load("system_packages")


def test_a_mac_needs_nothing() -> None:
    assert script.needs("darwin", {"DISPLAY": ":0"}) == {}


@pytest.mark.parametrize(
    ("environment", "extra"),
    [
        ({}, {}),
        ({"DISPLAY": "", "WAYLAND_DISPLAY": ""}, {}),
        ({"DISPLAY": ":0"}, script.X11),
        ({"WAYLAND_DISPLAY": "wayland-0"}, script.WAYLAND),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, script.WAYLAND),
    ],
)
def test_linux_needs_what_its_screen_needs(environment: dict[str, str], extra: dict[str, str]) -> None:
    assert script.needs("linux", environment) == script.BASE | extra


def test_only_what_is_not_here_is_missing() -> None:
    needs = {"libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "ensurepip": "python3-venv"}

    assert script.missing(needs, lambda need: need == "libGL.so.1") == {
        "libEGL.so.1": "libegl1",
        "ensurepip": "python3-venv",
    }


@pytest.mark.parametrize(
    ("need", "here"), [("json", True), ("no_such_module", False), ("libnosuchlibrary.so.9", False)]
)
def test_it_looks_for_modules_and_for_libraries(need: str, here: bool) -> None:
    assert script.is_here(need) is here


def test_the_complaint_can_be_pasted_into_a_shell() -> None:
    complaint = script.complaint({"libEGL.so.1": "libegl1", "libGL.so.1": "libgl1"}, apt=True)

    assert complaint.endswith(": sudo apt-get install libegl1 libgl1")
    assert "\n" not in complaint


def test_a_system_without_apt_hears_of_the_libraries() -> None:
    complaint = script.complaint({"libEGL.so.1": "libegl1", "libGL.so.1": "libgl1"}, apt=False)

    assert "libEGL.so.1, libGL.so.1" in complaint
    assert "apt-get" not in complaint
