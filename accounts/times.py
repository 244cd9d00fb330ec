"""Moments, days and durations in words: the only formatter of times for pages, emails and feeds.

Each duration is a whole phrase of its own ("in 3 hours", "for 3 hours", "3 hours ago"), never a part of
another message: other languages need a different form for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo

from django.utils.formats import date_format
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

from accounts import clock

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FEW_MINUTES, FEW_HOURS = 2 * HOUR, 2 * DAY  # below these, a duration is counted in minutes or hours

# Django translates these too, but some languages (Russian) capitalise them there, as dates never do inside a
# sentence. The site's catalogues come first, so dates take a weekday from them.
WEEKDAYS = (
    # Translators: as written in a date
    gettext_noop("Monday"),
    # Translators: as written in a date
    gettext_noop("Tuesday"),
    # Translators: as written in a date
    gettext_noop("Wednesday"),
    # Translators: as written in a date
    gettext_noop("Thursday"),
    # Translators: as written in a date
    gettext_noop("Friday"),
    # Translators: as written in a date
    gettext_noop("Saturday"),
    # Translators: as written in a date
    gettext_noop("Sunday"),
)


# Moments and days


def moment(at: datetime, zone: tzinfo | None = None) -> str:
    """Format a moment in the reader's zone, or in another: "Friday 6 March, 14:10"; the year if not this."""
    local = localtime(at, zone)
    if _is_this_year(local, zone):
        # Translators: the format of a time in this year, in Django's date letters: "Friday 6 March, 14:10".
        return date_format(local, pgettext("format of a moment in this year", "l j F, H:i"))
    # Translators: the format of a time in another year: "Friday 6 March 2027, 14:10".
    return date_format(local, pgettext("format of a moment in another year", "l j F Y, H:i"))


def moment_with_city(at: datetime, zone: tzinfo | None = None) -> str:
    """Format a moment for an email, with its zone: "Friday 6 March, 14:10 (Rome)"."""
    words = {"moment": moment(at, zone), "city": city(zone or get_current_timezone())}
    # Translators: moment is a time such as "Friday 6 March, 14:10"; city names its time zone, such as "Rome".
    return _("%(moment)s (%(city)s)") % words


def day(on: date, zone: tzinfo | None = None) -> str:
    """Format a day: "Friday 6 March"; the year if not this."""
    local = localtime(on, zone) if isinstance(on, datetime) else on
    if _is_this_year(local, zone):
        # Translators: the format of a day in this year: "Friday 6 March".
        return date_format(local, pgettext("format of a day in this year", "l j F"))
    # Translators: the format of a day in another year: "Friday 6 March 2027".
    return date_format(local, pgettext("format of a day in another year", "l j F Y"))


def _is_this_year(local: date, zone: tzinfo | None) -> bool:
    return local.year == localtime(clock.now(), zone).year


def city(zone: tzinfo) -> str:
    """Return the place that names a time zone, the same in every language: "Rome", "Buenos Aires"."""
    return str(zone).rpartition("/")[2].replace("_", " ")


# The same as elements of a page, which programs can read


class Timed(str):
    """Text with times in it: `<time>` elements where HTML is shown, plain text everywhere else."""

    __slots__ = ("_html",)
    _html: SafeString

    def __new__(cls, text: str, html: SafeString) -> Timed:
        timed = super().__new__(cls, text)
        timed._html = html
        return timed

    def __html__(self) -> SafeString:
        """Return the text as HTML; Django's templates and `format_html` ask for it."""
        return self._html


def moment_element(at: datetime | None, zone: tzinfo | None = None) -> str:
    """Return a moment in the reader's zone, or in another, as a `<time>` element; empty without one."""
    return _element(_exact(at), moment(at, zone)) if at else ""


def span(start: datetime, end: datetime) -> Timed:
    """Return a time with its end, as elements: "Friday 6 March, 20:00 to 21:00"."""
    until = date_format(localtime(end), pgettext("format of a time of day", "H:i"))
    words = {"start": moment_element(start), "end": _element(_exact(end), until)}
    # Translators: start is a time such as "Friday 6 March, 20:00", end a time of day such as "21:00".
    return with_times(_("%(start)s to %(end)s"), words)


def day_element(on: date | None) -> str:
    """Return a day as a `<time>` element; empty without one."""
    if not on:
        return ""
    exact = localtime(on).date() if isinstance(on, datetime) else on
    return _element(exact.isoformat(), day(on))


def with_times(message: str, words: Mapping[str, str | int]) -> Timed:
    """Fill the placeholders of a message whose times are elements."""
    safe = {name: word if isinstance(word, int) else conditional_escape(word) for name, word in words.items()}
    return Timed(message % words, SafeString(escape(message) % safe))


def _element(exact: str, text: str) -> Timed:
    return Timed(text, format_html('<time datetime="{}">{}</time>', exact, text))


def ago_element(at: datetime) -> SafeString:
    """Return how long ago a moment was, as a `<time>` element that shows the moment on request."""
    return format_html('<time datetime="{}" title="{}">{}</time>', _exact(at), moment(at), ago(at))


def _exact(at: datetime) -> str:
    return localtime(at).isoformat(timespec="seconds")


# Durations


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
    """Return how long something has lasted since a moment: "for 3 hours"."""
    unit, n = _rounded(_past((now or clock.now()) - since))
    if unit == "days":
        return ngettext("for %(n)d day", "for %(n)d days", n) % {"n": n}
    if unit == "hours":
        return ngettext("for %(n)d hour", "for %(n)d hours", n) % {"n": n}
    if not n:
        return _("for less than a minute")
    return ngettext("for %(n)d minute", "for %(n)d minutes", n) % {"n": n}


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


def hours_and_minutes(span: timedelta) -> str:
    """Return an exact length of time to the minute: "14 hours", "50 minutes", "14 h 30 min"."""
    hours, rest = divmod(whole_minutes(span), HOUR)
    minutes = rest // MINUTE
    if not minutes:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    if not hours:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    # Translators: a length of time; hours and minutes are numbers: "14 h 30 min".
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}


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
