"""The final of a season as it was played, and who won it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.stored_facts import facts_of
from games.leagues.scoring.table_facts import TableFacts


def final_table(season: Season) -> LeagueTable | None:
    """Return the table of the season's final; None if it has not begun."""
    rows = LeagueTable.objects.filter(round__division__season=season, round__is_final=True)
    return rows.select_related("round", "table").prefetch_related("awards").first()


def winner_of_final(season: Season) -> int | None:
    """Return the user ID of the final's winner; None without a final, or if all its players have left."""
    row = final_table(season) if season.final != Season.Final.NONE else None
    if row is None or row.facts is None:
        return None
    here = season.entries.filter(state=Registration.State.PLAYING).values_list("user_id", flat=True)
    return first_of_final(facts_of(row), finalists_of(row), set(here))


def finalists_of(row: LeagueTable) -> Sequence[int]:
    """Return the user IDs of the final's players, in the order of their places before it."""
    (players,) = (row.round.draw or {"tables": [[]]})["tables"]
    return tuple(players)


def first_of_final(facts: TableFacts, finalists: Sequence[int], here: Collection[int]) -> int | None:
    """Return the finalist whose seat has the best place, among those who are here until the end.

    Of several who share it, that is the first in the standings.
    """
    places = {seat.seated: seat.place for seat in facts.seats}
    return min([one for one in finalists if one in here], key=lambda one: places[one], default=None)
