"""Someone who deletes their account as they sit down has no seat afterwards, whichever came first."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponse

from accounts.models import User
from condottiere_site.privacy import erase
from games import services
from games.chat.services.channels import public_channel
from games.chat.services.sealed_notes import seal_note, withdraw_sealed_notes
from games.links import invitation_token
from games.models import Game, Seat, Table
from games.models.locking import require_accounts
from games.services import Refused
from tests.games.playing import begin_game, play_to_the_end
from tests.servers import HANGS, wait_until

pytestmark = pytest.mark.django_db

SAID = "This account is closed"


def test_a_closed_account_gets_no_seat_and_sets_no_table(anna: User, bruno: User) -> None:
    table = services.make_table(anna, name="Friday", size=3, entry="open")
    erase(User.objects.get(pk=bruno.pk))
    assert bruno.is_active  # as a request knows them that began before
    with pytest.raises(Refused, match=SAID):
        services.take_seat(table, bruno)
    with pytest.raises(Refused, match=SAID):
        services.make_table(bruno, name="Sunday", size=3, entry="open")
    assert not Seat.objects.filter(user=bruno).exists()
    assert Table.objects.count() == 1


def test_a_closed_account_gets_no_rematch(finished: Game, people: list[Any]) -> None:
    anna, bruno, _carla = people
    erase(User.objects.get(pk=bruno.pk))
    with pytest.raises(Refused, match=SAID):
        services.make_rematch(finished, bruno)
    services.make_rematch(finished, anna)
    with pytest.raises(Refused):
        services.make_rematch(finished, bruno)
    assert list(Seat.objects.exclude(table=finished.table).values_list("user", flat=True)) == [anna.pk]


def test_an_account_that_was_blocked_gets_no_seat_by_its_emails_link(
    anna: User, bruno: User, client: Any
) -> None:
    table = services.make_table(anna, name="Friday", size=3, entry="invitation", invited=[bruno.email])
    User.objects.filter(pk=bruno.pk).update(is_active=False)
    path = f"/invitation/{invitation_token(table.invitations.get())}/"
    assert client.post(path, {"action": "accept"}, follow=True).status_code == 404
    assert table.seats.count() == 1


def meanwhile(action: Callable[[], Any], slower: Callable[[], HttpResponse]) -> HttpResponse:
    """Does `action`, and before it counts lets someone else begin `slower`; the answer to that."""
    answers: list[HttpResponse] = []

    def begin() -> None:
        try:
            answers.append(slower())
        finally:
            connection.close()

    other = threading.Thread(target=begin)
    with transaction.atomic():
        action()
        other.start()
        time.sleep(0.5)
    other.join(HANGS)
    return answers[0]


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_who_sits_down_while_their_account_is_deleted_gets_no_seat(
    anna: User, bruno: User, signed_in: Any
) -> None:
    table = services.make_table(anna, name="Friday", size=3, entry="open")
    client = signed_in(bruno)
    answer = meanwhile(lambda: erase(bruno), lambda: client.post(f"/tables/{table.pk}/take/"))
    assert answer.status_code == 302
    assert list(table.seats.values_list("user", flat=True)) == [anna.pk]


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_someone_who_deletes_their_account_while_they_sit_down_leaves_the_seat(
    anna: User, bruno: User, signed_in: Any
) -> None:
    table = services.make_table(anna, name="Friday", size=3, entry="open")
    client = signed_in(bruno)
    form = {"email": bruno.email, "token": client.get("/me/delete/").context["token"]}
    meanwhile(lambda: services.take_seat(table, bruno), lambda: client.post("/me/delete/", form))
    assert User.objects.get(pk=bruno.pk).deleted_at is not None
    assert list(table.seats.values_list("user", flat=True)) == [anna.pk]


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_a_rematch_waits_for_an_account_that_is_being_deleted(people: list[Any]) -> None:
    """Deleting locks the account, then the games whose notes of theirs are still sealed."""
    bruno, answers, game = people[1], list[object](), begin_game(people)
    seal_note(game.table.seats.get(user=bruno), public_channel(game.table), "Siena is mine.", "game")
    play_to_the_end(game)

    def ask() -> None:
        try:
            answers.append(services.make_rematch(game, bruno))
        finally:
            connection.close()

    other = threading.Thread(target=ask)
    with transaction.atomic():
        require_accounts([bruno])
        other.start()
        wait_until(someone_waits_for_us, "the rematch to wait")
        withdraw_sealed_notes(bruno)
    other.join(HANGS)
    assert answers == [Table.objects.get(rematch_of=game)]


def someone_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return cursor.fetchone() is not None
