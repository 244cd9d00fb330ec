"""Links to what an organiser can do."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from games.leagues.models import Season


@dataclass(frozen=True)
class OrganiserLink:
    """A link to something that the organiser can do."""

    url: str
    words: str


def season_link(name: str, season: Season, words: str) -> OrganiserLink:
    """Return a link to an organiser's page of a season."""
    return OrganiserLink(reverse(name, args=[season.league_id, season.number]), words)
