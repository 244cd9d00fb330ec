"""Shared hours: times at which the players of a table agree to play together, once or every week."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models

from accounts import clock
from accounts.local_times import instant_of, local_of, shifted
from games.models.tables import Seat, Table

WEEK = timedelta(days=7)
STAYS_HERE = timedelta(seconds=20)  # after a visible page last asked for news


class SharedHour(models.Model):
    """A time that a player proposed. It's agreed once two players at the table accept it."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="shared_hours")
    proposer = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    starts_at = models.DateTimeField()  # the first time
    ends_at = models.DateTimeField()
    is_weekly = models.BooleanField(default=False)
    zone = models.CharField(max_length=64)  # a weekly one stays at its hour in this time zone
    remind_at = models.DateTimeField(null=True, blank=True)  # before the next time; null: no more
    made_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("starts_at", "pk")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(ends_at__gt=models.F("starts_at")), name="hour_ends_after_its_start"
            ),
        )
        indexes = (
            models.Index(
                fields=["remind_at"], name="hour_remind", condition=models.Q(remind_at__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"{self.table}, {self.starts_at}"

    def next_after(self, now: datetime) -> tuple[datetime, datetime] | None:
        """Return the start and end of the first time that isn't over; None if all are."""
        if self.ends_at > now:
            return self.starts_at, self.ends_at
        if not self.is_weekly:
            return None
        weeks = (now - self.ends_at) // WEEK
        found = (self._in_week(week) for week in range(weeks, weeks + 3))
        return next(time for time in found if time[1] > now)

    def _in_week(self, week: int) -> tuple[datetime, datetime]:
        """Return the time in this week: both ends keep their local time, whatever the clocks do.

        If its start is skipped that week, all of it comes later by as much.
        """
        zone = ZoneInfo(self.zone)
        first, last = local_of(self.starts_at, zone), local_of(self.ends_at, zone)
        length = last - first if last > first else self.ends_at - self.starts_at  # if clocks went back in it
        start = instant_of(first + week * WEEK, zone)
        return start, shifted(start, length, zone)

    def accepted_by(self, seats: Iterable[Seat]) -> list[Seat]:
        """Return which of these seats' players accept it; none while that is only one."""
        users = {answer.user_id for answer in self.answers.all() if answer.accepts}
        accepted = [seat for seat in seats if seat.user_id in users]
        return accepted if len(accepted) > 1 else []


class HourAnswer(models.Model):
    """Whether a player accepts a shared hour."""

    hour = models.ForeignKey(SharedHour, models.CASCADE, related_name="answers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="hour_answers")
    accepts = models.BooleanField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["hour", "user"], name="hour_answer_once"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.accepts}"


def is_in_hour(seat: Seat, now: datetime) -> bool:
    """Return whether this seat's player has agreed to play now."""
    if seat.hour_from is None or seat.hour_until is None:
        return False
    return seat.hour_from <= now < seat.hour_until


def is_here(seat: Seat, now: datetime) -> bool:
    """Return whether the others at the table see that this seat's player has the page open."""
    if seat.seen_at is None or seat.seen_at <= now - STAYS_HERE:
        return False
    return seat.shows_presence or is_in_hour(seat, now)
