"""What a division's page says of each round: never that one is upcoming while a later one is played."""

from __future__ import annotations

import pytest

from accounts.models import User
from games.leagues.selectors.league_rounds import rounds_of
from tests.clocks.passing import Wall
from tests.leagues import world

pytestmark = pytest.mark.django_db


def test_a_round_whose_tables_wait_is_not_upcoming(wall: Wall, anna: User) -> None:
    players = world.people(4)
    season = world.a_running_season(anna, players, rounds=4)
    division = season.divisions.get()
    waiting = division.rounds.get(number=2)
    waiting.draw = {"tables": [[player.pk for player in players]], "byes": [], "scores": None}
    waiting.save(update_fields=["draw"])
    waiting.tables.create(number=1)
    world.seat_by_hand(division.rounds.get(number=3), players)
    assert [row.state for row in rounds_of(division)] == [
        "Upcoming",  # not drawn
        "Waiting for players",
        "In progress",
        "Upcoming",
    ]
