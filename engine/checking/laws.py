"""The laws of a lane, tried on a backend: whatever happens around a reply, it stays the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.api import Request
from engine.checking.comparison import Comparison, Tally
from engine.checking.driver import Driver, Reply
from engine.checking.trial import Trial

__all__ = ["LAWS", "Law", "tried"]

Law = Callable[[Trial, Sequence[Request]], Iterator[Comparison]]
"""Tries the requests of one mix, and gives each reply beside the one it must be."""


def stepped(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """Around each of its chunks another stream comes, reads, and is cancelled or forgotten."""
    for request in mix[: trial.plan.some]:
        driver = trial.driver()
        reply, turn, reading = driver.open(request), 0, True
        while reading:
            passing = driver.open(mix[turn % len(mix)])
            read = passing.read_chunk()
            reading = reply.read_chunk()
            if read and turn % 2:
                passing.cancel()
            else:
                passing.leave(keep=False)
            turn += 1
        driver.speak(reply)
        yield trial.compare(reply)


def resumed(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """At every cut, from what a conversation with the same beginning left there; then at its end."""
    request, other = mix[0], mix[1]
    for cut in trial.driver().open(request).cuts:
        driver = trial.driver()
        _answer(driver, _spliced(request, cut, other, 1))
        yield _again(trial, driver, request, cut)
    yield from _edited(trial, request, other)


def cancelled(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """At every cut, and sent again."""
    for cut in trial.driver().open(mix[0]).cuts:
        driver = trial.driver()
        kept = driver.open(mix[0]).read(cut).cancel()
        fault = "" if kept == cut else f"stopped at {kept}, not {cut}"
        yield _again(trial, driver, mix[0], cut, fault)


def interleaved(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """Two prompts are read chunk by chunk in turn, then three."""
    for group in (mix[:2], mix[1:3], mix[2:5]):
        driver = trial.driver()
        replies = [driver.open(request) for request in group]
        reading = replies
        while reading:
            reading = [reply for reply in reading if reply.read_chunk()]
        driver.speak(*replies)
        yield from map(trial.compare, replies)


def between(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """One writes, then three do, while another is read: a step between any two chunks."""
    for writing in (1, 3):
        driver = trial.driver()
        writers = [driver.open(_longer(request)).read() for request in mix[1 : 1 + writing]]
        reader = driver.open(mix[0])
        while reader.read_chunk():
            driver.step(writers)
        driver.speak(reader)
        yield from map(trial.compare, [reader, *writers])


def shared(trial: Trial, mix: Sequence[Request]) -> Iterator[Comparison]:
    """Neighbours come one step after the other, change places and leave before the stream ends."""
    for crowd in trial.plan.crowds:
        driver = trial.driver()
        reply = driver.open(_longer(mix[0])).read()
        present, waiting, gone = [reply], [*mix[1 : crowd + 1]], list[Reply]()
        while not reply.finished:
            if waiting:
                present.append(driver.open(waiting.pop()).read())
            driver.step(present)
            present = [*present[1:], present[0]]
            for leaver in [one for one in present if one is not reply and _leaves(one)]:
                leaver.leave(keep=True)
                present.remove(leaver)
                gone.append(leaver)
        case = f" among {crowd}"
        yield from (trial.compare(one, case) for one in (reply, *gone))


LAWS: Mapping[str, Law] = {
    "stepped": stepped,
    "resumed": resumed,
    "cancelled": cancelled,
    "interleaved": interleaved,
    "between": between,
    "shared": shared,
}


def tried(trial: Trial, laws: Mapping[str, Law]) -> Iterator[Tally]:
    """Gives each law's tally when it was tried on both mixes."""
    for name, law in laws.items():
        tally = Tally(name)
        for mix in trial.mixes:
            for comparison in law(trial, mix):
                tally.add(comparison)
        yield tally


def _answer(driver: Driver, request: Request) -> None:
    """Reads, replies and leaves, with its state kept."""
    reply = driver.open(request).read()
    driver.speak(reply)
    reply.leave(keep=True)


def _again(trial: Trial, driver: Driver, request: Request, cut: int, fault: str = "") -> Comparison:
    """A request that must be resumed at `cut`, where the model's states can be kept."""
    reply = driver.open(request)
    if reply.reused != (cut if trial.keeps else 0):
        fault = fault or f"{reply.reused} tokens reused, not {cut}"
    driver.speak(reply.read())
    return trial.compare(reply, f" resumed at {cut}", fault)


def _edited(trial: Trial, request: Request, other: Request) -> Iterator[Comparison]:
    """Once answered, with other endings: what is restored, if anything, must be of the common beginning."""
    length = len(request.prompt or ())
    for same in (length // 3, length - 2):
        driver = trial.driver()
        _answer(driver, request)
        edited = driver.open(_spliced(request, same, other, length - same)).read()
        driver.speak(edited)
        yield trial.compare(edited, f" with {same} old")


def _spliced(request: Request, same: int, other: Request, more: int) -> Request:
    """The first `same` tokens of one prompt, then `more` of another's end."""
    return replace(request, prompt=(*(request.prompt or ())[:same], *(other.prompt or ())[-more:]))


def _longer(request: Request) -> Request:
    return replace(request, max_tokens=2 * (request.max_tokens or 1))


def _leaves(reply: Reply) -> bool:
    """Every third in the middle of its reply."""
    return reply.finished or (reply.id % 3 == 0 and len(reply.said) >= (reply.request.max_tokens or 0) // 2)
