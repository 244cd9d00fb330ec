"""A season's rounds, tables and seats as its organiser looks at them: what could be decided, and where.

In a fixed number of queries. Who sits where at an anonymous table that still runs is told to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from accounts import present
from games.leagues.models import Division, Entry, LeagueTable, Round, Season, Vacancy
from games.leagues.overview.names import names_in
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
    people = [chair.entry.user for table in tables for chair in table.chairs.all()]
    names = names_in([season.league_id], people)
    rows = [_row(list(same), names) for _number, same in groupby(tables, key=lambda table: table.round_id)]
    return sorted(rows, key=lambda row: not row.plays)


def _row(tables: Sequence[LeagueTable], names: Mapping[int, str]) -> RoundRow:
    return RoundRow(tables[0].round, [TableRow(table, _names_at(table, names)) for table in tables])


def _names_at(table: LeagueTable, names: Mapping[int, str]) -> str:
    """Who was seated at a table; by name, for the order would tell who sits where."""
    return and_list(sorted(names[chair.entry.user_id] for chair in table.chairs.all()))


def seats_by_name(table: LeagueTable) -> list[tuple[int, str]]:
    """The positions of a table with who was seated there, in the order of names."""
    chairs = list(table.chairs.select_related("entry__user"))
    names = names_in([table.round.division.season.league_id], [chair.entry.user for chair in chairs])
    seated = [(chair.position, names[chair.entry.user_id]) for chair in chairs]
    return sorted(seated, key=lambda seat: (seat[1], seat[0]))


def vacancies_of(season: Season) -> list[tuple[Vacancy, str]]:
    """The seats for which somebody is sought, and who left each; nobody's name where nobody is to know who
    sat where."""
    sought = Vacancy.objects.filter(
        table__round__division__season=season, state__in=(Vacancy.State.OPEN, Vacancy.State.NOBODY)
    )
    found = list(sought.select_related("table__round__division", "table__table", "left_by").order_by("pk"))
    told = {one.pk: one.left_by for one in found if one.left_by and not one.table.table.is_anonymous}
    names = names_in([season.league_id], told.values())
    return [(one, names[left.pk] if (left := told.get(one.pk)) else "") for one in found]


@dataclass(frozen=True)
class DivisionRow:
    """A division with everybody who is or was in it; without one, whoever never came into any."""

    division: Division | None
    entries: list[Entry]
    season: Season
    names: Mapping[int, str]

    @property
    def people(self) -> list[tuple[Entry, str]]:
        """Everybody, and what they are called."""
        return [(entry, self.names[entry.user_id]) for entry in self.entries]

    @property
    def free(self) -> int:
        """How many places nobody has."""
        playing = sum(entry.state == Entry.State.PLAYING for entry in self.entries)
        return max(self.season.division_size - playing, 0)


def divisions_of(season: Season) -> list[DivisionRow]:
    """Everybody in a season, by division, in the order in which he came."""
    entries = season.entries.select_related("user", "division").order_by("division__level", "signed_at", "pk")
    names = names_in([season.league_id], [entry.user for entry in entries])
    return [
        DivisionRow(division, list(same), season, names)
        for division, same in groupby(entries, key=lambda entry: entry.division)
    ]


def helpers_of(season: Season) -> list[str]:
    """Who takes seats that others leave, in the order in which they are asked."""
    helping = season.substitutes.filter(stopped_at=None).select_related("user")
    names = names_in([season.league_id], [one.user for one in helping])
    return [names[one.user_id] for one in helping]
