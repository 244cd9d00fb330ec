"""Local times as instants: a clock on the wall skips some times, and shows others twice.

A local time is a naive datetime; instants are returned in UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from django.core.exceptions import ValidationError
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.times import city, day


def instant_of(local: datetime, zone: tzinfo) -> datetime:
    """Return the instant of a local time.

    A time that is skipped comes later by as much. Of one that comes twice, the first counts. With `fold=1`
    it's the other way round (PEP 495).
    """
    return local.replace(tzinfo=zone).astimezone(UTC)


def local_of(instant: datetime, zone: tzinfo) -> datetime:
    """Return what a clock on the wall shows at an instant."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def shifted(instant: datetime, span: timedelta, zone: tzinfo) -> datetime:
    """Return the instant at which a clock on the wall shows this much more, whatever its changes."""
    return instant_of(local_of(instant, zone) + span, zone)


def instant_on(on: date, at: time, zone: tzinfo) -> datetime:
    """Return the instant of a time of day that no one typed, such as the end of a day.

    A time that is skipped becomes the nearest one on that day. Raises ValidationError for a day that is
    skipped altogether.
    """
    local = datetime.combine(on, at)
    for fold in (at.fold, 1 - at.fold):
        instant = instant_of(local.replace(fold=fold), zone)
        if local_of(instant, zone).date() == on:
            return instant
    raise ValidationError(_no_such_day(on, zone))


def typed_instant(local: datetime, zone: tzinfo) -> datetime:
    """Return the instant of a local time that someone typed.

    Raises ValidationError for one that is skipped or comes twice, because no one knows what they meant.
    """
    first, last = (instant_of(local.replace(fold=fold), zone) for fold in (0, 1))
    if first == last:
        return first
    words = {
        "time": time_format(local.time(), pgettext("format of a time of day", "H:i")),
        "day": day(local.date(), zone),
        "city": city(zone),
    }
    if first < last:
        # Translators: time is such as "02:15", day such as "Sunday 31 October", city names the time zone.
        text = _("%(time)s comes twice on %(day)s in %(city)s, because clocks go back. Choose another time.")
        raise ValidationError(text % words)
    if last.astimezone(zone).date() < local.date() < first.astimezone(zone).date():
        raise ValidationError(_no_such_day(local.date(), zone))
    # Translators: time is such as "02:15", day such as "Sunday 28 March", city names the time zone.
    text = _("%(time)s doesn’t exist on %(day)s in %(city)s, because clocks go forward. Choose another time.")
    raise ValidationError(text % words)


def _no_such_day(on: date, zone: tzinfo) -> str:
    # Translators: day is such as "Friday 30 December", city names the time zone.
    text = _("%(day)s doesn’t exist in %(city)s: the calendar skips it there. Choose another day.")
    return text % {"day": day(on, zone), "city": city(zone)}
