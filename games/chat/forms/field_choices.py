"""Choices that several forms of the chat offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.map.region_names import region_in_choices

Choices = Sequence[tuple[str, str]]


def regions_by_name(regions: Iterable[str]) -> Choices:
    """Return regions as form choices, ordered by name."""
    return sorted(((region, region_in_choices(region)) for region in regions), key=lambda pair: pair[1])
