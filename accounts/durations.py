"""Durations in words.

Each is a whole phrase of its own ("in 3 hours", "for 3 hours", "3 hours ago"), never a part of another
message: other languages need a different form for each.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FEW_MINUTES, FEW_HOURS = 2 * HOUR, 2 * DAY  # below these, a duration is counted in minutes or hours


def time_in(at: datetime, now: datetime | None = None) -> str:
    """Return how far ahead a moment is: "in 3 hours"."""
    unit, n = _rounded(at - (now or clock.now()))
    if unit == "days":
        return ngettext("in %(n)d day", "in %(n)d days", n) % {"n": n}
    if unit == "hours":
        return ngettext("in %(n)d hour", "in %(n)d hours", n) % {"n": n}
    if not n:
        return _("in less than a minute")
    return ngettext("in %(n)d minute", "in %(n)d minutes", n) % {"n": n}


def time_for(since: datetime, now: datetime | None = None) -> str:
    """Return since when something waits: "waiting for 3 hours"."""
    unit, n = _rounded(_past((now or clock.now()) - since))
    if unit == "days":
        return ngettext("waiting for %(n)d day", "waiting for %(n)d days", n) % {"n": n}
    if unit == "hours":
        return ngettext("waiting for %(n)d hour", "waiting for %(n)d hours", n) % {"n": n}
    if not n:
        return _("waiting for less than a minute")
    return ngettext("waiting for %(n)d minute", "waiting for %(n)d minutes", n) % {"n": n}


def ago(at: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was: "3 hours ago"."""
    unit, n = _rounded(_past((now or clock.now()) - at))
    if unit == "days":
        return ngettext("%(n)d day ago", "%(n)d days ago", n) % {"n": n}
    if unit == "hours":
        return ngettext("%(n)d hour ago", "%(n)d hours ago", n) % {"n": n}
    if not n:
        return _("less than a minute ago")
    return ngettext("%(n)d minute ago", "%(n)d minutes ago", n) % {"n": n}


def time_before(span: timedelta) -> str:
    """Return how many full hours or days before something a moment is: "3 hours before"."""
    unit, n = _rounded(span)
    if unit == "days":
        return ngettext("%(n)d day before", "%(n)d days before", n) % {"n": n}
    return ngettext("%(n)d hour before", "%(n)d hours before", n) % {"n": n}


def duration(span: timedelta) -> str:
    """Return a rounded length of time that is read alone, after a label: "3 hours"."""
    unit, n = _rounded(span)
    if unit == "days":
        return ngettext("%(n)d day", "%(n)d days", n) % {"n": n}
    if unit == "hours":
        return ngettext("%(n)d hour", "%(n)d hours", n) % {"n": n}
    if not n:
        return _("less than a minute")
    return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}


def exact_duration(span: timedelta) -> str:
    """Return a length of time that a clock counts: "24 hours", "14 h 30 min", "3 days", "2 d 18 h".

    It counts in days from where `duration` does, and then gives full hours.
    """
    span = whole_minutes(span)
    if span < FEW_HOURS:
        return hours_and_minutes(span)
    days, rest = divmod(span, DAY)
    hours = rest // HOUR
    if not hours:
        return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
    # Translators: a length of time; days and hours are numbers: "2 d 18 h".
    text = _("%(days)d d %(hours)d h") % {"days": days, "hours": hours}
    return text.replace(" ", "\xa0")  # no line ends within it


def hours_and_minutes(span: timedelta) -> str:
    """Return hours that add up, such as those of a week, to the minute: "98 hours", "14 h 30 min"."""
    hours, rest = divmod(whole_minutes(span), HOUR)
    minutes = rest // MINUTE
    if not minutes:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    if not hours:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    # Translators: a length of time; hours and minutes are numbers: "14 h 30 min".
    text = _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}
    return text.replace(" ", "\xa0")  # no line ends within it


def whole_minutes(span: timedelta) -> timedelta:
    """Round to the nearest minute; never below 0."""
    return max(timedelta(0), (span + MINUTE / 2) // MINUTE * MINUTE)


def _past(span: timedelta) -> timedelta:
    """Return only the full minutes of a span that has passed."""
    return span // MINUTE * MINUTE


def _rounded(span: timedelta) -> tuple[str, int]:
    """Return a span as a number of minutes, hours or days, as precise as a reader needs."""
    span = whole_minutes(span)
    if span < FEW_MINUTES:
        if span and not span % HOUR:
            return "hours", span // HOUR
        return "minutes", span // MINUTE
    if span + HOUR / 2 < FEW_HOURS:
        return "hours", (span + HOUR / 2) // HOUR
    return "days", (span + DAY / 2) // DAY
