"""The standings of a division with explanations, the same on the page, in files and in the feed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.models import User
from accounts.names import alphabetical
from games.leagues.models import Division, Registration, Standing
from games.leagues.results.division_standings import DivisionStandings, standings_by_division
from games.leagues.scoring.computed_standings import StandingsRow, SubstituteResult
from games.leagues.scoring.round_results import RoundResult
from games.leagues.scoring.table_facts import SeatFacts, TableFacts
from games.leagues.scoring.table_points import PointsFor
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.points_in_words import decision_text, place_beside, share_text
from games.narration.cast import and_list


class Mark(StrEnum):
    """What was unusual about a result; its letter is shown next to the points."""

    BYE = "bye"
    AWARDED = "awarded"
    SUBSTITUTE = "substitute"

    @property
    def letter(self) -> str:
        return {
            Mark.BYE: pgettext("mark next to points: bye", "b"),
            Mark.AWARDED: pgettext("mark next to points: awarded by an organiser", "a"),
            Mark.SUBSTITUTE: pgettext("mark next to points: substitute", "s"),
        }[self]

    @property
    def text(self) -> str:
        return {
            Mark.BYE: pgettext("what points are for", "Bye"),
            Mark.AWARDED: _("Awarded by an organiser"),
            Mark.SUBSTITUTE: _("Someone else played a part of it"),
        }[self]


@dataclass(frozen=True)
class Cell:
    """A player's result in a round, with its explanation."""

    round: int
    table: int | None  # the table's number in the round; None: they sat out
    points: Fraction
    why: str
    place: str = ""  # at the table, where the explanation doesn't name it
    marks: tuple[Mark, ...] = ()
    reason: str = ""  # the organiser's, of an award; only for the league's people

    @property
    def where(self) -> str:
        """Return the round and table."""
        words = {"round": self.round, "table": self.table}
        return (_("Round %(round)d") if self.table is None else _("Round %(round)d, table %(table)d")) % words


@dataclass(frozen=True)
class StandingsLine:
    """A player's row in the standings."""

    row: StandingsRow
    entry: Registration
    name: str
    place: int | None  # None: no one has a result yet
    by_round: tuple[Cell | None, ...]  # one per counted round; None: no result
    decided: str  # why they are below a player with the same points
    moves: str  # where they may play next, once the season is over
    is_mine: bool
    missed: tuple[int, ...] = ()  # rounds they missed by holiday, without a table in their place

    @property
    def missed_text(self) -> str:
        """Return which rounds the player missed while away; empty for none."""
        if not self.missed:
            return ""
        # Translators: rounds is a list of numbers, such as "1 and 2"
        text = ngettext("away in round %(rounds)s", "away in rounds %(rounds)s", len(self.missed))
        return text % {"rounds": and_list([str(number) for number in self.missed])}

    @property
    def cells(self) -> list[Cell]:
        return [cell for cell in self.by_round if cell is not None]

    @property
    def person(self) -> User:
        return self.entry.user

    @property
    def is_late(self) -> bool:
        """Return whether the player joined during the season."""
        return self.entry.from_round > 1


@dataclass(frozen=True)
class SubstituteLine:
    """A substitute's points from another player's seat."""

    name: str
    person: User
    seated: str
    seated_number: int | None
    cell: Cell


@dataclass(frozen=True)
class StandingsPage:
    """A division after the rounds counted so far."""

    division: Division
    found: DivisionStandings
    names: Mapping[int, str]  # by user primary key
    next_levels: Mapping[int, int]  # by user primary key; only for places kept
    reader: User | None

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """Return the rounds with at least one result."""
        return tuple(sorted({result.round for row in self.found.standings.rows for result in row.results}))

    @cached_property
    def lines(self) -> tuple[StandingsLine, ...]:
        """Return the players in order of their places; by name before the first result."""
        above, lines = "", []
        for row in self.found.standings.rows:
            lines.append(self._make_line(row, above))
            above = self.names[row.player]
        return tuple(lines if self.has_results else sorted(lines, key=lambda line: alphabetical(line.name)))

    @cached_property
    def substitute_lines(self) -> tuple[SubstituteLine, ...]:
        return tuple([self._make_substitute_line(one) for one in self.found.standings.substitute_results])

    @property
    def has_results(self) -> bool:
        return bool(self.rounds)

    @property
    def marks(self) -> list[Mark]:
        """Return the marks in use."""
        used = {mark for line in self.lines for cell in line.cells for mark in cell.marks}
        return [mark for mark in Mark if mark in used]

    @cached_property
    def _facts(self) -> dict[int, TableFacts]:
        return {facts.table: facts for facts in self.found.facts}

    def _make_line(self, row: StandingsRow, above: str) -> StandingsLine:
        found = {result.round: self._make_cell(result, row.player) for result in row.results}
        return StandingsLine(
            row,
            self.found.entries[row.player],
            self.names[row.player],
            row.place if self.has_results else None,
            tuple([found.get(number) for number in self.rounds]),
            decision_text(row.decided_by, above) if row.decided_by and row.results else "",
            self._move_text(row.player),
            self.reader is not None and row.player == self.reader.pk,
            self.found.missed.get(row.player, ()),
        )

    def _move_text(self, player: int) -> str:
        """Return where the player may move at the end of the season."""
        level = self.next_levels.get(player, self.division.level)
        letter = Division(level=level).letter
        if level < self.division.level:
            # Translators: division is its letter, such as B
            text = _("Promoted to %(division)s") % {"division": letter}
        elif level > self.division.level:
            # Translators: division is its letter, such as B
            text = _("Relegated to %(division)s") % {"division": letter}
        else:
            return ""
        return text.replace(f" {letter}", f"\xa0{letter}")  # no line begins with the letter

    def _make_cell(self, result: RoundResult, player: int) -> Cell:
        why = share_text(result.score, result.share)
        if result.table is None:
            return Cell(result.round, None, result.points, why, marks=(Mark.BYE,))
        facts, for_what = self._facts[result.table], result.score.terms[0].what
        seat = next(seat for seat in facts.seats if seat.seated == player)
        return Cell(
            result.round,
            self.found.tables[result.table].number,
            result.points,
            why,
            place_beside(result.score, seat),
            tuple(_marks(for_what, seat)),
            facts.reason if for_what == PointsFor.AWARDED else "",
        )

    def _make_substitute_line(self, one: SubstituteResult) -> SubstituteLine:
        seated = self.names[one.seated] if one.seated is not None else pgettext("who plays a seat", "a bot")
        number = self.found.tables[one.table].number
        cell = Cell(one.round, number, one.points, share_text(one.score, one.share))
        return SubstituteLine(self.names[one.player], self.found.people[one.player], seated, one.seated, cell)


def _marks(for_what: PointsFor, seat: SeatFacts) -> Iterator[Mark]:
    if for_what == PointsFor.AWARDED:
        yield Mark.AWARDED
    if len({holder.player for holder in seat.holders}) > 1:
        yield Mark.SUBSTITUTE


def standings_page(division: Division, reader: User | None = None) -> StandingsPage:
    """Return the division's standings for this reader, who may be anonymous."""
    return standings_pages([division], reader)[0]


def standings_pages(divisions: Sequence[Division], reader: User | None = None) -> list[StandingsPage]:
    """Return the standings of several divisions of one season, in order, in a fixed number of queries."""
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
