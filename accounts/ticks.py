"""What the tasks that beat wakes have in common: how many runs there are at once, and when one has to end."""

import functools
import threading
import time
from collections.abc import Callable

from celery.worker import state

TICK_SECONDS = 10.0


def is_stopping() -> bool:
    """Whether this worker is asked to stop."""
    # As Celery itself asks: 0 is the exit code of an orderly end.
    asked: tuple[object, object] = (state.should_stop, state.should_terminate)
    return any(code is not None and code is not False for code in asked)


def after_a_tick() -> Callable[[], bool]:
    """Whether a run that begins now has to end: its time is over, or the worker stops."""
    stop_at = time.monotonic() + TICK_SECONDS
    return lambda: is_stopping() or time.monotonic() > stop_at


def at_most(runs: int) -> Callable[[Callable[[], int]], Callable[[], int]]:
    """So many runs of a task at once in one worker; one more does nothing and returns 0.

    What takes long, such as a mail server that hangs, keeps no more of a worker's threads from other work.
    """
    free = threading.BoundedSemaphore(runs)

    def decorated(task: Callable[[], int]) -> Callable[[], int]:
        @functools.wraps(task)
        def run() -> int:
            if not free.acquire(blocking=False):
                return 0
            try:
                return task()
            finally:
                free.release()

        return run

    return decorated
