"""A match by its services: games follow each other until someone has the points (R27 to R29)."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, Seat, Table
from games.models.matches import last_game, points_after, what_follows
from games.rules import MatchWon, commitment
from games.services import Refused
from games.services.match_games import begin_due_games
from tests.games.playing import play_to_the_end
from tests.matches.playing import begin_against_bots, begin_match, ready

pytestmark = pytest.mark.django_db
TARGET = 12  # reached with the second game or a later one


def play_out(game: Game) -> list[Game]:
    """Play all games of a match to its end."""
    played = []
    while True:
        play_to_the_end(game, seed=game.number)
        game.refresh_from_db()
        played.append(game)
        if isinstance(what_follows(game), MatchWon):
            return played
        following = ready(game.table, game.number + 1)
        assert following is not None
        game = following


def test_games_follow_until_the_target_is_reached(anna: Any) -> None:
    games = play_out(begin_against_bots(anna, TARGET, 2))
    table = Table.objects.get()
    assert table.state == Table.State.FINISHED
    assert table.next_game_at is None
    assert len(games) > 1
    for before, after in pairwise(games):
        assert after.number == before.number + 1
        assert after.nonces == before.nonces
        assert tuple(after.points_before or ()) == points_after(before)
        assert max(points_after(before)) < TARGET or after.final_battle
        if not after.final_battle:
            assert after.first_condottiere == (before.first_condottiere + 1) % 3
    assert max(points_after(games[-1])) >= TARGET


def test_each_secret_was_promised_by_the_game_before(people: list[Any]) -> None:
    table = begin_match(people, 20).table
    for number in range(2, 6):
        assert table.commitment_of(number) == table.secret_of(number - 1).hex()
        assert commitment(table.secret_of(number)) == table.commitment_of(number)
    assert table.commitment == commitment(table.secret_of(1))


def test_the_next_game_waits_for_everyone_and_then_for_no_one(people: list[Any]) -> None:
    game = begin_match(people[:2], 50)
    play_to_the_end(game)
    table = Table.objects.get()
    assert table.state == Table.State.PLAYING
    first, *others = table.seats.people()
    assert services.be_ready(first, 2) is None
    assert services.be_ready(first, 2) is None
    assert Game.objects.count() == 1
    begun = [services.be_ready(seat, 2) for seat in others][-1]
    assert begun == last_game(table)
    assert services.be_ready(first, 2) == begun
    assert Game.objects.count() == 2


def test_after_the_pause_it_begins_by_itself_and_once(people: list[Any]) -> None:
    game = begin_match(people[:2], 50)
    play_to_the_end(game)
    assert begin_due_games(timezone.now()) == 0
    with time_machine.travel(timezone.now() + timedelta(hours=24, minutes=1)):
        assert begin_due_games(timezone.now()) == 1
        assert begin_due_games(timezone.now()) == 0
    assert list(Game.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_bots_are_always_ready(people: list[Any]) -> None:
    game = begin_against_bots(people[0], 50, 1)
    table = game.table
    play_to_the_end(game)
    begun = services.be_ready(table.seats.get(user=people[0]), 2)
    assert begun is not None
    assert begun.number == 2


def test_no_one_is_ready_for_what_does_not_come(people: list[Any]) -> None:
    game = begin_match(people[:2], 50)
    seat = Seat.objects.get(table=game.table, number=0)
    with pytest.raises(Refused):
        services.be_ready(seat, 2)
    play_to_the_end(game)
    with pytest.raises(Refused):
        services.be_ready(seat, 3)


def test_a_tie_for_the_target_is_fought_out_among_the_tied(people: list[Any]) -> None:
    game = begin_match(people, 20)
    play_to_the_end(game)
    Game.objects.update(result={"winners": [0], "reason": "most regions", "points": [20, 3, 20]})
    table = Table.objects.get()
    fighters = table.seats.filter(number__in=(0, 2)).order_by("number")
    begun = [services.be_ready(seat, 2) for seat in fighters]  # the next game does not wait for spectators
    assert begun[0] is None
    battle = begun[1]
    assert battle is not None
    assert battle.final_battle == [20, None, 20]
    assert battle.fighters == (0, 2)
    assert {entry.seat for entry in battle.log.all()} == {None}
    OutgoingEmail.objects.all().delete()
    play_to_the_end(battle)
    battle.refresh_from_db()
    assert battle.result is not None
    assert set(battle.result) == {"winners", "reason"}
    assert set(battle.result["winners"]) <= {0, 2}
    assert battle.log.filter(seat=1).count() == 0
    table.refresh_from_db()
    assert table.state == Table.State.FINISHED
