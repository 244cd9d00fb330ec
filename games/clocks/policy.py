"""The clock of correspondence: how much time a question has, and when it is out. Pure; `now` is passed in.

Time is never added up by a job: a countdown says what was left at one instant, and everything else follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from accounts.working_hours import Hours, moment_after, open_time

NO_TIME = timedelta(0)


@dataclass(frozen=True)
class Pace:
    """Open time for each question, and a reserve for the whole game that is used when that runs out."""

    per_question: timedelta
    reserve: timedelta


# By the name that a table stores; one without an entry has no clock.
PACES: dict[str, Pace] = {
    "hours": Pace(timedelta(hours=6), timedelta(hours=24)),
    "day": Pace(timedelta(hours=24), timedelta(hours=72)),
    "days": Pace(timedelta(hours=48), timedelta(hours=120)),
    "week": Pace(timedelta(hours=168), timedelta(hours=168)),
}


@dataclass(frozen=True)
class Countdown:
    """What was left, of the question's own time and of the reserve, at the instant `counted_from`.

    An instant in the future means that nothing is counted until then.
    """

    counted_from: datetime
    time_left: timedelta
    reserve: timedelta = NO_TIME

    def due_at(self, hours: Hours) -> datetime:
        """When both are used up."""
        return moment_after(hours, self.counted_from, self.time_left + self.reserve)

    def question_ends_at(self, hours: Hours) -> datetime:
        """When the question's own time is used up and the reserve begins."""
        return moment_after(hours, self.counted_from, self.time_left)

    def settled(self, hours: Hours, now: datetime) -> Countdown:
        """The same countdown told from `now` on: what was used is taken from the question, then the
        reserve."""
        if now <= self.counted_from:
            return self
        used = open_time(hours, self.counted_from, now)
        beyond = max(NO_TIME, used - self.time_left)
        return Countdown(now, max(NO_TIME, self.time_left - used), max(NO_TIME, self.reserve - beyond))

    def extended(self, more: timedelta) -> Countdown:
        """With so much more open time for the question."""
        return replace(self, time_left=self.time_left + more)

    def resting_until(self, moment: datetime) -> Countdown:
        """Nothing is counted before `moment`; what is left stays. Settle it first."""
        return replace(self, counted_from=moment)

    def without(self, hours: Hours, start: datetime, end: datetime) -> Countdown:
        """As if the span from `start` to `end` had not been: its open time is given back."""
        if end <= self.counted_from:
            return self
        before = self.settled(hours, max(start, self.counted_from))
        return before.resting_until(end)
