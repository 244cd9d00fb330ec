"""The current time for every row the site writes.

This is the only place that reads the machine's clock, so a simulation can replace it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.utils import timezone

Clock = Callable[[], datetime]

_clock: ContextVar[Clock] = ContextVar("clock", default=timezone.now)


def now() -> datetime:
    """Return the current time, aware."""
    return _clock.get()()


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Use `clock` as the current time in this context."""
    before = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(before)
