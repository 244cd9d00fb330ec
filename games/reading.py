"""A game as its pages need it: with its table, the seats and who sits there, by statements composed once."""

from __future__ import annotations

from accounts.composed import Statement
from accounts.models import User
from games.models import Game, Seat, Table

_GAME = Statement(
    "SELECT {game}, {board} FROM games_game AS game JOIN games_table AS board ON board.id = game.table_id"
    " WHERE game.id = %s",
    game=Game,
    board=Table,
)
_COMPANY = Statement(
    "SELECT {seat}, {person} FROM games_seat AS seat"
    " LEFT JOIN accounts_user AS person ON person.id = seat.user_id"
    " WHERE seat.table_id = %s ORDER BY seat.number",
    seat=Seat,
    person=User,
)


def game_with_company(number: int) -> Game | None:
    """The game with its table and all its seats, as if prefetched; None where there is no such game."""
    found = _GAME.first(number)
    if found is None:
        return None
    game: Game = found[0]
    game.table = found[1]
    read_company(game.table)
    return game


def read_company(table: Table) -> None:
    """Reads the table's seats and who sits there; `table.all_seats()` asks no more."""
    seats = []
    for seat, person in _COMPANY.rows(table.pk):
        seat.table, seat.user = table, person
        seats.append(seat)
    table.has_read(seats)
