"""Selectors for shared hours: what a table's pages and a person's calendar show of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from accounts.time_elements import Timed, span
from games.models import Seat, SharedHour
from games.models.hours import is_here, is_in_hour
from games.narration.cast import and_list

TIMES_IN_A_CALENDAR = 8  # of a weekly hour


@dataclass(frozen=True)
class HourRow:
    """A proposed or agreed hour as one player sees it."""

    hour: SharedHour
    start: datetime
    end: datetime
    proposer: str
    accepted: str  # the names
    declined: str
    is_agreed: bool
    mine: bool | None  # the reader's own answer

    @property
    def when(self) -> Timed:
        return span(self.start, self.end)


def hour_rows(reader: Seat, seats: Sequence[Seat], names: Sequence[str], now: datetime) -> list[HourRow]:
    """Return the hours of the reader's table that aren't over, soonest first."""
    hours = SharedHour.objects.filter(table=reader.table_id).prefetch_related("answers")
    rows = (_row(hour, reader, seats, names, now) for hour in hours)
    return sorted(filter(None, rows), key=lambda row: (row.start, row.hour.pk))


def _row(
    hour: SharedHour, reader: Seat, seats: Sequence[Seat], names: Sequence[str], now: datetime
) -> HourRow | None:
    time = hour.next_after(now)
    if time is None:
        return None
    answers = {answer.user_id: answer.accepts for answer in hour.answers.all()}
    named = {seat.user_id: names[seat.number] for seat in seats if seat.user_id is not None}
    return HourRow(
        hour,
        *time,
        named.get(hour.proposer_id, ""),
        _names(name for user, name in named.items() if answers.get(user) is True),
        _names(name for user, name in named.items() if answers.get(user) is False),
        bool(hour.accepted_by(seats)),
        answers.get(reader.user_id or 0),
    )


def _names(names: Iterable[str]) -> str:
    return and_list(found) if (found := list(names)) else ""


@dataclass(frozen=True)
class HoursNow:
    """What the game page says about shared hours: who is here, what was agreed, what waits for an answer."""

    here: str  # the names of the others
    until: datetime | None  # of the reader's own hour that is on
    following: HourRow | None
    unanswered: int


def hours_now(
    reader: Seat, seats: Sequence[Seat], names: Sequence[str], rows: Sequence[HourRow], now: datetime
) -> HoursNow:
    """Return what a player reads about shared hours on the page of their game."""
    own = next(seat for seat in seats if seat.pk == reader.pk)
    agreed = (row for row in rows if row.is_agreed and row.mine)
    return HoursNow(
        _names(names[seat.number] for seat in seats if seat.pk != reader.pk and is_here(seat, now)),
        own.hour_until if is_in_hour(own, now) else None,
        next(agreed, None),
        sum(row.mine is None for row in rows),
    )


def agreed_times(user: User, now: datetime) -> Iterator[tuple[SharedHour, datetime, datetime]]:
    """Yield the next times of the hours this person agreed to, for their calendar."""
    mine = SharedHour.objects.filter(answers__user=user, answers__accepts=True, table__seats__user=user)
    for hour in mine.select_related("table").prefetch_related("answers", "table__seats__user"):
        if hour.accepted_by(hour.table.all_seats()):
            yield from ((hour, *time) for time in coming_times(hour, now))


def coming_times(hour: SharedHour, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the start and end of the times that aren't over, a few of a weekly hour."""
    for _number in range(TIMES_IN_A_CALENDAR):
        time = hour.next_after(now)
        if time is None:
            return
        yield time
        now = time[1]
