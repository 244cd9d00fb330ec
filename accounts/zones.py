"""Time zones: which names are known, the zone of a person's browser, and the list on the profile."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.availability import follow_zone
from accounts.mail.preferences import follow_frequency
from accounts.models import User

BROWSER_ZONE = "browser_zone"  # a form field that a script fills in (look/time_zone.js)
_REGIONS = (
    "Africa/",
    "America/",
    "Antarctica/",
    "Arctic/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
)


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


def zone_choices(present: str) -> list[tuple[str, str]]:
    """Return UTC and the zones of all places, as choices for a select: `America/New York`.

    A present zone that is not among them stays selectable.
    """
    places = {name for name in _known() if name.startswith(_REGIONS)}
    return [(name, name.replace("_", " ")) for name in sorted({present, "UTC"} | places)]
