"""A player's tables that are drawn and have not begun, with the opponents that the draw gave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Prefetch

from accounts.models import User
from accounts.names import alphabetical
from games.leagues.models import LeagueTable, Registration, Season, SeatAssignment
from games.leagues.selectors.names_in_leagues import names_in
from games.narration.cast import and_list

MOST_TABLES = 5


@dataclass(frozen=True)
class NextTable:
    """A table of the player's that is drawn and has not begun."""

    row: LeagueTable
    opponents: str  # as a phrase
    is_skipped: bool

    @property
    def season(self) -> Season:
        return self.row.round.division.season

    @property
    def level(self) -> int:
        return self.row.round.division.level


def next_tables(player: User, season: Season | None = None) -> list[NextTable]:
    """Return a player's first tables that have not begun, in one season or in all, in three queries at most.

    Opponents are sorted by name: seats of anonymous tables are drawn when they begin.
    """
    playing = Registration.objects.filter(
        user=player, state=Registration.State.PLAYING, season__state=Season.State.RUNNING
    )
    if season is not None:
        playing = playing.filter(season=season)
    rows = (
        LeagueTable.objects.planned()
        .filter(assignments__entry__in=playing)
        .select_related("round__division__season__league")
        .prefetch_related(Prefetch("assignments", SeatAssignment.objects.select_related("entry__user")))
        .order_by("round__number", "pk")[:MOST_TABLES]
    )
    return _with_names(list(rows), player)


def _with_names(rows: Iterable[LeagueTable], player: User) -> list[NextTable]:
    people = [at.entry.user for row in rows for at in row.assignments.all()]
    names = names_in({row.round.division.season.league_id for row in rows}, people)
    return [_make_table(row, player, names) for row in rows]


def _make_table(row: LeagueTable, player: User, names: dict[int, str]) -> NextTable:
    seated = {at.entry.user_id: at.entry for at in row.assignments.all()}
    others = [names[pk] for pk, entry in seated.items() if pk != player.pk and not entry.is_out]
    return NextTable(
        row, and_list(sorted(others, key=alphabetical)), row.round.number in seated[player.pk].skipped
    )
