"""How far a player has read his games: what came since is marked as new. Changes no game."""

from __future__ import annotations

from accounts.models import User
from games.models import Game, Seen, Table

NO_GAME = 0  # who has only read the board


def read_on(game: Game, user: User, before: Seen | None, message: int) -> None:
    """A player who had read this far opens the game now; writes it if there is anything new to him.

    `message` is the newest on the table's board. The row is his own and part of no game, so a GET may write
    it: it is the one row that a game's page changes.
    """
    _read_to(game.table_id, user, before, (game.number, game.step), message)


def read_board(table: Table, user: User | None, message: int) -> Seen | None:
    """How far somebody had read who opens the page of a table's board alone; he reads on as in a game."""
    if user is None:
        return None
    before = Seen.objects.filter(table=table, user=user).first()
    _read_to(table.pk, user, before, (NO_GAME, 0), message)
    return before


def _read_to(table: int, user: User, before: Seen | None, here: tuple[int, int], message: int) -> None:
    if before is not None:
        return _advance(before, here, message)
    first = Seen(table_id=table, user=user, number=here[0], step=here[1], message=message)
    Seen.objects.bulk_create([first], ignore_conflicts=True)
    return None


def _advance(seen: Seen, here: tuple[int, int], message: int) -> None:
    """Nobody reads backwards: who opens an earlier game of a match has still seen the later one."""
    there = (seen.number, seen.step)
    if here > there or message > seen.message:
        number, step = max(here, there)
        newest = max(message, seen.message)
        Seen.objects.filter(pk=seen.pk).update(number=number, step=step, message=newest)


def new_from(seen: Seen | None, game: Game) -> int | None:
    """The step from which this game's log is new to him; None where nothing is marked."""
    if seen is None or seen.number == NO_GAME or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
