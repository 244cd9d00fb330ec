"""Moments and days in words, for pages, emails and feeds."""

from __future__ import annotations

from datetime import date, datetime, tzinfo

from babel.dates import get_timezone_location
from django.conf import settings
from django.utils.formats import date_format
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import get_language, gettext_noop, pgettext, to_locale
from django.utils.translation import gettext as _

from accounts import clock

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


def time_of_day(at: datetime) -> str:
    """Return the time of a moment without its day: "20:00"."""
    return date_format(localtime(at), pgettext("format of a time of day", "H:i"))


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
    """Return the place that names a time zone, in the reader's language: "Rome", "Rzym" (Unicode CLDR)."""
    return get_timezone_location(
        zone, locale=to_locale(get_language() or settings.LANGUAGE_CODE), return_city=True
    )
