"""How far players have read at a table. The rows are their own, so a page that is opened may write them."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q

from accounts.full_disk import optional_write
from accounts.models import User
from games.models import Game, ReadMarker


class ReadUpTo(NamedTuple):
    """How far a player has read at a table: the number of a game there, and a step of it."""

    number: int
    step: int


def read_up_to(game: Game, user: User) -> ReadUpTo | None:
    """Return how far this player has read at the game's table; no query if the game was read for them."""
    if game.waiting_for_reader is not None:
        number, step = game.marked_number, game.marked_step
        return None if number is None or step is None else ReadUpTo(number, step)
    found = ReadMarker.objects.filter(table=game.table_id, user=user).values_list("number", "step").first()
    return ReadUpTo(*found) if found else None


def mark_game_read(game: Game, user: User, step: int, before: ReadUpTo | None) -> None:
    """Record that a player has read the game up to this step; writes only if something was new to them.

    `before` is how far they had read, None if nothing was marked. A step that is yet to come counts as the
    newest one.
    """
    here = ReadUpTo(game.number, min(step, game.step))
    if before is None:
        first = ReadMarker(table_id=game.table_id, user=user, **here._asdict())
        with optional_write("a read marker"):
            ReadMarker.objects.bulk_create([first], ignore_conflicts=True)
    elif here > before:  # an earlier game of a match marks nothing
        # They may have read further since, in another window or by a program.
        behind = Q(number__lt=here.number) | Q(number=here.number, step__lt=here.step)
        with optional_write("a read marker"):
            ReadMarker.objects.filter(behind, table=game.table_id, user=user).update(**here._asdict())
