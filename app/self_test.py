"""`--self-test`: the window and the demo model do one small job together."""

import tempfile
from functools import partial
from pathlib import Path

from app.application import Application
from app.demo import logbook
from app.driver import Driver
from app.paths import Paths, demo_model
from app.records import MessageState
from app.settings import Settings, save_settings
from engine import open_model

__all__ = ["self_test"]

SECONDS = 180.0


async def self_test() -> int:
    """Runs two streams at once and stops one. Returns 0, or 1 with a line that says what went wrong."""
    with tempfile.TemporaryDirectory(prefix="interlace-self-test-") as folder:
        paths = Paths(Path(folder))
        paths.create()
        save_settings(paths.settings, Settings(temperature=0.0, max_tokens=40))
        application = Application(paths, demo_model(), partial(open_model, cache=paths.cache))
        try:
            await application.start()
            fault = await _two_streams(Driver(application))
        except TimeoutError:
            fault = f"nothing came within {SECONDS:.0f} seconds"
        finally:
            await application.close()
    print(f"self-test failed: {fault}" if fault else "self-test passed: two streams, one stopped")
    return 1 if fault else 0


async def _two_streams(driver: Driver) -> str:
    """Returns what went wrong, or nothing."""
    first = driver.session
    driver.paste(logbook(115))
    driver.type("Tell this as a very long story.")
    driver.press_return()
    await driver.until(lambda: first.progress.phase in ("reading", "replying"), SECONDS)
    second = await driver.new_tab()
    driver.type("What is the capital of France?")
    driver.press_return()
    await driver.until(lambda: second.progress.phase in ("reading", "replying") or not second.busy, SECONDS)
    driver.focus(first)
    driver.stop()
    await driver.until(lambda: not first.busy and not second.busy, SECONDS)
    answer, stopped = second.messages[-1], first.messages[-1]
    if answer.state is not MessageState.COMPLETE or not answer.text:
        return answer.note or "the second stream was empty"
    if stopped.state is not MessageState.STOPPED:
        return stopped.note or "the first stream was not stopped"
    return ""
