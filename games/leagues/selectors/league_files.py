"""Standings and pairings as files.

JSON has everything needed to compute them again, each number as an exact fraction and as a decimal. CSV has
the numbers of the page.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from io import StringIO
from typing import Any

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.addresses import absolute_url
from accounts.models import User
from games.leagues.models import Division, LeagueTable, Round
from games.leagues.results.drawn_rounds import FirstDraw, first_draw, seated_rounds
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.scoring.scoring_methods import ScoringRules
from games.leagues.scoring.table_facts import SeatFacts, TableFacts
from games.leagues.scoring.tie_breaks import Decided
from games.leagues.seating import KIND, KIND_OF_ONE_ROUND, Seated
from games.leagues.selectors.exact_numbers import as_decimal, as_people_read
from games.leagues.selectors.mid_season import MidSeasonRow, mid_season
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.standings_page import Cell, StandingsPage, SubstituteLine
from games.models import MAX_SEATS, MIN_SEATS

# Where a cell could begin with what a spreadsheet reads as a formula: also after what separates the cells of
# other files, since a spreadsheet may be set to another separator.
_FORMULA = re.compile(r"(^|[,;\t|\"\r\n]) *(?=[=+\-@\t\r\n＝＋－＠])")


def standings_as_csv(page: StandingsPage) -> bytes:
    """Return the standings as CSV: one row per player, one column per round.

    It is UTF-8 with a byte order mark, which spreadsheets need. Where decimals have a comma, spreadsheets
    expect semicolons between fields.
    """
    written = StringIO(newline="")
    delimiter = ";" if get_format("DECIMAL_SEPARATOR") == "," else ","
    rows = csv.writer(written, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    rows.writerow(list(_column_titles(page)))
    for row in mid_season(page).rows:
        rows.writerow([harmless(field) for field in _column_values(row)])
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def harmless(field: object) -> str:
    """Return the field as text that no spreadsheet runs as a formula, or reads as a date (such as 5/2)."""
    text = as_people_read(field) if isinstance(field, Fraction) else str(field)
    return _FORMULA.sub(_quoted, text)


def _quoted(found: re.Match[str]) -> str:
    """Return what begins a cell, with an apostrophe that makes the cell text."""
    separator = found[1]
    return f"{separator}'{found[0].removeprefix(separator)}"


def _column_titles(page: StandingsPage) -> Iterator[str]:
    yield from (
        pgettext("rank in the standings", "Place"),
        pgettext("column of a table", "Player"),
        _("Player number"),
    )
    yield from (
        pgettext("column of standings", "Status"),
        pgettext("column of a table", "Points"),
    )
    yield from (
        _("Tables played"),
        pgettext("column of a table", "Victories"),
        pgettext("column of a table", "Regions"),
        _("Strength of schedule"),
        pgettext("column of a table", "Byes"),
        _("Points per table"),
        _("Tables left"),
    )
    for number in page.rounds:
        yield pgettext("column of standings", "Round %(number)d") % {"number": number}


def _column_values(shown: MidSeasonRow) -> Iterator[object]:
    line, row = shown.line, shown.line.row
    place = "" if line.place is None else line.place
    yield from (place, line.name, row.player, line.entry.get_state_display())
    yield from (row.points, row.played, row.wins, row.regions, row.strength_of_schedule, row.byes)
    yield from (row.average, shown.left)
    for cell in line.by_round:
        yield "" if cell is None else cell.points


def standings_as_json(page: StandingsPage, path: str) -> dict[str, Any]:
    """Return the standings as JSON data; `path` is the path of the page."""
    season = page.division.season
    return {
        "league": season.league.name,
        "season": season.number,
        "division": page.division.letter,
        "state": season.state,
        "page": absolute_url(path),
        "seed": season.seed,
        "rules": rules_as_json(scoring_rules_of(season)),
        "rounds": list(page.rounds),
        "standing": [_line_as_json(row) for row in mid_season(page).rows],
        "helped": [_substitute_as_json(one) for one in page.substitute_lines],
        "tables": [table_as_json(one, page.found.tables[one.table]) for one in page.found.facts],
        "byes": [{"round": one.round, "number": one.player} for one in page.found.byes],
    }


def rules_as_json(rules: ScoringRules) -> dict[str, Any]:
    """Return the season's scoring rules."""
    sizes = range(MIN_SEATS, MAX_SEATS + 1)
    return {
        "scoring": rules.scoring.value,
        "places": {str(size): [str(points) for points in rules.points_by_place(size)] for size in sizes},
        "tie_breaks": [one.value for one in rules.all_tie_breaks],
        "split": rules.split.value,
        "bye": rules.bye.value,
    }


def table_as_json(facts: TableFacts, row: LeagueTable) -> dict[str, Any]:
    """Return a table's result, with everything that its points are computed from."""
    awarded = facts.awarded or (None,) * len(facts.seats)
    return {
        "round": facts.round,
        "table": row.number,
        "how": facts.how.value,
        "seats": [_seat_as_json(*one) for one in zip(facts.seats, awarded, strict=True)],
    }


def _seat_as_json(seat: SeatFacts, awarded: Fraction | None) -> dict[str, Any]:
    return {
        "held_by": [{"number": holder.player, "turns": holder.turns} for holder in seat.holders],
        "regions": seat.regions,
        "bonus": seat.bonus,
        "won": seat.won,
        "place": seat.place,
        "awarded": None if awarded is None else str(awarded),
    }


def _line_as_json(shown: MidSeasonRow) -> dict[str, Any]:
    line, row = shown.line, shown.line.row
    return {
        "place": line.place,
        "player": line.name,
        "number": row.player,
        "state": line.entry.state,
        "points": number(row.points),
        "tables": row.played,
        "tables_left": shown.left,
        "points_per_table": number(row.average),
        "victories": number(row.wins),
        "regions": number(row.regions),
        "strength_of_schedule": number(row.strength_of_schedule),
        "sat_out": row.byes,
        "away": list(line.missed),
        "decided_by": _decided_as_json(row.decided_by),
        "rounds": [_cell_as_json(cell) for cell in line.cells],
    }


def _cell_as_json(cell: Cell) -> dict[str, Any]:
    return {"round": cell.round, "table": cell.table, "points": number(cell.points), "why": cell.why}


def _substitute_as_json(one: SubstituteLine) -> dict[str, Any]:
    return {
        "player": one.name,
        "number": one.person.pk,
        "in_the_seat_of": one.seated,
        "in_the_seat_of_number": one.seated_number,
        **_cell_as_json(one.cell),
    }


def _decided_as_json(decided: Decided | None) -> dict[str, Any] | None:
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


# The pairing as a file, with all that is needed to repeat it (python -m games.leagues.seating,
# docs/LEAGUES.md)


def seating_as_json(division: Division, path: str) -> dict[str, Any]:
    """Return a division's pairings as JSON data, in a fixed number of queries.

    `path` is the path of the division's page. An anonymous table draws its seats again when it begins, so a
    draw reveals no seat.
    """
    season, seated = division.season, seated_rounds(division)
    rounds = {one.number: one for one in division.rounds.filter(is_final=False)}
    fixed = first_draw(division) or FirstDraw((), 1)
    sized = {"sized_for": fixed.sized_for} if fixed.sized_for > 1 else {}
    return {
        "file": KIND if sized else KIND_OF_ONE_ROUND,
        "how_to_check": "python -m games.leagues.seating FILE",
        "league": season.league.name,
        "season": season.number,
        "division": division.letter,
        "level": division.level,
        "page": absolute_url(path),
        "seed": season.seed,
        "format": season.format,
        "size": season.size,
        "rounds_planned": len(rounds),
        "at_once": season.tables_at_once,
        "away": list(fixed.away),
        **sized,
        "players": _players_as_json(season.league_id, seated.values()),
        "rounds": [_round_as_json(rounds[number], one) for number, one in seated.items()],
    }


def _players_as_json(league: int, rounds: Iterable[Seated]) -> list[dict[str, Any]]:
    """Return the players' names with the numbers of their pages."""
    numbers = {player for seated in rounds for player in seated.players}
    names = names_in([league], User.objects.filter(pk__in=numbers))
    return [{"number": number, "name": name} for number, name in sorted(names.items())]


def _round_as_json(round_: Round, seated: Seated) -> dict[str, Any]:
    return {
        "round": round_.number,
        "players": list(seated.players),
        "scores": round_.draw["scores"] if round_.draw else None,
        "tables": [list(table) for table in seated.tables],
        "byes": sorted(seated.byes),
    }
