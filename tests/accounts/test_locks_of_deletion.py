"""Deleting an account, or closing it, locks accounts first, then games and tables, then channels."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Q

from accounts.bots import make_bot
from accounts.models import User
from condottiere_site.privacy import erase
from games.chat.models import Message, Report
from games.chat.services import begin_channel, write
from games.chat.services.sealed_notes import seal_note
from games.models import Game, Seat
from games.models.locking import locked_game
from tests.games.playing import begin_game, seat_table
from tests.lock_order import Held, watched_locks, wrong_locks
from tests.servers import HANGS

pytestmark = pytest.mark.django_db


@pytest.fixture
def busy(anna: User, bruno: User, carla: User) -> User:
    """Anna, who plays, gathers players, has two bots with seats, wrote, sealed a note and was reported."""
    bots = [bot for name in ("Robin", "Rosa") if (bot := make_bot(anna, name))]
    seat_table([bruno, *bots], size=4)
    seat_table([anna, carla], size=3)
    game = begin_game([anna, bruno, *bots], takes_bots=True)
    mine, brunos = game.table.seats.get(user=anna), game.table.seats.get(user=bruno)
    channel = begin_channel(mine, [brunos])
    write(mine, "Siena is mine.", channel=channel)
    seal_note(mine, channel, "Or Rome is.", "game")
    Report.objects.create(message=Message.objects.earliest("pk"), by=bruno, reason="insult", context=[])
    begin_game([anna, carla])
    return anna


def seats_of(person: User) -> list[Seat]:
    """Return where a person and their bots still sit."""
    mine = User.objects.filter(Q(pk=person.pk) | Q(owner=person))
    return list(Seat.objects.filter(user__in=mine, table__state__in=("gathering", "playing")))


@pytest.mark.once
@pytest.mark.parametrize("with_words", [True, False])
def test_deleting(busy: User, with_words: bool) -> None:
    with watched_locks() as wrong:
        erase(busy, with_words=with_words)
    assert wrong == []
    assert not seats_of(busy)


@pytest.mark.once
def test_closing_by_the_operator(busy: User, stranger: User, signed_in: Any) -> None:
    User.objects.filter(pk=stranger.pk).update(is_staff=True, is_superuser=True)
    operator = signed_in(User.objects.get(pk=stranger.pk))
    form = {"name": busy.name, "language": "en", "chat_emails": "at once"}  # is_active is not ticked
    with watched_locks() as wrong:
        operator.post(f"/operator/admin/accounts/user/{busy.pk}/change/", form)
    assert wrong == []
    assert not seats_of(busy)


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_someone_who_writes_meanwhile_waits_and_writes(busy: User, bruno: User) -> None:
    """Their channel belongs to the table that is being left."""
    game = Game.objects.filter(table__seats__user=bruno).latest("pk")
    brunos, done = game.table.seats.get(user=bruno), list[Any]()
    channel = Message.objects.earliest("pk").channel

    def delete() -> None:
        try:
            done.append(erase(busy))
        finally:
            connection.close()

    other = threading.Thread(target=delete)
    with transaction.atomic():
        locked_game(game.pk)
        other.start()
        other.join(0.5)
        write(brunos, "Whose is Siena now?", channel=channel)
    other.join(HANGS)
    assert done == [None]


def test_another_order_would_be_noticed() -> None:
    game = 'SELECT * FROM "games_game" WHERE id = %s FOR UPDATE'
    account = 'SELECT * FROM "accounts_user" WHERE "accounts_user"."id" = %s FOR NO KEY UPDATE'
    update = 'UPDATE "accounts_user" SET name = %s WHERE id = %s'
    channel = 'UPDATE "chat_channel" SET slug = %s'
    found = []
    for statements in ([game, account], [game, update], [channel, game], [account, game, channel, update]):
        held = Held()
        found.append([bool(list(wrong_locks(held, sql, [7]))) for sql in statements])
    assert found == [[False, True], [False, True], [False, True], [False] * 4]
