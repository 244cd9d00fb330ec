"""Play on against bots from an earlier position: of any finished game, or of a practice game (take back).

A game's log never changes. So this is a new practice game whose log begins with a copy of the other's first
entries. What follows is shuffled with the new table's own secret.
"""

from __future__ import annotations

from uuid import UUID, uuid5

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.models import Game, LogEntry, Note, Seat, Table, new_join_key
from games.models.copied_logs import copied_parts
from games.models.locking import Refused, locked_for, locked_game, require_present, require_running
from games.services.first_games import hints_read_by
from games.services.practice import begin_once, make_practice_table
from games.services.start import begin_copied_game


def play_on(
    game: Game, ply: int, seat: int, user: User | None, strength: str, form_key: UUID, path: str
) -> Game:
    """Begin a practice game from a finished game's position after `ply` entries, as the player at `seat`.

    Bots of this strength take the other seats, and no name is copied. `path` is the page of the position, if
    the new game may link to it. Submitting the same form twice begins one game.
    """
    assert game.is_over
    copied = copied_parts(game, ply, path=path)

    def begin(key: UUID) -> Game:
        table = make_practice_table(user, game.players, key, options_json=game.table.options_json)
        _seat_everyone(table, seat, user, dict.fromkeys(range(game.players), strength))
        return _begin_copy(table, game, ply, copied)

    return begin_once(user, uuid5(form_key, f"{game.pk}, {ply}, {seat}, {strength}"), begin)


@transaction.atomic
def take_back_move(game: Game, seat: Seat, form_key: UUID | None) -> Game:
    """Return a new practice game from before this seat's last move, which takes the place of the running one.

    The old game becomes a guest's that no one can open, and is deleted like those. Submitting the same form
    twice takes back one move. Raises Refused if nothing can be taken back, or not what the form said.
    """
    game = locked_game(game.pk)
    ply = last_own_ply(game, seat) if may_take_back(game, seat) else None
    if ply is None or form_key != take_back_key(game.table, ply):
        raise Refused(_("The game has moved on since you opened the page. Nothing was changed."))
    made = Game.objects.select_related("table").filter(table__form_key=form_key).first()
    if made is not None:
        return made
    require_running(locked_for(game, seat))
    require_present(seat)
    return _replace(game, seat, ply, form_key)


def may_take_back(game: Game, seat: Seat) -> bool:
    """Return whether this is a practice game that the seat's player plays against bots alone."""
    table = game.table
    others = [other for other in table.all_seats() if other.pk != seat.pk]
    return table.is_against_bots and not table.is_match and all(other.bot for other in others)


def last_own_ply(game: Game, seat: Seat) -> int | None:
    """Return the entry of the seat's last move; None for none."""
    own = LogEntry.objects.filter(game=game, seat=seat.number)
    return own.order_by("-ply").values_list("ply", flat=True).first()


def take_back_key(table: Table, ply: int) -> UUID:
    """Return the form key of the table that takes this one's place once the move at `ply` is taken back."""
    return uuid5(table.form_key, f"take back {ply}")


def _replace(game: Game, seat: Seat, ply: int, form_key: UUID) -> Game:
    old, user = game.table, seat.user
    key, rematch_of, created_at = old.practice_key, old.rematch_of, old.created_at
    bots = dict(old.seats.values_list("number", "bot"))
    old.host, old.practice_key, old.rematch_of = None, new_join_key(), None
    old.created_at = clock.now()  # it stays a week, so that no email about it finds it gone
    old.save(update_fields=["host", "practice_key", "rematch_of", "created_at"])
    old.seats.filter(pk=seat.pk).update(user=None)
    table = make_practice_table(user, old.size, form_key, name=old.name, **old.agreed_settings)
    table.practice_key, table.rematch_of, table.created_at = key, rematch_of, created_at
    table.save(update_fields=["practice_key", "rematch_of", "created_at"])
    _seat_everyone(table, seat.number, user, bots)
    made = _begin_copy(table, game, ply, copied_parts(game, ply, is_taken_back=True))
    Note.objects.filter(game=game).update(game=made)
    return made


def _seat_everyone(table: Table, own: int, user: User | None, bots: dict[int, str]) -> None:
    """Give the player their seat, and the bots all others."""
    now = clock.now()
    Seat.objects.bulk_create(
        Seat(table=table, number=number, user=user, confirmed_at=now, hints_read=hints_read_by(user))
        if number == own
        else Seat(table=table, number=number, bot=bot, confirmed_at=now)
        for number, bot in bots.items()
    )


def _begin_copy(table: Table, game: Game, ply: int, copied: list[dict[str, object]]) -> Game:
    return begin_copied_game(
        table,
        game.log.filter(ply__lt=ply).order_by("ply"),
        first_condottiere=game.first_condottiere,
        final_battle=game.final_battle,
        copied=copied,
    )
