"""The cities that name time zones, in the reader's language. Knows nothing of people."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from babel import Locale
from babel.core import get_global
from django.utils.translation import get_language, to_locale

ENGLISH = "en"


def city_of(zone: str) -> str:
    """Return the place that names a time zone; in English as it is in the zone's own name."""
    return _cities(get_language() or ENGLISH).get(zone) or zone.rpartition("/")[2].replace("_", " ")


def is_old_name(zone: str) -> bool:
    """Return whether a time zone has another name today."""
    return zone in _present_names()


def _present_names() -> Mapping[str, str]:
    names: Mapping[str, str] = get_global("zone_aliases")
    return names


@cache
def _cities(language: str) -> Mapping[str, str]:
    """Return the language's own names of places by zones, under all names that a zone has had."""
    if language.startswith(ENGLISH):
        return {}
    zones = Locale.parse(to_locale(language)).time_zones
    known = {zone: names["city"] for zone, names in zones.items() if "city" in names}
    for old, present in _present_names().items():
        if old in known:
            known.setdefault(present, known[old])
    return {old: known[present] for old, present in _present_names().items() if present in known} | known
