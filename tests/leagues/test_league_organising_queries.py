"""Organisers' pages and the log need no more queries for a large season than for a small one."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from games.leagues.models import AuditEvent, Season
from games.leagues.services.audit_log import record_event
from tests.clocks.passing import Wall
from tests.leagues.world import a_running_season, people, seat_by_hand

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]


def a_season_of(organiser: User, divisions: int, prefix: str) -> Season:
    """With divisions of four, each with a table, a free seat, someone invited, a helper and a event."""
    players = people(divisions * 4, prefix)
    fours = [players[at : at + 4] for at in range(0, len(players), 4)]
    season = a_running_season(organiser, *fours, most_divisions=3, division_size=4, rounds=2)
    for division, four in zip(season.divisions.all(), fours, strict=True):
        (table,) = seat_by_hand(division.rounds.get(number=1), four)
        table.open_seats.create(seat=0, why="left", state="nobody", left_by=four[0])
        season.invited.create(email=f"guest-{division.level}@example.org", by=organiser)
        season.substitutes.create(user=people(1, f"Helper{prefix}{division.letter}")[0])
        record_event(AuditEvent.Kind.EXTENDED, season, organiser, touched=four, reason="So.", table=table)
    return season


def queries(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_a_larger_season_costs_no_more_queries(wall: Wall, anna: User, signed_in: SignedIn) -> None:
    client, counts = signed_in(anna), []
    for divisions in (2, 3):
        season = a_season_of(anna, divisions, f"P{divisions}x")
        of_league = {name: reverse(name, args=[season.league_id]) for name in ("organise", "league_log")}
        of_season = {
            name: reverse(name, args=[season.league_id, season.number])
            for name in ("season_players", "season_desk")
        }
        counts.append({name: queries(client, path) for name, path in (of_league | of_season).items()})
    assert counts[0] == counts[1]
