"""Notices when the machine's clock is set while this process runs, and says what follows.

A clock that leaps ahead would end pauses, close tables and delete sessions too early. So until it's put
back, the workers' tasks wait. A leap may also be right: a virtual machine that stood still, or a clock set
after the start. So they wait an hour at most, unless it's a month or more. A clock that is set back makes
nothing happen early.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from celery import current_task

from accounts import clock

LEAP = timedelta(minutes=5)  # a smaller difference may be between two machines
LONGEST_WAIT = timedelta(hours=1)
TOO_FAR = timedelta(days=30)  # ahead: never taken as right while the process runs
NONE = timedelta(0)

logger = logging.getLogger(__name__)


def steady_seconds() -> float:
    """Return seconds that pass at real speed, also while the machine sleeps, where the system can tell."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class ClockWatch:
    """Compares the machine's clock with one that no one can set, since this was first looked at."""

    def __init__(self, steady: Callable[[], float] = steady_seconds) -> None:
        self._steady = steady
        self._lock = threading.Lock()
        self._right: list[datetime] = []  # what the clock showed when `steady` was 0; the last one counts
        self._leapt_at: float | None = None

    def leap(self) -> timedelta:
        """Return how far the clock is ahead of where it should be, below zero if it's behind."""
        with self._lock:
            steady = self._steady()
            shown = clock.now() - timedelta(seconds=steady)
            known = next((one for one in self._right if abs(shown - one) <= LEAP), None)
            if known is not None or not self._right:
                self._take_as_right(shown, known)
                return NONE
            leap = shown - self._right[-1]
            if self._leapt_at is None:
                self._leapt_at = steady
                _log(leap)
            waited = timedelta(seconds=steady - self._leapt_at)
            if leap < TOO_FAR and waited >= min(abs(leap), LONGEST_WAIT):
                self._take_as_right(shown, None)
                return NONE
            return leap

    def is_ahead(self) -> bool:
        """Return whether the clock has leapt ahead, so what is due by it may not be due."""
        return self.leap() > NONE

    def _take_as_right(self, shown: datetime, known: datetime | None) -> None:
        """Count from this; a small difference to what was `known` may grow from correction to correction."""
        if known is not None:
            self._right.remove(known)
        self._right.append(shown)
        if self._leapt_at is not None:
            self._leapt_at = None
            logger.warning("the machine's clock is taken as right again: everything goes on")


def _log(leap: timedelta) -> None:
    leap = timedelta(seconds=round(leap.total_seconds()))
    if leap < NONE:
        logger.error("the machine's clock was set back by %s while the site runs: set it right", -leap)
    elif leap < TOO_FAR:
        logger.error(
            "the machine's clock was set ahead by %s while the site runs: nothing is sent or enforced "
            "until it is put back, or for %s",
            leap,
            min(leap, LONGEST_WAIT),
        )
    else:
        logger.error(
            "the machine's clock was set ahead by %s while the site runs: nothing is sent or enforced "
            "until it is put back; if it is right now, restart the site",
            leap,
        )


watch = ClockWatch()  # of this process


def clock_is_ahead() -> bool:
    """Return whether this runs in a worker whose machine's clock has leapt ahead."""
    return bool(current_task) and not current_task.request.called_directly and watch.is_ahead()
