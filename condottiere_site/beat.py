"""Celery beat on a monotonic clock, which no one can set; never queues the same tick twice.

Beat does not know what is to be done: the workers it wakes read that from rows.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import schedules
from celery.beat import ScheduleEntry, Scheduler, Service

from condottiere_site import alive

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = _EPOCH - timedelta(days=1000)


def steady() -> datetime:
    """Return a time that only moves forward at real speed, however the machine's clock is set."""
    return _EPOCH + timedelta(seconds=time.monotonic())


class EmbeddedBeat(Service):
    """The beat of `play`, in one process with the worker."""


class SteadyEntry(ScheduleEntry):
    """Beat entry that is due when beat starts, so that a site running for minutes a day runs every task."""

    def __init__(self, *, schedule: Any, last_run_at: datetime | None = None, **more: Any) -> None:
        """`schedule` is a number of seconds, or the schedule of the entry that this one follows."""
        every = getattr(schedule, "run_every", schedule)
        super().__init__(
            schedule=schedules.schedule(every, nowfun=steady, app=more.get("app")),
            last_run_at=last_run_at or _NEVER,
            **more,
        )


class SteadyScheduler(Scheduler):
    """Scheduler for ticks that each have their own queue; sends no tick while the last one is waiting.

    So nothing piles up without a worker, and a slow task does not delay other ticks. No tick needs to expire
    by a clock that may differ on another machine.
    """

    Entry = SteadyEntry

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        """Send the tick, unless the last one is still queued. Raises what the connection raises."""
        channel: Any = (producer or self.producer).channel
        waiting = channel.queue_declare(queue=entry.options["queue"]).message_count
        alive.show("beat")
        if waiting:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **kwargs)
