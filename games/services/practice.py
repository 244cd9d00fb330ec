"""Practice: a game against bots that begins at once, for a guest or a person; keeping and deleting it."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts import clock
from accounts.models import User
from games.models import Game, Seat, SiteName, Table, new_join_key
from games.services.notifications import notify_asked
from games.services.start import start_game

PRACTICE_LASTS = timedelta(days=7)


def begin_practice(user: User | None, opponents: int, strength: str, form_key: UUID) -> Game:
    """A game of one person, or one guest, against so many bots, begun. The same form sent twice begins one.

    A person's practice is a table of his own as any other; a guest's is found by its practice_key alone.
    """
    try:
        with transaction.atomic():
            return _begin_practice(user, opponents, strength, form_key)
    except IntegrityError:
        begun = Game.objects.select_related("table").filter(table__form_key=form_key, table__host=user)
        game = begun.filter(table__practice_key__isnull=user is not None).first()
        if game is not None:
            return game
    with transaction.atomic():
        return _begin_practice(user, opponents, strength, uuid4())  # the key was another table's


def _begin_practice(user: User | None, opponents: int, strength: str, form_key: UUID) -> Game:
    table = Table.objects.create(
        host=user,
        name=SiteName("practice"),
        size=1 + opponents,
        entry=Table.Entry.INVITATION,
        practice_key=new_join_key() if user is None else None,
        form_key=form_key,
    )
    now = clock.now()
    seats = [Seat(table=table, number=0, user=user, confirmed_at=now)]
    seats += [Seat(table=table, number=1 + n, bot=strength, confirmed_at=now) for n in range(opponents)]
    Seat.objects.bulk_create(seats)
    return start_game(table)


@transaction.atomic
def keep_practice(game: Game, user: User) -> bool:
    """Make a guest's practice game this person's own: it is deleted no more, and he is written to.

    False, and nothing changed, if it is somebody's already.
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
    """When a guest's practice table goes, if nobody keeps it."""
    return table.created_at + PRACTICE_LASTS


def delete_old_practice(now: datetime) -> int:
    """Delete guests' practice tables a week after they were made, games and logs with them; how many."""
    old = Table.objects.filter(practice_key__isnull=False, created_at__lte=now - PRACTICE_LASTS)
    return sum(_delete_practice(pk) for pk in list(old.values_list("pk", flat=True)))


@transaction.atomic
def _delete_practice(pk: int) -> bool:
    """The one place that deletes a log. Kept or deleted a moment ago: nothing is done."""
    game = _locked(pk).first()
    if game is None or not game.table.is_practice:
        return False
    game.log.all().delete()
    game.delete()
    game.table.delete()
    return True


def _locked(table: int) -> QuerySet[Game]:
    """The practice table's one game, held until the transaction ends, so that nobody moves meanwhile."""
    return Game.objects.select_for_update().select_related("table").filter(table=table)
