"""How far a player has read their games, to mark what is new. Changes no game."""

from __future__ import annotations

from accounts.models import User
from games.models import Game, ReadMarker


def mark_game_read(game: Game, user: User, before: ReadMarker | None) -> None:
    """Record that a player opens the game now; writes only if something is new to them.

    The row belongs to the player and to no game, so a GET may write it.
    """
    here = (game.number, game.step)
    if before is None:
        first = ReadMarker(table_id=game.table_id, user=user, number=game.number, step=game.step)
        ReadMarker.objects.bulk_create([first], ignore_conflicts=True)
    elif here > (before.number, before.step):  # an earlier game of a match marks nothing
        ReadMarker.objects.filter(pk=before.pk).update(number=game.number, step=game.step)


def first_unread(seen: ReadMarker | None, game: Game) -> int | None:
    """Return the step from which this game's log is new to them; None where nothing is marked."""
    if seen is None or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
