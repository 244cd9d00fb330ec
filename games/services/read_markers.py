"""How far players have read at a table. The rows are their own, so a page that is opened may write them."""

from __future__ import annotations

from accounts.full_disk import optional_write
from accounts.models import User
from games.models import Game, ReadMarker


def read_marker(game: Game, user: User) -> ReadMarker | None:
    """Return how far this player has read at the game's table."""
    return ReadMarker.objects.filter(table=game.table_id, user=user).first()


def mark_game_read(game: Game, user: User, step: int, before: ReadMarker | None) -> None:
    """Record that a player has read the game up to this step; writes only if something was new to them.

    `before` is their marker, None if they have none. A step that is yet to come counts as the newest one.
    """
    here = (game.number, min(step, game.step))
    number, step = here
    if before is None:
        first = ReadMarker(table_id=game.table_id, user=user, number=number, step=step)
        with optional_write("a read marker"):
            ReadMarker.objects.bulk_create([first], ignore_conflicts=True)
    elif here > (before.number, before.step):  # an earlier game of a match marks nothing
        with optional_write("a read marker"):
            ReadMarker.objects.filter(pk=before.pk).update(number=number, step=step)
