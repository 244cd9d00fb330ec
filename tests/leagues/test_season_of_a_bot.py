"""A bot plays a season by the API alone, where its organisers let bots in, and is refused elsewhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import translation

from accounts.bots import make_bot
from accounts.models import User
from games.leagues.models import Season
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import confirm, sign_up
from games.models import Game
from tests.api.asking import Program, told
from tests.clocks.passing import Wall
from tests.games.playing import play_to_the_end, play_until
from tests.leagues import world
from tests.leagues.world import DAY

BY_PROGRAM = 4  # moves; tests/api/test_example_bot.py plays whole games
BOTS_MAY = {"terms": world.TERMS | {"takes_bots": True}}


@pytest.fixture
def players(wall: Wall) -> list[User]:
    return world.people(3)


@pytest.fixture
def robin(players: list[User]) -> User:
    bot = make_bot(players[0], "Robin")
    assert bot is not None
    return bot


def passed(wall: Wall, span: timedelta) -> None:
    wall.now += span
    while run_seasons(wall.now):
        pass


def play_by_program(program: Program, game: Game) -> None:
    """Play a game to its end, the bot's first moves by its program."""
    seat = told(program.get(f"games/{game.pk}"))["seat"]
    for _move in range(BY_PROGRAM):
        assert not play_until(game, lambda _state, decision: decision.seat == seat).is_over
        (waiting,) = told(program.get("waiting"))
        assert (waiting["kind"], waiting["id"]) == ("game", game.pk)
        seen = told(program.get(f"games/{game.pk}"))
        moves = [move["move"] for move in seen["moves"]]
        sent = {"step": seen["decision"]["step"], "move": "pass" if "pass" in moves else moves[0]}
        told(program.post(f"games/{game.pk}/moves", sent))
        game.refresh_from_db()
    play_to_the_end(game)


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.long)])
def test_a_bot_plays_a_season_from_signing_up_to_the_standings(
    wall: Wall, players: list[User], robin: User, rounds: int
) -> None:
    program, season = Program(robin), world.a_season(world.a_league(players[0]), rounds=rounds, **BOTS_MAY)
    world.reschedule(season)
    passed(wall, timedelta())
    path = f"leagues/{season.league_id}/seasons/{season.number}"
    assert told(program.get(f"{path}/place")) == {"season": "sign-up", "takes_bots": True, "state": ""}
    assert told(program.post(f"{path}/place", {}))["state"] == "signed up"
    for player in players:
        sign_up(season, player)
    passed(wall, 7 * DAY)
    assert told(program.get(f"{path}/place"))["season"] == "confirming"
    assert told(program.post(f"{path}/place/confirmation"))["state"] == "confirmed"
    for entry in season.entries.filter(user__in=players):
        confirm(entry)
    passed(wall, 3 * DAY)
    played: list[dict[str, Any]] = []
    while told(program.get(path))["state"] == "running":
        for row in told(program.get("games")):
            play_by_program(program, Game.objects.get(pk=row["id"]))
            played.append(told(program.get(f"games/{row['id']}")))
        passed(wall, DAY)
        assert len(played) <= rounds
    assert len(played) == rounds
    assert all(game["is_over"] and "Robin (bot)" in game["players"] for game in played)
    assert told(program.get(f"{path}/place"))["season"] == "closed"
    standings = told(program.get(f"{path}/divisions/1"))
    assert "Robin (bot)" in str(standings)
    assert Season.objects.get(pk=season.pk).state == Season.State.CLOSED


SAID = "Players’ own bots can’t sign up for this season."


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_where_bots_cannot_sign_up_the_bot_reads_so(
    wall: Wall, players: list[User], robin: User, language: str
) -> None:
    season = world.a_season(world.a_league(players[0]), state=Season.State.SIGN_UP)
    path = f"leagues/{season.league_id}/seasons/{season.number}/place"
    robin.language = language
    robin.save()
    program = Program(robin)
    assert told(program.get(path))["takes_bots"] is False
    refused = told(program.post(path, {}), 409)
    with translation.override(language):
        assert refused["detail"] == translation.gettext(SAID)
    assert (refused["detail"] == SAID) == (language == "en")
    assert not season.entries.exists()
