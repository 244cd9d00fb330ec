"""Correspondence clock: how much time a decision has, and when it runs out. Pure; `now` is passed in.

No job ever adds up time: a countdown says what was left at one instant, and the rest is computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from accounts.working_hours import Hours, moment_after, open_time

NO_TIME = timedelta(0)
MOST_TIME = timedelta(hours=720)  # that a decision can be given: at most 30 weeks of open hours


@dataclass(frozen=True)
class Pace:
    """Open time for each decision, and a reserve for the whole game, used when that time runs out."""

    per_decision: timedelta
    reserve: timedelta


# By the name stored on a table; a name without an entry has no clock.
PACES: dict[str, Pace] = {
    "hours": Pace(timedelta(hours=6), timedelta(hours=24)),
    "day": Pace(timedelta(hours=24), timedelta(hours=72)),
    "days": Pace(timedelta(hours=48), timedelta(hours=120)),
    "week": Pace(timedelta(hours=168), timedelta(hours=168)),
}


@dataclass(frozen=True)
class Countdown:
    """What was left of the decision's own time and of the reserve at the instant `counted_from`.

    If that instant is in the future, no time is counted until then.
    """

    counted_from: datetime
    time_left: timedelta
    reserve: timedelta = NO_TIME

    def due_at(self, hours: Hours) -> datetime:
        """Return when both are used up."""
        return moment_after(hours, self.counted_from, self.time_left + self.reserve)

    def own_time_ends_at(self, hours: Hours) -> datetime:
        """Return when the decision's own time is used up and the reserve begins."""
        return moment_after(hours, self.counted_from, self.time_left)

    def settled(self, hours: Hours, now: datetime) -> Countdown:
        """Return the same countdown restated from `now` on.

        Time used is taken from the decision's own time, then from the reserve.
        """
        if now <= self.counted_from:
            return self
        used = open_time(hours, self.counted_from, now)
        beyond = max(NO_TIME, used - self.time_left)
        return Countdown(now, max(NO_TIME, self.time_left - used), max(NO_TIME, self.reserve - beyond))

    def extended(self, more: timedelta) -> Countdown:
        """Return the countdown with this much more open time for the decision, up to the most it can have."""
        return replace(self, time_left=max(self.time_left, min(self.time_left + more, MOST_TIME)))

    def resting_until(self, moment: datetime) -> Countdown:
        """Return the countdown with no time counted before `moment`; what is left stays. Settle it first."""
        return replace(self, counted_from=moment)

    def without(self, hours: Hours, start: datetime, end: datetime) -> Countdown:
        """Return the countdown as if the span had not happened: its open time is given back."""
        if end <= self.counted_from:
            return self
        before = self.settled(hours, max(start, self.counted_from))
        return before.resting_until(end)
