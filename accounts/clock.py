"""What time it is, for every row this site writes. The one place that asks the machine, so that a simulation
can stand for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.utils import timezone

Clock = Callable[[], datetime]

_clock: ContextVar[Clock] = ContextVar("clock", default=timezone.now)


def now() -> datetime:
    """The present moment, aware."""
    return _clock.get()()


def minute() -> datetime:
    """The present moment as far as pages show it: the beginning of its minute."""
    return now().replace(second=0, microsecond=0)


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """While this lasts, `clock` says what time it is to this thread."""
    before = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(before)
