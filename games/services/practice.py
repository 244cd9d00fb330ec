"""Practice games against bots, which begin at once, for guests and users; keep and delete them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts import clock
from accounts.models import User
from accounts.row_locks import free
from games.models import Game, Seat, SiteName, Table, new_join_key
from games.services.first_games import hints_read_by
from games.services.notifications import notify_asked
from games.services.start import start_game

PRACTICE_LASTS = timedelta(days=7)


def begin_practice(user: User | None, opponents: int, strength: str, form_key: UUID) -> Game:
    """Begin a game of one user or guest against this many bots; submitting the same form twice begins one.

    A user's practice is an ordinary table of theirs. A guest's is found only by its practice_key.
    """
    return begin_once(user, form_key, lambda key: _begin_practice(user, opponents, strength, key))


def begin_once(user: User | None, form_key: UUID, begin: Callable[[UUID], Game]) -> Game:
    """Begin a practice game of this user or guest, or return the one that the same form has begun before."""
    try:
        with transaction.atomic():
            return begin(form_key)
    except IntegrityError:
        begun = Game.objects.select_related("table").filter(table__form_key=form_key, table__host=user)
        game = begun.filter(table__practice_key__isnull=user is not None).first()
        if game is not None:
            return game
    with transaction.atomic():
        return begin(uuid4())  # the key was another table's


def make_practice_table(user: User | None, size: int, form_key: UUID, **settings: Any) -> Table:
    """Return a new table for practice, without its seats; a guest's gets a key."""
    return Table.objects.create(
        host=user,
        size=size,
        entry=Table.Entry.INVITATION,
        practice_key=new_join_key() if user is None else None,
        form_key=form_key,
        **{"name": SiteName("practice"), **settings},
    )


def _begin_practice(user: User | None, opponents: int, strength: str, form_key: UUID) -> Game:
    table = make_practice_table(user, 1 + opponents, form_key)
    now = clock.now()
    seats = [Seat(table=table, number=0, user=user, confirmed_at=now, hints_read=hints_read_by(user))]
    seats += [Seat(table=table, number=1 + n, bot=strength, confirmed_at=now) for n in range(opponents)]
    Seat.objects.bulk_create(seats)
    return start_game(table)


@transaction.atomic
def keep_practice(game: Game, user: User) -> bool:
    """Turn a guest's practice game into this user's own, so that it is not deleted, and email them.

    Returns False, and changes nothing, if someone already has it.
    """
    game = _locked(game.table_id).get(pk=game.pk)
    table = game.table
    if not table.is_practice:
        return False
    table.host, table.practice_key = user, None
    table.save(update_fields=["host", "practice_key"])
    seat = table.seats.get(bot="")
    seat.user = user
    seat.save(update_fields=["user"])
    if seat.decision_step is not None:
        notify_asked(game, seat, seat.decision_step)
    return True


def deleted_at(table: Table) -> datetime:
    """Return when a guest's practice table is deleted if no one keeps it."""
    return table.created_at + PRACTICE_LASTS


def delete_old_practice(now: datetime) -> int:
    """Delete guests' practice tables, with games and logs, a week after their creation; return how many."""
    old = Table.objects.filter(practice_key__isnull=False, created_at__lte=now - PRACTICE_LASTS)
    return sum(_delete_practice(pk) for pk in list(old.values_list("pk", flat=True)))


@transaction.atomic
def _delete_practice(pk: int) -> bool:
    """Delete one practice table, unless it was kept or deleted a moment ago.

    This is the only place that deletes a log.
    """
    game = free(Game.objects.select_related("table").filter(table=pk)).first()
    if game is None or not game.table.is_practice:
        return False
    game.log.all().delete()
    game.delete()
    game.table.delete()
    return True


def _locked(table: int) -> QuerySet[Game]:
    """Return the practice table's one game, locked until the transaction ends so that no one moves."""
    return Game.objects.select_for_update().select_related("table").filter(table=table)
