"""Next games of a match: begin when everyone has seen the last result, or after a set time (R27-R29).

State is checked again under the table's lock. Two clicks, or a click and a tick, begin only one game.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.row_locks import free
from games.models import Game, Seat, Table
from games.models.locking import Refused
from games.models.matches import awaited, beginning_after, last_game
from games.services.start import begin_game


@transaction.atomic
def be_ready(seat: Seat, number: int) -> Game | None:
    """Mark this player as ready for game `number` of the match.

    Returns that game if it begins now or has begun already, otherwise None. Safe to repeat. Raises Refused if
    no such game is to come.
    """
    table = Table.objects.select_for_update(of=("self",)).get(pk=seat.table_id)
    game = last_game(table)
    if game is not None and game.number >= number:
        return game
    if game is None or table.next_game_at is None or game.number + 1 != number:
        raise Refused(_("This match has no further game."))
    table.seats.filter(pk=seat.pk, ready_for__lt=number).update(ready_for=number)
    return begin_if_all_ready(game)


def begin_if_all_ready(game: Game) -> Game | None:
    """Begin the game that follows a finished one if all its players are ready; bots always are.

    Call this under the table's lock.
    """
    if awaited(game).exists():
        return None
    return _begin_after(game)


def begin_due_games(now: datetime) -> int:
    """Begin the next games of matches whose pause is over; return how many."""
    due = (
        Table.objects.filter(next_game_at__lte=now)
        .order_by("next_game_at", "pk")
        .values_list("pk", flat=True)
    )
    return sum(_begin_if_due(pk, now) for pk in list(due))


@transaction.atomic
def _begin_if_due(pk: int, now: datetime) -> bool:
    table = free(Table.objects.filter(pk=pk)).first()
    game = last_game(table) if table else None
    if table is None or game is None or table.next_game_at is None or table.next_game_at > now:
        return False
    _begin_after(game)
    return True


def _begin_after(game: Game) -> Game:
    """Begin the game or final battle that follows a finished game. Call this under the table's lock."""
    columns = beginning_after(game)
    assert columns is not None
    table = game.table
    table.next_game_at = None
    table.save(update_fields=["next_game_at"])
    return begin_game(table, number=game.number + 1, nonces=game.nonces, **columns)
