"""A season's rounds, tables and seats as its organiser looks at them: what could be decided, and where.

In a fixed number of queries. Who sits where at an anonymous table that still runs is told to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from accounts import present
from games.leagues.models import Division, Entry, LeagueTable, Round, Season, Vacancy
from games.leagues.models.rounds import Chair
from games.models import Table
from games.telling.narration import and_list


@dataclass(frozen=True)
class TableRow:
    """A table with the names of who was seated there."""

    table: LeagueTable
    names: str

    @property
    def runs(self) -> bool:
        """Whether it is being played."""
        return self.table.table.state == Table.State.PLAYING

    @property
    def is_late(self) -> bool:
        """Whether it is being played although the round's end has passed."""
        return self.runs and self.table.round.ends_at <= present.now()


@dataclass(frozen=True)
class RoundRow:
    """A round of a division with its tables."""

    round: Round
    tables: list[TableRow] = field(default_factory=list)

    @property
    def plays(self) -> bool:
        """Whether its tables are being played."""
        return self.round.state == Round.State.PLAYING


def has_begun(season: Season) -> bool:
    """Whether a round of it has begun."""
    return Round.objects.filter(division__season=season).exclude(state=Round.State.PLANNED).exists()


def rounds_of(season: Season) -> list[RoundRow]:
    """All rounds that have begun: first those that are played, then the others, the newest first."""
    tables = (
        LeagueTable.objects.filter(round__division__season=season)
        .select_related("table", "round__division")
        .prefetch_related("chairs__entry__user")
        .order_by("-round__number", "round__division__level", "number")
    )
    rows = [_row(list(same)) for _number, same in groupby(tables, key=lambda table: table.round_id)]
    return sorted(rows, key=lambda row: not row.plays)


def _row(tables: list[LeagueTable]) -> RoundRow:
    return RoundRow(tables[0].round, [TableRow(table, names_at(table)) for table in tables])


def names_at(table: LeagueTable) -> str:
    """Who was seated at a table; by name, for the order would tell who sits where."""
    return and_list(sorted(chair.entry.user.shown_name for chair in table.chairs.all()))


def chairs_by_name(table: LeagueTable) -> list[Chair]:
    """Who was seated at a table, in the order of names."""
    chairs = table.chairs.select_related("entry__user")
    return sorted(chairs, key=lambda chair: (chair.entry.user.shown_name, chair.position))


def vacancies_of(season: Season) -> list[Vacancy]:
    """The seats for which somebody is sought."""
    sought = Vacancy.objects.filter(
        table__round__division__season=season, state__in=(Vacancy.State.OPEN, Vacancy.State.NOBODY)
    )
    return list(sought.select_related("table__round__division", "table__table", "left_by").order_by("pk"))


@dataclass(frozen=True)
class DivisionRow:
    """A division with everybody who is or was in it; without one, whoever never came into any."""

    division: Division | None
    entries: list[Entry]
    season: Season

    @property
    def free(self) -> int:
        """How many places nobody has."""
        playing = sum(entry.state == Entry.State.PLAYING for entry in self.entries)
        return max(self.season.division_size - playing, 0)


def divisions_of(season: Season) -> list[DivisionRow]:
    """Everybody in a season, by division, in the order in which he came."""
    entries = season.entries.select_related("user", "division").order_by("division__level", "signed_at", "pk")
    return [
        DivisionRow(division, list(same), season)
        for division, same in groupby(entries, key=lambda entry: entry.division)
    ]
