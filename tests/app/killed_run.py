"""A run of the program that its test kills: one tab writes, one reads a paste, one holds a draft.

Prints a line of JSON four times a second once all three are under way: the time, and how much text each has.
"""

import asyncio
import json
import sys
import time
from functools import partial
from pathlib import Path

from app.application import Application
from app.demo import QUESTION, STORY, logbook
from app.driver import Driver
from app.paths import Paths, demo_model
from app.ui.event_loop import run
from engine import open_model

DRAFT = "half a thought"


async def main(folder: Path) -> int:
    paths = Paths(folder)
    paths.create()
    application = Application(paths, demo_model(), partial(open_model, cache=paths.cache))
    await application.start()
    driver = Driver(application)
    writer = driver.session
    driver.type(STORY)
    driver.press_return()
    await driver.until(
        lambda: len(writer.messages) == 2 and writer.messages[-1] and writer.progress.tokens > 5
    )
    reader = await driver.new_tab()
    driver.paste(logbook(115))
    driver.type(QUESTION)
    driver.press_return()
    await driver.until(lambda: reader.progress.phase == "reading" and reader.progress.done > 100)
    await driver.new_tab()
    driver.type(DRAFT)
    typed = time.monotonic()
    while True:
        state = {
            "since_draft": time.monotonic() - typed,
            "phase": reader.progress.phase,
            "tokens": writer.progress.tokens,
        }
        print(json.dumps(state), flush=True)
        await asyncio.sleep(0.25)


if __name__ == "__main__":
    run(lambda: main(Path(sys.argv[1])))
