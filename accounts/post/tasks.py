"""The tick that beat wakes; what to do is read from rows, so a lost or doubled tick changes nothing."""

import threading

from celery import shared_task
from celery.worker import state

from accounts.post import delivery, personal

# A mail server that hangs must not keep every thread of a worker from its other work.
_LINES = threading.BoundedSemaphore(3)


@shared_task
def deliver_due() -> int:
    """Delivers the letters that are due; returns how many the mail server accepted.

    A worker that is asked to stop ends with the letter in hand.
    """
    if not _LINES.acquire(blocking=False):
        return 0
    try:
        return delivery.deliver_due(is_stopping=_is_stopping)
    finally:
        _LINES.release()


def _is_stopping() -> bool:
    # As Celery itself asks: 0 is the exit code of an orderly end.
    asked: tuple[object, object] = (state.should_stop, state.should_terminate)
    return any(code is not None and code is not False for code in asked)


@shared_task
def forget_old_letters() -> int:
    """Deletes what became of letters of long ago, and letters kept long enough; returns how many rows."""
    return personal.forget_old_letters()
