"""A run of the program that quits at the moment its test names, as Cmd-Q does."""

import sys
from functools import partial
from pathlib import Path

from app.application import Application
from app.demo import STORY, logbook
from app.driver import Driver
from app.paths import Paths, demo_model
from app.ui.event_loop import run
from engine import open_model


async def main(moment: str, folder: Path) -> int:
    paths = Paths(folder)
    paths.create()
    application = Application(paths, demo_model(), partial(open_model, cache=paths.cache))
    await application.start()
    driver = Driver(application)
    session = driver.session
    if moment == "reading":
        driver.paste(logbook(115))
        driver.press_return()
        await driver.until(lambda: session.progress.phase == "reading" and session.progress.done > 60)
    elif moment == "decoding":
        driver.type(STORY)
        driver.press_return()
        await driver.until(lambda: session.progress.tokens > 5)
    else:
        driver.type("hello")
        driver.press_return()
        await driver.until(lambda: session.progress.phase == "loading")
    application.window.menus.quit.trigger()
    await application.quit()
    await application.close()
    return 0


if __name__ == "__main__":
    sys.exit(run(lambda: main(sys.argv[1], Path(sys.argv[2]))))
