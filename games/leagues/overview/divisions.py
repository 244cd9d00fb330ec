"""The standing of a division, as its page, its files and its feed have it: the same numbers everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import Division, Entry, LeagueTable, Round, Standing
from games.leagues.overview.explaining import in_points, told_decision, told_result, told_share
from games.leagues.overview.names import names_in
from games.leagues.overview.numbers import as_people_read
from games.leagues.reading import DivisionStandings, standings_by_division
from games.leagues.scoring import Help, RoundResult, Row


@dataclass(frozen=True)
class Cell:
    """What a round brought somebody, and why."""

    round: int
    table: int | None  # its number in the round; None: he sat out
    points: Fraction
    why: str

    @property
    def told(self) -> str:
        return as_people_read(self.points)

    @property
    def where(self) -> str:
        """The table, as a sentence begins with it."""
        words = {"round": self.round, "table": self.table}
        return (_("Round %(round)d") if self.table is None else _("Round %(round)d, table %(table)d")) % words


@dataclass(frozen=True)
class Line:
    """Somebody's line of a standing."""

    row: Row
    entry: Entry
    name: str
    by_round: tuple[Cell | None, ...]  # of each round that counts; None: he has no result there
    decided: str  # why he stands below who has as many points
    moves: str  # where he may play next, once the season is over
    is_mine: bool

    @property
    def cells(self) -> list[Cell]:
        return [cell for cell in self.by_round if cell is not None]

    @property
    def points(self) -> str:
        return as_people_read(self.row.points)

    @property
    def exact_points(self) -> str:
        return in_points(self.row.points)

    @property
    def person(self) -> User:
        return self.entry.user

    @property
    def is_late(self) -> bool:
        """Whether he came in the course of the season."""
        return self.entry.from_round > 1


@dataclass(frozen=True)
class HelpLine:
    """What somebody earned in another's seat."""

    name: str
    person: User
    seated: str
    seated_number: int | None
    cell: Cell


@dataclass(frozen=True)
class StandingsPage:
    """A division after the rounds that count so far."""

    division: Division
    found: DivisionStandings
    names: Mapping[int, str]  # what everybody is called
    next_levels: Mapping[int, int]  # of who keeps a place in the next season, by his account
    reader: User | None

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """The rounds in which anybody has a result."""
        return tuple(sorted({result.round for row in self.found.standings.rows for result in row.results}))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        above, lines = "", []
        for row in self.found.standings.rows:
            lines.append(self._line(row, above))
            above = self.names[row.player]
        return tuple(lines)

    @cached_property
    def helps(self) -> tuple[HelpLine, ...]:
        return tuple([self._help(one) for one in self.found.standings.helps])

    @property
    def has_results(self) -> bool:
        return bool(self.rounds)

    def _line(self, row: Row, above: str) -> Line:
        found = {result.round: self._cell(result) for result in row.results}
        return Line(
            row,
            self.found.entries[row.player],
            self.names[row.player],
            tuple([found.get(number) for number in self.rounds]),
            told_decision(row.decided_by, above) if row.decided_by and row.results else "",
            self._moves(row.player),
            self.reader is not None and row.player == self.reader.pk,
        )

    def _moves(self, player: int) -> str:
        """Up or down, as the season's end has it."""
        level = self.next_levels.get(player, self.division.level)
        words = {"division": Division(level=level).letter}
        if level < self.division.level:
            return _("goes up to %(division)s") % words
        return _("goes down to %(division)s") % words if level > self.division.level else ""

    def _cell(self, result: RoundResult) -> Cell:
        return Cell(result.round, self._number_of(result.table), result.points, told_result(result))

    def _number_of(self, table: int | None) -> int | None:
        return None if table is None else self.found.tables[table].number

    def _help(self, one: Help) -> HelpLine:
        seated = self.names[one.seated] if one.seated is not None else _("a bot")
        cell = Cell(one.round, self._number_of(one.table), one.points, told_share(one.score, one.share))
        return HelpLine(self.names[one.player], self.found.people[one.player], seated, one.seated, cell)


def standings_page(division: Division, reader: User | None = None) -> StandingsPage:
    """The division's standing for this reader, who may be nobody."""
    return standings_pages([division], reader)[0]


def standings_pages(divisions: Sequence[Division], reader: User | None = None) -> list[StandingsPage]:
    """The standings of some divisions of a season, in their order, in a fixed number of queries."""
    levels, found = _next_levels(divisions), standings_by_division(divisions)
    people = [person for one in found for person in one.people.values()]
    names = names_in({division.season.league_id for division in divisions}, people)
    return [
        StandingsPage(division, one, names, levels, reader)
        for division, one in zip(divisions, found, strict=True)
    ]


def _next_levels(divisions: Sequence[Division]) -> dict[int, int]:
    kept = Standing.objects.filter(division__in=divisions).values_list("entry__user", "next_level")
    return {user: level for user, level in kept if level is not None}


@dataclass(frozen=True)
class RoundRow:
    """A round in its division's list."""

    round: Round
    tables: int
    over: int


def rounds_of(division: Division) -> list[RoundRow]:
    """All rounds of the division, with how many tables each has and how many of them are over."""
    rows: dict[int, list[LeagueTable]] = {}
    for row in LeagueTable.objects.filter(round__division=division).only("round", "collected_at"):
        rows.setdefault(row.round_id, []).append(row)
    return [
        RoundRow(
            one, len(found := rows.get(one.pk, [])), sum([row.collected_at is not None for row in found])
        )
        for one in division.rounds.all()
    ]
