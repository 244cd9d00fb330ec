"""Draw After Battle at the table, where a draw can need more than one shuffle (R26)."""

from typing import Any

import pytest
from django.utils import timezone

from games.models import Game
from games.models.replay import replayed
from games.rules import Options, new_game, parse_move, pending
from games.services.continue_game import continue_game
from games.services.progress import Progress
from tests.games.playing import begin_game, submit
from tests.rules.random_play import Game as Played
from tests.rules.random_play import random_game

pytestmark = pytest.mark.django_db
DRAWING = Options("2007", ("draw-after-battle",))


def two_shuffles_in_a_row() -> tuple[Played, int]:
    """Return a random game of six, and the entry of a move after which the site shuffles twice."""
    for seed in range(128, 200):
        game = random_game(seed, DRAWING, 6)
        for ply in range(1, len(game.log) - 2):
            if game.log[ply][0] is not None and game.log[ply + 1][0] is game.log[ply + 2][0] is None:
                return game, ply
    raise AssertionError("no such game")


def stored(people: list[Any], played: Played, until: int) -> Game:
    """Store the game up to this entry."""
    game = begin_game(people, options_json={"edition": "2007", "variants": list(DRAWING.variants)})
    game.log.all().delete()
    game.first_condottiere = played.first
    game.save()
    now = timezone.now()
    progress = Progress(new_game(DRAWING, 6, played.first))
    for seat, text in played.log[:until]:
        progress.play(game, seat, parse_move(text), now)
    continue_game(game, progress, now)
    return game


def test_the_table_shuffles_as_often_as_a_draw_needs(
    anna: Any, bruno: Any, carla: Any, dario: Any, elena: Any, fabio: Any
) -> None:
    played, ply = two_shuffles_in_a_row()
    game = stored([anna, bruno, carla, dario, elena, fabio], played, ply)
    seat, text = played.log[ply]
    assert seat is not None
    submit(game, seat, parse_move(text), pending(replayed(game).state)[0].decision_step, "web")
    assert list(game.log.order_by("ply").values_list("seat", flat=True))[ply + 1 : ply + 3] == [None, None]
    assert pending(replayed(game).state)
    game.refresh_from_db()
    assert game.phase != "shuffle"
