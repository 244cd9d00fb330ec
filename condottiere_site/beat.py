"""When beat says "go and look". It counts on a clock that nobody can set and never says anything twice.

What is to be done is not known here: it is read from rows by whoever is woken.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import schedules
from celery.beat import ScheduleEntry, Scheduler

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = _EPOCH - timedelta(days=1000)


def steady() -> datetime:
    """A moment that only goes forward, and at the pace of time, whatever the machine's clock is set to."""
    return _EPOCH + timedelta(seconds=time.monotonic())


class SteadyEntry(ScheduleEntry):
    """One line of the beat table, due when beat starts: a site that is up for minutes a day does all too."""

    def __init__(self, *, schedule: Any, last_run_at: datetime | None = None, **more: Any) -> None:
        """`schedule` is a number of seconds, or the schedule of the entry that this one follows."""
        every = getattr(schedule, "run_every", schedule)
        super().__init__(
            schedule=schedules.schedule(every, nowfun=steady, app=more.get("app")),
            last_run_at=last_run_at or _NEVER,
            **more,
        )


class SteadyScheduler(Scheduler):
    """Beat for ticks that each have a queue of their own: a tick nobody has taken is not sent again.

    So nothing piles up while no worker comes, a slow task's ticks hold up no other's, and no tick needs to
    expire by a clock that another machine shows differently.
    """

    Entry = SteadyEntry

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        """Sends the tick, unless the last one still lies there. Raises what the connection raises."""
        channel: Any = (producer or self.producer).channel
        if channel.queue_declare(queue=entry.options["queue"]).message_count:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **kwargs)
