"""A division's seating as a file: all that its rounds were seated by, so that anybody can seat them again
(`python -m games.leagues.seating`, docs/LEAGUES.md)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from accounts.addresses import absolute_url
from accounts.models import User
from games.leagues.models import Division, LeagueTable, Round
from games.leagues.overview.names import names_in
from games.leagues.reading import seated_rounds
from games.leagues.seating import KIND, Seated
from games.models import Table


def seating_as_json(division: Division, path: str) -> dict[str, Any]:
    """`path` is where the division's page is. In a fixed number of queries.

    Rounds with a table that hides who sits where are left out. Those are looked up after the seats are read:
    a round that begins in between is either not yet among the seats or already among the hidden.
    """
    season, seated = division.season, seated_rounds(division)
    hidden = _hidden(division)
    rounds = {one.number: one for one in division.rounds.all()}
    told = {number: one for number, one in seated.items() if number not in hidden}
    return {
        "file": KIND,
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
        "anonymous": bool(season.terms.get("is_anonymous")),
        "players": _players(season.league_id, told.values()),
        "rounds": [_round(rounds[number], one) for number, one in told.items()],
        "left_out": _left_out(seated, hidden),
    }


def _hidden(division: Division) -> set[int]:
    """The rounds with a table at which nobody may know yet who sits where."""
    tables = LeagueTable.objects.filter(round__division=division, table__is_anonymous=True)
    hidden = tables.exclude(table__state=Table.State.FINISHED)
    return set(hidden.values_list("round__number", flat=True))


def _players(league: int, rounds: Iterable[Seated]) -> list[dict[str, Any]]:
    """By the numbers of their pages."""
    numbers = {player for seated in rounds for player in seated.players}
    names = names_in([league], User.objects.filter(pk__in=numbers))
    return [{"number": number, "name": name} for number, name in sorted(names.items())]


def _round(round_: Round, seated: Seated) -> dict[str, Any]:
    return {
        "round": round_.number,
        "players": list(seated.players),
        "scores": round_.scores,
        "tables": [list(table) for table in seated.tables],
        "byes": sorted(seated.byes),
    }


def _left_out(seated: Mapping[int, Seated], hidden: Container[int]) -> list[dict[str, Any]]:
    why = _("until its tables are over nobody may know who sits where")
    return [{"round": number, "why": why} for number in seated if number in hidden]
