"""Time zones: which names are known, the zone of a person's browser, and the choices on the profile."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import get_language, pgettext, pgettext_lazy
from django.utils.translation.trans_real import parse_accept_lang_header

from accounts.availability import follow_zone
from accounts.cities import ENGLISH, city_of, is_old_name
from accounts.mail.outbox import follow_frequency
from accounts.models import User
from accounts.names import alphabetical

BROWSER_ZONE = "browser_zone"  # a form field that a script fills in (look/time_zone.js)

Choices = list[tuple[str, str | list[tuple[str, str]]]]


def known_zone(name: str) -> str:
    """Return the name if it is that of a place, by its present or an older name; else an empty text."""
    return name if name in _known() else ""


def follow_browser(request: HttpRequest, user: User) -> None:
    """Move a person to the time zone of the browser that sent this form, unless they have chosen one."""
    zone = known_zone(request.POST.get(BROWSER_ZONE, ""))
    if not zone or user.time_zone_chosen or zone == user.time_zone:
        return
    try:
        follow_zone(user, zone)
    except ValidationError:  # too few open hours are left; the person's own pages say so
        return
    user.refresh_from_db(fields=["time_zone", "time_zone_chosen"])
    follow_frequency(user)  # the digest hour depends on the time zone


@cache
def _known() -> frozenset[str]:
    return frozenset(name for name in available_timezones() if "/" in name) | {"UTC"}


# Choices for a select: IANA names of places

_REGIONS = {
    "Africa": pgettext_lazy("part of the world", "Africa"),
    "America": pgettext_lazy("part of the world", "America"),
    "Antarctica": pgettext_lazy("part of the world", "Antarctica"),
    "Arctic": pgettext_lazy("part of the world", "Arctic"),
    "Asia": pgettext_lazy("part of the world", "Asia"),
    "Atlantic": pgettext_lazy("part of the world", "Atlantic"),
    "Australia": pgettext_lazy("part of the world", "Australia"),
    "Europe": pgettext_lazy("part of the world", "Europe"),
    "Indian": pgettext_lazy("part of the world", "Indian"),
    "Pacific": pgettext_lazy("part of the world", "Pacific"),
}

# By what a browser asks for: a language, or a language and a country
_LIKELY = {
    "cs": ["Europe/Prague"],
    "de": ["Europe/Berlin", "Europe/Vienna", "Europe/Zurich"],
    "en": [
        "Europe/London",
        "America/New_York",
        "America/Chicago",
        "America/Denver",
        "America/Los_Angeles",
        "Australia/Sydney",
    ],
    "en-au": ["Australia/Sydney", "Australia/Brisbane", "Australia/Perth"],
    "en-ca": ["America/Toronto", "America/Winnipeg", "America/Vancouver"],
    "en-gb": ["Europe/London"],
    "en-ie": ["Europe/Dublin"],
    "en-in": ["Asia/Kolkata"],
    "en-nz": ["Pacific/Auckland"],
    "en-us": ["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"],
    "es": ["Europe/Madrid", "America/Mexico_City", "America/Argentina/Buenos_Aires", "America/Bogota"],
    "fr": ["Europe/Paris", "Europe/Brussels", "America/Montreal"],
    "it": ["Europe/Rome"],
    "ja": ["Asia/Tokyo"],
    "nl": ["Europe/Amsterdam", "Europe/Brussels"],
    "pl": ["Europe/Warsaw"],
    "pt": ["Europe/Lisbon", "America/Sao_Paulo"],
    "ru": ["Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"],
    "sv": ["Europe/Stockholm"],
    "uk": ["Europe/Kyiv"],
}
MOST_LIKELY = 10


def likely_zones(present: str, accept_language: str) -> list[str]:
    """Return a short list to choose from: the present zone, those of the browser's languages, the site's."""
    guessed = [present]
    for code, _weight in parse_accept_lang_header(accept_language.lower()):
        guessed += _LIKELY.get(code) or _LIKELY.get(code.partition("-")[0], [])
    guessed += [*_LIKELY.get(settings.LANGUAGE_CODE, []), settings.TIME_ZONE, "UTC"]
    return list(dict.fromkeys(guessed))[:MOST_LIKELY]


def zone_choices(present: str, accept_language: str = "") -> Choices:
    """Return choices for a select: likely zones first, then UTC and all places by part of the world.

    A present zone that this machine no longer lists stays selectable.
    """
    likely = [(name, _place(name)) for name in likely_zones(present, accept_language)]
    return [(pgettext("group of time zones", "Likely"), likely), *_places(get_language() or ENGLISH)]


@cache
def _places(_language: str) -> Choices:
    """Return all places by part of the world, by the alphabet of the language that is active."""
    names = sorted(available_timezones(), key=is_old_name, reverse=True)
    groups: Choices = [("UTC", "UTC")]
    for region, title in _REGIONS.items():
        places = {_place(name): name for name in names if name.startswith(f"{region}/")}
        groups.append((str(title), [(places[place], place) for place in sorted(places, key=alphabetical)]))
    return groups


def _place(name: str) -> str:
    """Return `Buenos Aires (Argentina)` for `America/Argentina/Buenos_Aires`, and `UTC` for itself."""
    _region, *between, place = name.replace("_", " ").split("/") if "/" in name else ("", name)
    city = city_of(name)
    return f"{city} ({', '.join(between)})" if between and city == place else city
