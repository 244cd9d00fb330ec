"""Helpers for periodic tasks: limits on concurrent runs and on their duration."""

import functools
import threading
import time
from collections.abc import Callable

from celery.worker import state

TICK_SECONDS = 10.0


def is_stopping() -> bool:
    """Return whether this worker is shutting down."""
    # The same test as in Celery: 0 is the exit code of a clean shutdown.
    asked: tuple[object, object] = (state.should_stop, state.should_terminate)
    return any(code is not None and code is not False for code in asked)


def after_a_tick() -> Callable[[], bool]:
    """Return a function that says whether a run starting now must end: time is up, or the worker stops."""
    stop_at = time.monotonic() + TICK_SECONDS
    return lambda: is_stopping() or time.monotonic() > stop_at


def at_most(runs: int) -> Callable[[Callable[[], int]], Callable[[], int | None]]:
    """Limit a task to this many concurrent runs per worker; further runs do nothing and return None.

    A slow task, such as one with a mail server that hangs, then cannot take all the worker's threads.
    """
    free = threading.BoundedSemaphore(runs)

    def decorated(task: Callable[[], int]) -> Callable[[], int | None]:
        @functools.wraps(task)
        def run() -> int | None:
            if not free.acquire(blocking=False):
                return None
            try:
                return task()
            finally:
                free.release()

        return run

    return decorated
