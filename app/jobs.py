"""The window's blocking work (files, templates, the keychain), on threads of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, ParamSpec, TypeVar

__all__ = ["Jobs"]

P = ParamSpec("P")
T = TypeVar("T")


class Jobs:
    """Runs functions off the event loop and hands their results back to it."""

    def __init__(self, threads: int = 4) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="job")
        self._unfinished: set[Future[Any]] = set()

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `fn` on a thread and returns its result. Cancelling the caller cancels what has not begun.

        Raises: what `fn` raises; RuntimeError after `close`.
        """
        job = self._pool.submit(fn, *args, **kwargs)
        self._unfinished.add(job)
        job.add_done_callback(self._unfinished.discard)
        return await asyncio.wrap_future(job)

    def close(self, timeout: float = 2.0) -> bool:
        """Cancels what has not begun and waits up to `timeout` seconds for the rest.

        Returns: whether all of it ended. Python itself waits at its exit for what did not.
        """
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(set(self._unfinished), timeout).not_done
