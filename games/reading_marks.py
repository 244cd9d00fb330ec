"""How far a player has read his games: what came since is marked as new. Changes no game."""

from __future__ import annotations

from accounts.models import User
from games.models import Game, Seen


def read_on(game: Game, user: User | None, message: int) -> Seen | None:
    """How far the player had read before this visit; None at his first one, and for nobody.

    Writes that he reads on now, if there is anything new, `message` being the newest on the table's board.
    That row is his own and part of no game, so a GET may write it: it is the one row that a game's page
    changes.
    """
    if user is None:
        return None
    before = Seen.objects.filter(table=game.table_id, user=user).first()
    if before is None:
        first = Seen(table_id=game.table_id, user=user, number=game.number, step=game.step, message=message)
        Seen.objects.bulk_create([first], ignore_conflicts=True)
        return None
    _advance(before, (game.number, game.step), message)
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
    if seen is None or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
