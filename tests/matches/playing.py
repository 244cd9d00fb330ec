"""Begins matches and ends their games quickly, for tests of the pause between games."""

from collections.abc import Sequence
from typing import Any

from games import services
from games.models import Game, Table
from games.rules import MOST_GAMES
from tests.games.playing import begin_game, play_to_the_end

POINTS = {"options_json": {"edition": "2007", "variants": ["playing-for-points"]}, "chain": MOST_GAMES + 1}


def begin_match(people: Sequence[Any], target: int, **terms: Any) -> Game:
    """Return a match of these people, in its first game."""
    return begin_game(people, target=target, **POINTS, **terms)


def begin_against_bots(host: Any, target: int, bots: int, **terms: Any) -> Game:
    """Return a match of one person against recruit bots."""
    table = services.make_table(
        host, name="Bots", size=bots + 1, entry="open", target=target, **POINTS, **terms
    )
    for roster in range(1, bots + 1):
        services.seat_bot(table, "recruit", roster)
    services.confirm(table.seats.get(user=host))
    return Game.objects.select_related("table").get(table=table)


def ended(game: Game, seed: int = 1) -> Game:
    """Play the game to its end."""
    play_to_the_end(game, seed)
    return Game.objects.select_related("table").get(pk=game.pk)


def ready(table: Table, number: int) -> Game | None:
    """Everyone says that they are ready; return the game that begins then."""
    said = [services.be_ready(seat, number) for seat in table.seats.people()]
    assert said[:-1] == [None] * (len(said) - 1)
    return said[-1]
