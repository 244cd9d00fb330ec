"""How far a player has read his games: what came since is marked as new. Changes no game."""

from __future__ import annotations

from accounts.models import User
from games.models import Game, ReadMarker


def mark_game_read(game: Game, user: User, before: ReadMarker | None) -> None:
    """A player who had read this far opens the game now; writes it if there is anything new to him.

    The row is his own and part of no game, so a GET may write it.
    """
    here = (game.number, game.step)
    if before is None:
        first = ReadMarker(table_id=game.table_id, user=user, number=game.number, step=game.step)
        ReadMarker.objects.bulk_create([first], ignore_conflicts=True)
    elif here > (before.number, before.step):  # who opens an earlier game of a match has seen the later one
        ReadMarker.objects.filter(pk=before.pk).update(number=game.number, step=game.step)


def first_unread(seen: ReadMarker | None, game: Game) -> int | None:
    """The step from which this game's log is new to him; None where nothing is marked."""
    if seen is None or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
