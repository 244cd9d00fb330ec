"""Locks on a game or table for a change, and the errors that refuse one.

A row stays locked until the transaction ends. The game's is locked first, as moves lock it, then the table's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from accounts.models import User
from games.models import Game, Seat, SeatQuerySet, Table
from games.models.games_for_pages import note_holidays, seats_with_players
from games.models.matches import last_game


class Refused(Exception):
    """Raised when a change is refused; nothing was changed. The message is translated and may be shown."""

    status = 409  # of the page that shows it


def why_not_gathering(table: Table) -> str:
    """Return the reason why a table no longer gathers players."""
    if table.state == Table.State.CANCELLED:
        return _("The host has cancelled this table.")
    if table.state == Table.State.CLOSED:
        return _("This table was closed because the game did not start in time.")
    return _("The game at this table has already started.")


def require_accounts(users: Collection[User]) -> None:
    """Raise Refused unless these users' accounts are open, and lock them until the transaction ends.

    Call this before locking a game or table: deleting an account locks the user first, then their tables.
    """
    open_ones = User.objects.filter(pk__in=[user.pk for user in users], is_active=True, deleted_at=None)
    if len(open_ones.order_by("pk").select_for_update(no_key=True)) < len(users):
        raise Refused(_("This account is closed, so it can’t take a seat."))


def locked_gathering(table: Table, *, also_begun: bool = False) -> Table:
    """Return the table's row, locked until the transaction ends; refuse if it is not gathering players."""
    locked = Table.objects.select_for_update().select_related(None).get(pk=table.pk)
    if locked.is_gathering or also_begun:
        return locked
    raise Refused(why_not_gathering(locked))


def locked_game(game_id: int) -> Game:
    """Return the game's row, locked until the transaction ends. Raises Game.DoesNotExist."""
    return Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game_id)


def locked_for(game: Game, seat: Seat) -> Game:
    """Return the game's row, locked. Raises Refused if someone else has the seat by now."""
    locked = locked_game(game.pk)
    require_seat(seat, Seat.objects.filter(pk=seat.pk, table=locked.table_id))
    return locked


def require_seat(player: Seat | User, locked: Iterable[Seat]) -> Seat:
    """Return the player's seat among those read under the game's lock; refuse if it isn't theirs by now.

    `player` is a person, or the seat as it was read before the lock.
    """
    user = player.pk if isinstance(player, User) else player.user_id
    for seat in locked:
        if seat.user_id == user and (seat == player or isinstance(player, User)):
            return seat
    raise Refused(_("Someone else has this seat now."))


def locked_seat(seat: Seat) -> tuple[Game, Seat]:
    """Return the game of the seat's table, locked with its table, and the seat as it is now.

    The game is the one being played, or the last one of a match that goes on.
    """
    game = last_game(seat.table)
    if game is None:
        raise Refused(_("The game has not started."))
    game = locked_for(game, seat)
    table = Table.objects.select_for_update(of=("self",)).get(pk=seat.table_id)
    if table.state != Table.State.PLAYING:
        raise Refused(_("The game is over."))
    if last_game(table) != game:
        raise Refused(_("The next game has started. Look at it and try again."))
    game.table = table
    return game, Seat.objects.select_related("table", "user").get(pk=seat.pk)


def require_running(game: Game) -> None:
    """Raise Refused if the game is over."""
    if game.is_over:
        raise Refused(_("The game is over."))


def require_present(seat: Seat) -> None:
    """Raise Refused for an absent player, who decides nothing while a bot plays for them."""
    if Seat.objects.filter(pk=seat.pk).exclude(played_by_bot="").exists():
        raise Refused(_("A bot is playing for you. Come back first."))


def seats_of(game: Game) -> list[Seat]:
    """Return the table's seats, in the order in which all games lock emails to their users.

    Their users know whether they have no holidays.
    """
    seats = sorted(seats_with_players().filter(table_id=game.table_id), key=_by_person)
    for seat in seats:
        seat.table = game.table  # their names depend on it
    note_holidays(seats)
    return seats


def _by_person(seat: Seat) -> int:
    return seat.user_id or 0


def people(game: Game) -> SeatQuerySet:
    """Return the seats of people, including absent ones."""
    return Seat.objects.people().filter(table_id=game.table_id)


def present_people(game: Game) -> SeatQuerySet:
    """Return the seats of people who play; a bot in an absent player's seat waits for no one."""
    return people(game).filter(played_by_bot="")
