"""Hours and days of the week as a person says them. Reads no row, decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import time, timedelta

from django.utils.dates import WEEKDAYS
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.hours import Hours

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
EVERY_DAY = frozenset(range(7))


def told_hours(hours: Hours) -> str:
    """When time is counted in a week: "Your clock runs 14 hours a day, Monday to Friday, and rests from
    22:00 to 08:00." Holidays are left out."""
    days = told_days(EVERY_DAY - hours.days_off)
    if hours.quiet is None or hours.quiet[0] == hours.quiet[1]:
        return _("Your clock runs day and night, %(days)s.") % {"days": days}
    first, last = (_clock(at) for at in hours.quiet)
    words = {"length": told_length(hours.open_in_a_day), "days": days, "first": first, "last": last}
    return _("Your clock runs %(length)s a day, %(days)s, and rests from %(first)s to %(last)s.") % words


def told_week(hours: Hours) -> str:
    """How much of a week that is."""
    return told_length((7 - len(hours.days_off)) * hours.open_in_a_day)


def told_length(span: timedelta) -> str:
    """A length of time in hours and minutes."""
    whole, rest = divmod(span, HOUR)
    minutes = rest // MINUTE
    told = ngettext("%(n)d hour", "%(n)d hours", whole) % {"n": whole} if whole or not minutes else ""
    more = ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes} if minutes else ""
    return " ".join(filter(None, [told, more]))


def told_days(days: Iterable[int]) -> str:
    """Days of the week, 0 is Monday: "Monday to Friday", "Saturday and Sunday", "every day"."""
    chosen = frozenset(days)
    if chosen == EVERY_DAY:
        return _("every day")
    *others, last = (_told_run(run) for run in _runs(sorted(chosen)))
    return _("%(days)s and %(last)s") % {"days": ", ".join(others), "last": last} if others else last


def _runs(days: list[int]) -> Iterator[list[int]]:
    """Days that follow each other; three and more are told as one, fewer each by itself."""
    run: list[int] = []
    for day in days:
        if run and day != run[-1] + 1:
            yield from _told_together(run)
            run = []
        run.append(day)
    yield from _told_together(run)


def _told_together(run: list[int]) -> Iterator[list[int]]:
    yield from [run] if len(run) > 2 else [[day] for day in run]


def _told_run(run: list[int]) -> str:
    first, last = WEEKDAYS[run[0]], WEEKDAYS[run[-1]]
    return str(first) if len(run) == 1 else _("%(first)s to %(last)s") % {"first": first, "last": last}


def _clock(at: time) -> str:
    return time_format(at, _("H:i"))
