"""The tables, open seats and players that an organiser decides about.

At a running anonymous table, names never appear in seat order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from accounts import clock
from games.leagues.models import Division, LeagueTable, OpenSeat, Registration, Round, Season
from games.leagues.selectors.text import names_in
from games.leagues.services.adjudication import is_running
from games.narration.cast import and_list


@dataclass(frozen=True)
class TableRow:
    """A table with the names of its seated players."""

    table: LeagueTable
    names: str

    @property
    def runs(self) -> bool:
        """Return whether the table is being played."""
        return is_running(self.table)

    @property
    def is_late(self) -> bool:
        """Return whether the table is being played after its end."""
        return self.runs and self.table.deadline <= clock.now()


def has_begun(season: Season) -> bool:
    """Return whether any round of the season has been drawn."""
    return Round.objects.filter(division__season=season, draw__isnull=False).exists()


def tables_of(season: Season) -> list[TableRow]:
    """Return all tables that have begun: those being played by their ends, then the others, newest first."""
    tables = (
        LeagueTable.objects.filter(round__division__season=season, table__isnull=False)
        .select_related("table", "round__division")
        .prefetch_related("assignments__entry__user")
        .order_by("-begins_at", "round__division__level", "number")
    )
    people = [assignment.entry.user for table in tables for assignment in table.assignments.all()]
    names = names_in([season.league_id], people)
    rows = [TableRow(table, _names_at(table, names)) for table in tables]
    running = sorted([row for row in rows if row.runs], key=lambda row: row.table.deadline)
    return [*running, *[row for row in rows if not row.runs]]


def _names_at(table: LeagueTable, names: Mapping[int, str]) -> str:
    """Return the names of a table's seated players, sorted, because seat order would reveal their seats."""
    return and_list(sorted(names[assignment.entry.user_id] for assignment in table.assignments.all()))


def seats_by_name(table: LeagueTable) -> list[tuple[int, str]]:
    """Return a table's positions with the names of their seated players, sorted by name."""
    assignments = list(table.assignments.select_related("entry__user"))
    names = names_in(
        [table.round.division.season.league_id], [assignment.entry.user for assignment in assignments]
    )
    seated = [(assignment.position, names[assignment.entry.user_id]) for assignment in assignments]
    return sorted(seated, key=lambda seat: (seat[1], seat[0]))


def open_seats_of(season: Season) -> list[tuple[OpenSeat, str]]:
    """Return the open seats, each with the name of the player who left.

    The name is empty at an anonymous table.
    """
    sought = OpenSeat.objects.filter(table__round__division__season=season, state__in=OpenSeat.SOUGHT)
    found = list(sought.select_related("table__round__division", "table__table", "left_by").order_by("pk"))
    leavers = {one.pk: one.left_by for one in found if one.left_by and not one.table.game_table.is_anonymous}
    names = names_in([season.league_id], leavers.values())
    return [(one, names[left.pk] if (left := leavers.get(one.pk)) else "") for one in found]


@dataclass(frozen=True)
class DivisionRow:
    """A division with everyone who is or was in it.

    Without a division, it has those who were never placed in any.
    """

    division: Division | None
    entries: list[Registration]
    season: Season
    names: Mapping[int, str]

    @property
    def people(self) -> list[tuple[Registration, str]]:
        """Return the players with their names."""
        return [(entry, self.names[entry.user_id]) for entry in self.entries]

    @property
    def free(self) -> int:
        """Return the number of free places."""
        playing = sum(entry.state == Registration.State.PLAYING for entry in self.entries)
        return max(self.season.division_size - playing, 0)


def divisions_of(season: Season) -> list[DivisionRow]:
    """Return everyone in a season by division, in order of registration."""
    entries = season.entries.select_related("user", "division").order_by(
        "division__level", "registered_at", "pk"
    )
    names = names_in([season.league_id], [entry.user for entry in entries])
    return [
        DivisionRow(division, list(same), season, names)
        for division, same in groupby(entries, key=lambda entry: entry.division)
    ]


def helpers_of(season: Season) -> list[str]:
    """Return the names of the substitutes, in the order in which they get offers."""
    helping = season.substitutes.filter(stopped_at=None).select_related("user")
    names = names_in([season.league_id], [one.user for one in helping])
    return [names[one.user_id] for one in helping]
