"""The time zones a person can choose from: the IANA names that stand for places."""

from functools import cache
from zoneinfo import available_timezones

_REGIONS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)


@cache
def zone_choices() -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Choices for a select: UTC first, then the places of each part of the world by name."""
    names = sorted(available_timezones())
    groups: list[tuple[str, str | list[tuple[str, str]]]] = [("UTC", "UTC")]
    for region in _REGIONS:
        places = [(name, _place(name)) for name in names if name.startswith(f"{region}/")]
        groups.append((region, places))
    return groups


def _place(name: str) -> str:
    """`America/Argentina/Buenos_Aires` reads as `Buenos Aires (Argentina)`."""
    _region, *middle, place = name.replace("_", " ").split("/")
    return f"{place} ({', '.join(middle)})" if middle else place
