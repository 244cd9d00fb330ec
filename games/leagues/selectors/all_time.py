"""The all-time table of a league."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from accounts.models import User
from accounts.names import alphabetical
from games.leagues.models import League, Standing
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.season_summary import winners


@dataclass(frozen=True)
class AllTimeRow:
    """What a player's finished seasons of a league came to."""

    person: User
    name: str
    seasons: int
    tables: int
    victories: Fraction
    points: Fraction  # at tables, without byes
    titles: int

    @property
    def average(self) -> Fraction:
        """Return the points per table."""
        return self.points / max(self.tables, 1)


def all_time_table(league: League) -> list[AllTimeRow]:
    """Return the players of finished seasons in a few queries: by titles, then victories, then name.

    Closed accounts are left out.
    """
    titles = Counter(winners(league.seasons.all()).values())
    found = Standing.objects.filter(division__season__league=league, entry__user__deleted_at=None)
    by_player = defaultdict[User, list[Standing]](list)
    for standing in found.select_related("entry__user"):
        by_player[standing.entry.user].append(standing)
    names = names_in([league.pk], by_player)
    rows = [
        _all_time_row(player, names[player.pk], kept, titles[player]) for player, kept in by_player.items()
    ]
    return sorted(rows, key=lambda row: (-row.titles, -row.victories, alphabetical(row.name)))


def _all_time_row(player: User, name: str, kept: Sequence[Standing], titles: int) -> AllTimeRow:
    return AllTimeRow(
        player,
        name,
        len(kept),
        sum([one.tables for one in kept]),
        sum([Fraction(one.victories) for one in kept], Fraction(0)),
        sum([one.tables * Fraction(one.average) for one in kept], Fraction(0)),
        titles,
    )
