"""A division's standing as files: the numbers of its page, for programs. Points stand as an exact fraction
and as a decimal number."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from typing import Any

from django.utils.translation import gettext as _

from accounts.addresses import absolute_url
from games.leagues.models import LeagueTable
from games.leagues.overview.divisions import Cell, HelpLine, Line, StandingsPage
from games.leagues.overview.numbers import as_decimal
from games.leagues.reading import rules_of
from games.leagues.scoring import Decided, ScoringRules, SeatFacts, TableFacts
from games.models import MAX_SEATS, MIN_SEATS

# What a spreadsheet would take for a formula if a name began with it.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def standing_as_csv(page: StandingsPage) -> bytes:
    """In UTF-8 with a mark of it, which spreadsheets need: a line for each player, each round a column."""
    written = StringIO(newline="")
    rows = csv.writer(written, lineterminator="\r\n")
    rows.writerow(list(_headings(page)))
    for line in page.lines:
        rows.writerow([harmless(field) for field in _fields(line)])
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def harmless(field: object) -> str:
    """The field, which no spreadsheet carries out as a formula."""
    text = str(field)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text


def _headings(page: StandingsPage) -> Iterator[str]:
    yield from (_("Place"), _("Player"), _("Number"), _("State"), _("Points"), _("Points as a decimal"))
    yield from (_("Tables"), _("Victories"), _("Regions"), _("Strength of opponents"), _("Rounds sat out"))
    for number in page.rounds:
        yield _("Round %(number)d") % {"number": number}


def _fields(line: Line) -> Iterator[object]:
    row = line.row
    yield from (row.place, line.name, row.player, line.entry.get_state_display())
    yield from (row.points, as_decimal(row.points))
    yield from (row.played, row.wins, row.regions, row.strength, row.byes)
    for cell in line.by_round:
        yield "" if cell is None else cell.points


def standing_as_json(page: StandingsPage, path: str) -> dict[str, Any]:
    """`path` is where the page is."""
    season = page.division.season
    return {
        "league": season.league.name,
        "season": season.number,
        "division": page.division.letter,
        "state": season.state,
        "page": absolute_url(path),
        "seed": season.seed,
        "rules": _rules(rules_of(season)),
        "rounds": list(page.rounds),
        "standing": [_line(line) for line in page.lines],
        "helped": [_help(one) for one in page.helps],
        "tables": [_table(one, page.found.tables[one.table]) for one in page.found.facts],
        "byes": [{"round": one.round, "number": one.player} for one in page.found.byes],
    }


def _rules(rules: ScoringRules) -> dict[str, Any]:
    """How the season scores."""
    sizes = range(MIN_SEATS, MAX_SEATS + 1)
    return {
        "scoring": rules.scoring.value,
        "places": {str(size): [str(points) for points in rules.points_by_place(size)] for size in sizes},
        "tie_breaks": [one.value for one in rules.all_tie_breaks],
        "split": rules.split.value,
        "bye": rules.bye.value,
    }


def _table(facts: TableFacts, row: LeagueTable) -> dict[str, Any]:
    """What a table came to: all that its points are computed from."""
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
        "strength": number(row.strength),
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
    """A number exactly, and as programs that know no fractions read it."""
    return {"exact": str(value), "decimal": as_decimal(value)}
