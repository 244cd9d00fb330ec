"""Helpers for periodic tasks: limits on concurrent runs and on their duration."""

import functools
import threading
import time
from collections.abc import Callable

from celery.worker import state

from accounts.signals import run_followed

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
    """Limit a task to this many concurrent runs per worker; further runs return None and are made up for.

    A slow task, such as one with a mail server that hangs, then cannot take all the worker's threads. A run
    that ends is followed at once by the one that was refused. A run may last as long as the time between two
    ticks, so every second tick is refused, and waiting for the next would halve a busy task's speed.
    """
    free, asked = threading.BoundedSemaphore(runs), threading.Event()

    def decorated(task: Callable[[], int]) -> Callable[[], int | None]:
        @functools.wraps(task)
        def run() -> int | None:
            done = None
            asked.set()
            while asked.is_set() and free.acquire(blocking=False):
                asked.clear()
                try:
                    if done is not None:
                        run_followed.send(task)
                    done = (done or 0) + task()
                finally:
                    free.release()
                if is_stopping():
                    break
            return done

        return run

    return decorated
