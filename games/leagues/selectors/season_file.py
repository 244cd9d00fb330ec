"""A whole season as data for other programs: its rules, players, tables, results and standings.

Standings can be recomputed from it alone (tests/recompute_season.py). Names are the only words in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse

from accounts.addresses import absolute_url
from games.leagues.models import Division, LeagueTable, Season
from games.leagues.results.finals import final_table, finalists_of, winner_of_final
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.stored_facts import facts_as_played, facts_of
from games.leagues.scoring.table_facts import TableFacts
from games.leagues.selectors.league_files import number, rules_as_json, table_as_json
from games.leagues.selectors.mid_season import MidSeasonRow, mid_season
from games.leagues.selectors.standings_page import Cell, StandingsPage, standings_pages

KIND = "condottiere-season"
VERSION = 1  # grows when a field goes or changes its meaning, not when one is added


def season_as_json(season: Season) -> dict[str, Any]:
    """Return a season as JSON data. It has as many queries for many tables as for few."""
    pages = division_pages(season)
    path = reverse("season", args=[season.league_id, season.number])
    return {
        "file": KIND,
        "version": VERSION,
        "league": {"number": season.league_id, "name": season.league.name},
        "season": season.number,
        "state": season.state,
        "page": absolute_url(path),
        "begins_at": season.begins_at.isoformat(),
        "closed_at": _moment(season.closed_at),
        "seed": season.seed,
        "rules": rules_as_json(scoring_rules_of(season)),
        "players": _people(pages),
        "divisions": [_division_as_json(page) for page in pages],
        "final": _final(season),
        "winner": _winner(season, pages),
    }


def division_pages(season: Season) -> Sequence[StandingsPage]:
    """Return the standings of all divisions, the highest first, as anonymous readers see them."""
    divisions = list(Division.objects.filter(season=season).order_by("level"))
    for division in divisions:
        division.season = season
    return standings_pages(divisions)


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _people(pages: Sequence[StandingsPage]) -> list[dict[str, Any]]:
    """Return the names of all players and substitutes, by number."""
    names = {pk: page.names[pk] for page in pages for pk in page.found.people}
    return [{"number": pk, "name": name} for pk, name in sorted(names.items())]


def _division_as_json(page: StandingsPage) -> dict[str, Any]:
    entries = sorted(page.found.entries.values(), key=lambda entry: entry.user_id)
    return {
        "division": page.division.letter,
        "level": page.division.level,
        "players": [
            {"number": one.user_id, "state": one.state, "from_round": one.from_round} for one in entries
        ],
        "tables": [_table(facts, page.found.tables[facts.table]) for facts in page.found.facts],
        "byes": [{"round": one.round, "number": one.player} for one in page.found.byes],
        "standing": [_line(row, page.has_results) for row in mid_season(page).rows],
    }


def _final(season: Season) -> dict[str, Any] | None:
    """Return the final that is over, with its players in the order of their places before it."""
    row = final_table(season) if season.final != Season.Final.NONE else None
    if row is None or row.facts is None:
        return None
    return {"players": list(finalists_of(row)), **_table(facts_of(row), row)}


def _winner(season: Season, pages: Sequence[StandingsPage]) -> int | None:
    """Return who won a season that is over: its final, or else its highest division."""
    if season.state != Season.State.CLOSED:
        return None
    won = winner_of_final(season)
    return next(iter(pages[0].found.standings.order), None) if won is None else won


def _table(facts: TableFacts, row: LeagueTable) -> dict[str, Any]:
    """Return a table's result as it counts, and as it was played if an organiser corrected it."""
    played = table_as_json(facts_as_played(row), row)
    counted = table_as_json(facts, row)
    return {
        "number": row.pk,
        **counted,
        "winners": [seat.seated for seat in facts.seats if seat.won],
        "as_played": None if counted == played else {"how": played["how"], "seats": played["seats"]},
    }


def _line(shown: MidSeasonRow, has_results: bool) -> dict[str, Any]:
    row = shown.line.row
    return {
        "number": row.player,
        "place": row.place if has_results else None,
        "points": number(row.points),
        "tables": row.played,
        "tables_left": shown.left,
        "victories": number(row.wins),
        "regions": number(row.regions),
        "strength_of_schedule": number(row.strength_of_schedule),
        "byes": row.byes,
        "secured": [chance.value for chance in shown.chances],
        "rounds": [_result(cell) for cell in shown.line.cells],
    }


def _result(cell: Cell) -> dict[str, Any]:
    return {"round": cell.round, "table": cell.table, "points": number(cell.points)}
