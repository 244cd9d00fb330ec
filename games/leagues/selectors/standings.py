"""The standings of a division with explanations, for pages, files and feeds."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from io import StringIO
from typing import Any

from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from accounts.addresses import absolute_url
from accounts.models import User
from games.leagues.models import Division, LeagueTable, Registration, Round, Standing
from games.leagues.results import DivisionStandings, scoring_rules_of, standings_by_division
from games.leagues.scoring import (
    RoundResult,
    Score,
    ScoringRules,
    SeatFacts,
    TableFacts,
    Term,
    TieBreak,
    What,
)
from games.leagues.selectors.season_rules import ordinal
from games.leagues.selectors.text import as_decimal, as_people_read, exactly, names_in
from games.leagues.standings import Decided, Help, Row
from games.models import MAX_SEATS, MIN_SEATS


def in_points(number: Fraction) -> str:
    """Return points as a phrase."""
    return _points(number, exactly(number))


def about_points(number: Fraction) -> str:
    """Return points as a phrase, rounded to two decimal places."""
    return _points(number, as_people_read(number))


def _points(number: Fraction, text: str) -> str:
    if number.denominator == 1:
        return ngettext("%(n)s point", "%(n)s points", int(number)) % {"n": text}
    # Translators: n is a number with a fraction, such as 7.5 or 7.32 (exactly 161/22)
    return pgettext("not a whole number", "%(n)s points") % {"n": text}


def term_text(term: Term) -> str:
    """Return what points are given for, as the label of their number."""
    match term.what:
        case What.REGIONS:
            text = ngettext("%(n)d region", "%(n)d regions", term.count)
        case What.BONUS:
            text = _("Victory by a connected group")
        case What.PLACE:
            text = _shared_place(term) if term.among > 1 else ordinal(term.count)
        case What.VICTORY if term.among > 1:
            text = ngettext(
                "Victory shared by %(among)d player", "Victory shared by %(among)d players", term.among
            )
        case What.VICTORY:
            text = pgettext("what points are for", "Victory")
        case What.DEFEAT:
            text = pgettext("what points are for", "No victory")
        case What.AWARDED:
            text = _("Awarded by an organiser")
        case What.ABANDONED:
            text = pgettext("what points are for", "Abandoned table")
        case _:
            text = _bye_text(term)
    return text % {"n": term.count, "among": term.among}


def _bye_text(term: Term) -> str:
    if term.what == What.BYE and term.count:
        return ngettext(
            "Bye (average of their own %(n)d table)", "Bye (average of their own %(n)d tables)", term.count
        )
    if term.what == What.TYPICAL_BYE:
        return ngettext(
            "Bye (average of the division's %(n)d seat)",
            "Bye (average of the division's %(n)d seats)",
            term.count,
        )
    return pgettext("what points are for", "Bye")


def _shared_place(term: Term) -> str:
    return {
        1: ngettext(
            "1st place, shared by %(among)d player", "1st place, shared by %(among)d players", term.among
        ),
        2: ngettext(
            "2nd place, shared by %(among)d player", "2nd place, shared by %(among)d players", term.among
        ),
        3: ngettext(
            "3rd place, shared by %(among)d player", "3rd place, shared by %(among)d players", term.among
        ),
        4: ngettext(
            "4th place, shared by %(among)d player", "4th place, shared by %(among)d players", term.among
        ),
        5: ngettext(
            "5th place, shared by %(among)d player", "5th place, shared by %(among)d players", term.among
        ),
    }[term.count]


def score_text(score: Score) -> str:
    """Return what the points are for and how many there are: "3 regions: 3 points"."""
    return _listed(_scored(score))


def _scored(score: Score) -> list[tuple[str, str]]:
    """Return labels with points; the total is the last if there are several."""
    terms = [(term_text(term), in_points(term.amount)) for term in score.terms]
    if len(terms) > 1:
        terms.append((pgettext("label of points", "total"), in_points(score.points)))
    return terms


def _listed(terms: Iterable[tuple[str, str]]) -> str:
    return "; ".join([f"{label}: {points}" for label, points in terms])


def share_text(score: Score, share: Fraction) -> str:
    """Return the same for a player who gets a share of the points."""
    return _share_text(score, share, get_language())


@lru_cache(maxsize=4096)  # long standings repeat the same few sentences
def _share_text(score: Score, share: Fraction, _language: str) -> str:
    if share == 1:
        return score_text(score)
    # Translators: share is a fraction, such as 3/4
    label = _("this player's share, %(share)s") % {"share": share}
    return _listed([*_scored(score), (label, in_points(score.points * share))])


def result_text(result: RoundResult) -> str:
    """Return a player's result in a round, in words."""
    return share_text(result.score, result.share)


def decision_text(decided: Decided, above: str) -> str:
    """Return why a player is below another with the same points."""
    numbers = {"name": above, "mine": as_people_read(decided.value), "other": as_people_read(decided.above)}
    match decided.tie_break:
        case TieBreak.HEAD_TO_HEAD:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on head to head, in points per table: %(mine)s against %(other)s")
        case TieBreak.WINS:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on victories: %(mine)s against %(other)s")
        case TieBreak.REGIONS:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on regions: %(mine)s against %(other)s")
        case TieBreak.STRENGTH_OF_SCHEDULE:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on strength of schedule: %(mine)s against %(other)s")
        case TieBreak.LOT:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s by lot: number %(mine)s in the draw, against number %(other)s")
    return text % numbers


# Rows of the standings, the same on the page, in files and in the feed


@dataclass(frozen=True)
class Cell:
    """A player's result in a round, with its explanation."""

    round: int
    table: int | None  # the table's number in the round; None: they sat out
    points: Fraction
    why: str

    @property
    def text(self) -> str:
        return as_people_read(self.points)

    @property
    def where(self) -> str:
        """Return the round and table."""
        words = {"round": self.round, "table": self.table}
        return (_("Round %(round)d") if self.table is None else _("Round %(round)d, table %(table)d")) % words


@dataclass(frozen=True)
class Line:
    """A player's row in the standings."""

    row: Row
    entry: Registration
    name: str
    by_round: tuple[Cell | None, ...]  # one per counted round; None: no result
    decided: str  # why they are below a player with the same points
    moves: str  # where they may play next, once the season is over
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
        """Return whether the player joined during the season."""
        return self.entry.from_round > 1


@dataclass(frozen=True)
class HelpLine:
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
            decision_text(row.decided_by, above) if row.decided_by and row.results else "",
            self._moves(row.player),
            self.reader is not None and row.player == self.reader.pk,
        )

    def _moves(self, player: int) -> str:
        """Return where the player may move at the end of the season."""
        level = self.next_levels.get(player, self.division.level)
        words = {"division": Division(level=level).letter}
        if level < self.division.level:
            # Translators: division is its letter, such as B
            return _("Promoted to %(division)s") % words
        # Translators: division is its letter, such as B
        return _("Relegated to %(division)s") % words if level > self.division.level else ""

    def _cell(self, result: RoundResult) -> Cell:
        return Cell(result.round, self._number_of(result.table), result.points, result_text(result))

    def _number_of(self, table: int | None) -> int | None:
        return None if table is None else self.found.tables[table].number

    def _help(self, one: Help) -> HelpLine:
        seated = self.names[one.seated] if one.seated is not None else pgettext("who plays a seat", "a bot")
        cell = Cell(one.round, self._number_of(one.table), one.points, share_text(one.score, one.share))
        return HelpLine(self.names[one.player], self.found.people[one.player], seated, one.seated, cell)


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


@dataclass(frozen=True)
class RoundRow:
    """A round in its division's list."""

    round: Round
    tables: int
    over: int


def rounds_of(division: Division) -> list[RoundRow]:
    """Return all rounds of the division, with their numbers of tables and of finished tables."""
    rows: dict[int, list[LeagueTable]] = {}
    for row in LeagueTable.objects.filter(round__division=division).only("round", "collected_at"):
        rows.setdefault(row.round_id, []).append(row)
    return [
        RoundRow(
            one, len(found := rows.get(one.pk, [])), sum([row.collected_at is not None for row in found])
        )
        for one in division.rounds.all()
    ]


# Files: points are given as an exact fraction and as a decimal number


# A cell that begins with one of these would be read as a formula by a spreadsheet.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def standing_as_csv(page: StandingsPage) -> bytes:
    """Return the standings as CSV: one row per player, one column per round.

    It is UTF-8 with a byte order mark, which spreadsheets need.
    """
    written = StringIO(newline="")
    rows = csv.writer(written, lineterminator="\r\n")
    rows.writerow(list(_headings(page)))
    for line in page.lines:
        rows.writerow([harmless(field) for field in _fields(line)])
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def harmless(field: object) -> str:
    """Return the field as text that no spreadsheet runs as a formula."""
    text = str(field)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text


def _headings(page: StandingsPage) -> Iterator[str]:
    yield from (
        pgettext("rank in the standings", "Place"),
        pgettext("column of a table", "Player"),
        _("Player number"),
    )
    yield from (
        pgettext("column of standings", "Status"),
        pgettext("column of a table", "Points"),
        _("Points as a decimal"),
    )
    yield from (
        _("Tables played"),
        pgettext("column of a table", "Victories"),
        pgettext("column of a table", "Regions"),
        _("Strength of schedule"),
        pgettext("column of a table", "Byes"),
    )
    for number in page.rounds:
        yield _("Round %(number)d") % {"number": number}


def _fields(line: Line) -> Iterator[object]:
    row = line.row
    yield from (row.place, line.name, row.player, line.entry.get_state_display())
    yield from (row.points, as_decimal(row.points))
    yield from (row.played, row.wins, row.regions, row.strength_of_schedule, row.byes)
    for cell in line.by_round:
        yield "" if cell is None else cell.points


def standing_as_json(page: StandingsPage, path: str) -> dict[str, Any]:
    """Return the standings as JSON data; `path` is the path of the page."""
    season = page.division.season
    return {
        "league": season.league.name,
        "season": season.number,
        "division": page.division.letter,
        "state": season.state,
        "page": absolute_url(path),
        "seed": season.seed,
        "rules": _rules(scoring_rules_of(season)),
        "rounds": list(page.rounds),
        "standing": [_line(line) for line in page.lines],
        "helped": [_help(one) for one in page.helps],
        "tables": [_table(one, page.found.tables[one.table]) for one in page.found.facts],
        "byes": [{"round": one.round, "number": one.player} for one in page.found.byes],
    }


def _rules(rules: ScoringRules) -> dict[str, Any]:
    """Return the season's scoring rules."""
    sizes = range(MIN_SEATS, MAX_SEATS + 1)
    return {
        "scoring": rules.scoring.value,
        "places": {str(size): [str(points) for points in rules.points_by_place(size)] for size in sizes},
        "tie_breaks": [one.value for one in rules.all_tie_breaks],
        "split": rules.split.value,
        "bye": rules.bye.value,
    }


def _table(facts: TableFacts, row: LeagueTable) -> dict[str, Any]:
    """Return a table's result, with everything that its points are computed from."""
    awarded = facts.awarded or (None,) * len(facts.seats)
    return {
        "round": facts.round,
        "table": row.number,
        "how": facts.how.value,
        "seats": [_seat(*one) for one in zip(facts.seats, awarded, strict=True)],
    }


def _seat(seat: SeatFacts, awarded: Fraction | None) -> dict[str, Any]:
    return {
        "held_by": [{"number": holder.player, "turns": holder.turns} for holder in seat.holders],
        "regions": seat.regions,
        "bonus": seat.bonus,
        "won": seat.won,
        "place": seat.place,
        "awarded": None if awarded is None else str(awarded),
    }


def _line(line: Line) -> dict[str, Any]:
    row = line.row
    return {
        "place": row.place,
        "player": line.name,
        "number": row.player,
        "state": line.entry.state,
        "points": number(row.points),
        "tables": row.played,
        "victories": number(row.wins),
        "regions": number(row.regions),
        "strength_of_schedule": number(row.strength_of_schedule),
        "sat_out": row.byes,
        "decided_by": _decided(row.decided_by),
        "rounds": [_cell(cell) for cell in line.cells],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {"round": cell.round, "table": cell.table, "points": number(cell.points), "why": cell.why}


def _help(one: HelpLine) -> dict[str, Any]:
    return {
        "player": one.name,
        "number": one.person.pk,
        "in_the_seat_of": one.seated,
        "in_the_seat_of_number": one.seated_number,
        **_cell(one.cell),
    }


def _decided(decided: Decided | None) -> dict[str, Any] | None:
    if decided is None:
        return None
    return {
        "by": decided.tie_break.value,
        "value": number(decided.value),
        "above": number(decided.above),
    }


def number(value: Fraction) -> dict[str, Any]:
    """Return a number exactly and as a decimal, for programs without fractions."""
    return {"exact": str(value), "decimal": as_decimal(value)}
