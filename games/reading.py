"""A game as its pages need it: with its table, the seats and who sits there."""

from __future__ import annotations

from django.db.models import Prefetch, prefetch_related_objects

from games.models import Game, Seat, Table


def game_with_company(number: int) -> Game | None:
    """The game with its table and all its seats, prefetched; None where there is no such game."""
    game = Game.objects.select_related("table").filter(pk=number).first()
    if game is not None:
        read_company(game.table)
    return game


def read_company(table: Table) -> None:
    """Reads the table's seats and who sits there; `table.all_seats()` asks no more."""
    prefetch_related_objects([table], Prefetch("seats", Seat.objects.select_related("user")))
