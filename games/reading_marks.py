"""How far a player has read his games: what came since is marked as new. Changes no game."""

from __future__ import annotations

from accounts.models import User
from games.models import Game, Seen, Table

NO_GAME = 0  # who has only read the board


def read_on(game: Game, user: User | None, message: int) -> Seen | None:
    """How far the player had read before this visit; None at his first one, and for nobody.

    Writes that he reads on now, if there is anything new, `message` being the newest on the table's board.
    That row is his own and part of no game, so a GET may write it: it is the one row that a game's page
    changes.
    """
    if user is None:
        return None
    return _read_to(game.table_id, user, (game.number, game.step), message)


def read_board(table: Table, user: User | None, message: int) -> Seen | None:
    """The same for the page of a table's board alone, which shows nothing of a game."""
    return None if user is None else _read_to(table.pk, user, (NO_GAME, 0), message)


def _read_to(table: int, user: User, here: tuple[int, int], message: int) -> Seen | None:
    before = Seen.objects.filter(table=table, user=user).first()
    if before is None:
        first = Seen(table_id=table, user=user, number=here[0], step=here[1], message=message)
        Seen.objects.bulk_create([first], ignore_conflicts=True)
        return None
    _advance(before, here, message)
    return before


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
