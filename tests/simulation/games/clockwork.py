"""What leads a simulated world from one event to the next: its clock, its people's diary, and the moments at
which the site's ticks find something to do.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock

from django.db import connection
from django.db.models import Model

from accounts import clock, ticks
from accounts.mail.models import OutgoingEmail
from games.models import Seat, Table

TICK = timedelta(seconds=10)
LATEST = datetime.max.replace(tzinfo=UTC)
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # a whole number of ticks from everything


class Clock:
    """Simulated time, in UTC. It only goes forward."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def go_to(self, moment: datetime) -> None:
        self.now = max(self.now, moment)


@contextmanager
def simulated_time(now: Clock) -> Iterator[None]:
    """Let the site's time be this clock's in this block, in which ticks take no time.

    A real tick leaves the rest to the next one after some seconds. Here that would make the games depend on
    how busy the machine is.
    """
    with clock.use_clock(now), mock.patch.object(ticks, "TICK_SECONDS", math.inf):
        yield


class Diary:
    """A queue of events by time; events of one moment happen in the order they were added."""

    def __init__(self) -> None:
        self._pages: list[tuple[datetime, int, Callable[[], object]]] = []
        self._noted = 0

    def note(self, moment: datetime, action: Callable[[], object]) -> None:
        self._noted += 1
        heapq.heappush(self._pages, (moment, self._noted, action))

    @property
    def next(self) -> datetime | None:
        return self._pages[0][0] if self._pages else None

    def due(self, now: datetime) -> Iterator[Callable[[], object]]:
        while self._pages and self._pages[0][0] <= now:
            yield heapq.heappop(self._pages)[2]


# A tick, the rows it looks at, the column that says when one is due, and under which condition.
Polled = tuple[tuple[str, type[Model], str, str], ...]

POLLED: Polled = (
    ("games.tasks.run_clock", Seat, "due_at", "true"),
    ("games.tasks.remind", Seat, "remind_at", "true"),
    ("games.tasks.begin_next_games", Table, "next_game_at", "true"),
    ("accounts.mail.tasks.deliver_due", OutgoingEmail, "not_before", "state = 'queued'"),
)


def polling(polled: Polled) -> str:
    """Return one statement for all ticks, so that none is built again after every event."""
    return " UNION ALL ".join(
        f"SELECT '{task}', min({column}) FROM {model._meta.db_table} WHERE {condition}"
        for task, model, column, condition in polled
    )


_EARLIEST = polling(POLLED)


def due_ticks(statement: str = _EARLIEST) -> dict[str, datetime]:
    """Return for each tick the moment from which it has something to do, if any."""
    due: dict[str, datetime] = {}
    with connection.cursor() as cursor:
        cursor.execute(statement)
        for task, at in cursor.fetchall():
            if at is not None:
                due[task] = min(_moment(at), due.get(task, LATEST))
    return due


def _moment(at: datetime | str) -> datetime:
    """SQLite stores text."""
    return at if isinstance(at, datetime) else datetime.fromisoformat(at).replace(tzinfo=UTC)


def next_tick(moment: datetime) -> datetime:
    """Return the first tick at or after a moment."""
    return moment + (EPOCH - moment) % TICK


def next_step(diary: Diary, due: Mapping[str, datetime], ticked_at: datetime) -> tuple[datetime, bool]:
    """Return the next moment with an event, and whether ticks run then."""
    soonest = min(due.values(), default=None)
    if soonest is None:
        assert diary.next is not None
        return diary.next, False
    tick_at = max(next_tick(soonest), ticked_at + TICK)
    return (tick_at, True) if diary.next is None or tick_at <= diary.next else (diary.next, False)
