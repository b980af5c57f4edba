"""`--demo`: the main job on the real window and the real model, with pictures, events and figures."""

import shutil
from pathlib import Path

from app.application import Application
from app.chat.session import Session
from app.driver import Driver
from app.paths import Paths, demo_model
from app.recorder import Recorder, RecordingEngine, Row
from app.settings import Settings, save_settings
from engine import open_model

__all__ = ["demo"]

STORY = "Write a very long story about a ship and its crew, with many chapters."
QUESTION = "In one sentence, what is this logbook about?"
DAYS = ("calm", "windy", "foggy", "stormy", "clear", "rainy", "icy")
DUTIES = ("mended the sails", "counted the barrels", "painted the hull", "charted the stars", "fed the hens")


async def demo(folder: Path) -> int:
    """Runs the demo and writes it up in `folder`. Returns 0, or 1 when the job was not done as promised."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "data", ignore_errors=True)
    for old in [*folder.glob("*.png"), folder / "events.jsonl", folder / "figures.txt"]:
        old.unlink(missing_ok=True)
    paths = Paths(folder / "data")
    paths.create()
    save_settings(paths.settings, Settings(seed=1, max_tokens=600))
    recorder = Recorder()
    application = Application(
        paths,
        demo_model(),
        lambda path, cancelled: RecordingEngine(open_model(path, cancelled, paths.cache), recorder),
    )
    try:
        await application.start()
        application.window.resize(1180, 800)
        fault = await _main_job(Driver(application), recorder, folder)
    finally:
        await application.close()
    recorder.save(folder / "events.jsonl")
    print(f"Pictures and events are in {folder}." if not fault else f"The demo failed: {fault}")
    return 1 if fault else 0


async def _main_job(driver: Driver, recorder: Recorder, folder: Path) -> str:
    _tell("Tab 1 writes a story.")
    writer = driver.session
    await _send(driver, STORY)
    await driver.until(lambda: len(recorder.texts(1)) > 40)
    await driver.picture(folder / "1-streaming.png")

    _tell("Tab 2 reads a document of 3,000 tokens; on a CPU this takes minutes.")
    reader = await driver.new_tab()
    driver.paste(logbook(115))
    await _send(driver, QUESTION)
    await driver.until(lambda: _share(reader) > 0.3)
    await driver.picture(folder / "2-reading.png")

    _tell("Tab 3 is stopped half-way and sent again.")
    again = await driver.new_tab()
    driver.paste(logbook(60, first_day=400))
    await _send(driver, QUESTION)
    await driver.until(lambda: _share(again) > 0.5)
    driver.stop()
    await driver.until(lambda: not again.busy)
    await driver.picture(folder / "3-stopped.png")
    driver.try_again()

    await driver.until(lambda: not again.busy and (not reader.busy or _share(reader) > 0.8))
    driver.focus(writer)
    await driver.picture(folder / "4-both.png")
    await driver.until(lambda: not reader.busy)
    driver.stop()
    driver.focus(reader)
    await driver.picture(folder / "5-answered.png")
    await driver.until(lambda: not writer.busy)
    return _report(recorder, folder / "figures.txt")


async def _send(driver: Driver, text: str) -> None:
    session = driver.session
    driver.type(text)
    driver.press_return()
    await driver.until(lambda: session.busy)


def _tell(what: str) -> None:
    print(what, flush=True)


def logbook(days: int, first_day: int = 1) -> str:
    """A document of about 27 tokens a day in one long line, the same each time."""
    return " ".join(
        f"Day {day}: the sea was {DAYS[day % 7]}, the crew {DUTIES[day % 5]}, "
        f"and the Aurora made {day * 7 % 90} miles."
        for day in range(first_day, first_day + days)
    )


def _share(session: Session) -> float:
    progress = session.progress
    return progress.done / progress.total if progress.phase == "reading" and progress.total else 0.0


def _report(recorder: Recorder, path: Path) -> str:
    """Prints the figures and writes them to `path`. Returns what was not as promised, or nothing."""
    names = {1: "1 writes", 2: "2 reads a paste", 3: "3 is stopped", 4: "3 is sent again"}
    rows = {id: recorder.row(id) for id in recorder.ids()}
    meanwhile = recorder.texts_while_reading(writer=1, reader=2)
    table = "\n".join(
        [
            f"{'tab':<16} {'first token':>12} {'tokens/s':>9} {'largest gap':>12} {'read':>6} {'reused':>7}",
            *(_line(names[id], row) for id, row in rows.items()),
            f"Tab 1 got {len(meanwhile)} pieces of text while tab 2 was reading.",
        ]
    )
    print(table)
    path.write_text(table + "\n", encoding="utf-8")
    if not meanwhile:
        return "tab 1 stood still while tab 2 was reading"
    if rows[4].usage.reused != rows[3].usage.read or not rows[4].usage.reused:
        return "what tab 3 had read was read again"
    return ""


def _line(name: str, row: Row) -> str:
    def number(value: float | None, unit: str) -> str:
        return "-" if value is None else f"{value:.2f}{unit}"

    return (
        f"{name:<16} {number(row.first_token, ' s'):>12} {number(row.tokens_per_second, ''):>9} "
        f"{number(row.largest_gap, ' s'):>12} {row.usage.read:>6,} {row.usage.reused:>7,}"
    )
