import asyncio
import threading
from collections.abc import Iterator

import pytest

from app.jobs import Jobs


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs(threads=2)
    yield jobs
    assert jobs.close(10)


def test_work_runs_on_another_thread_and_its_result_comes_back(jobs: Jobs) -> None:
    async def main() -> tuple[int, int]:
        return await jobs.run(lambda a, b: (threading.get_ident(), a + b), 2, b=3)

    thread, total = asyncio.run(main())
    assert thread != threading.get_ident()
    assert total == 5


def test_the_loop_goes_on_meanwhile(jobs: Jobs) -> None:
    gate = threading.Event()

    async def main() -> bool:
        job = asyncio.create_task(jobs.run(gate.wait, 10))
        await asyncio.sleep(0)
        gate.set()
        return await job

    assert asyncio.run(main())


def test_what_the_work_raises_is_raised(jobs: Jobs) -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(jobs.run(divmod, 1, 0))


def test_a_cancelled_caller_cancels_what_has_not_begun() -> None:
    jobs, gate = Jobs(threads=1), threading.Event()
    ran: list[int] = []

    async def main() -> None:
        running = asyncio.create_task(jobs.run(gate.wait, 10))
        waiting = asyncio.create_task(jobs.run(ran.append, 1))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.set()
        await running

    asyncio.run(main())
    assert jobs.close(10)
    assert ran == []


def test_closing_cancels_what_has_not_begun_and_waits_for_the_rest() -> None:
    jobs, started, gate = Jobs(threads=1), threading.Event(), threading.Event()
    ran: list[int] = []

    def first() -> str:
        started.set()
        gate.wait(10)
        return "done"

    async def main() -> None:
        running = asyncio.create_task(jobs.run(first))
        waiting = asyncio.create_task(jobs.run(ran.append, 1))
        await asyncio.sleep(0)
        started.wait(10)
        assert not jobs.close(0.01), "one still runs"
        gate.set()
        assert jobs.close(10)
        assert await running == "done"
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(RuntimeError):
            await jobs.run(first)

    asyncio.run(main())
    assert ran == []
