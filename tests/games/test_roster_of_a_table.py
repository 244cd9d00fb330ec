"""A table before its first deal: confirming, leaving, replacing, cancelling."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games import services
from games.links import seat_token
from games.models import Game, Seat
from tests.games.gathering import invitation_to
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db


def test_everyone_confirms_before_the_first_deal(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    for person in people[:2]:
        signed_in(person).post(f"/tables/{table.pk}/confirm/")
    assert not Game.objects.exists()
    response = signed_in(people[2]).post(f"/tables/{table.pk}/confirm/")
    game = Game.objects.get()
    assert response["Location"] == f"/games/{game.pk}/"
    assert game.players == 3
    assert game.log.count() == 1  # the shuffle


def test_confirming_before_the_table_is_full_is_refused(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2)
    response = signed_in(anna).post(f"/tables/{table.pk}/confirm/", follow=True)
    assert "when the table is full" in response.content.decode()


def test_a_full_table_writes_to_everyone_with_a_link_that_confirms(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    assert OutgoingEmail.objects.filter(kind="confirm").count() == 3
    for seat in table.seats.all():
        address = f"/seat/{seat_token(seat)}/"
        assert "Are you ready?" in Client().get(address).content.decode()
        assert Client().post(address, {"action": "confirm"}).status_code == 302
    game = Game.objects.get(table=table)
    path = f"/games/{game.pk}/"
    for client, says in ((Client(), "Sign in to open the game"), (signed_in(seat.user), "Open the game")):
        page = client.get(address).content.decode()
        assert re.search(rf'href="{path}"\s*>\s*{says}', page)


def test_a_change_of_company_asks_everyone_again(people: list[Any], dario: Any) -> None:
    table = seat_table(people)
    anna, bruno, carla = people
    services.confirm(table.seats.get(user=anna))
    services.confirm(table.seats.get(user=bruno))
    services.remove(table.seats.get(user=carla))
    services.take_seat(table, dario)
    assert not table.seats.filter(confirmed_at__isnull=False).exists()
    services.confirm(table.seats.get(user=dario))
    assert not Game.objects.exists()
    assert OutgoingEmail.objects.filter(kind="confirm", to_user=anna).count() == 2


def test_the_host_removes_and_replaces_someone(people: list[Any], dario: Any, signed_in: Any) -> None:
    table = seat_table(people)
    anna, bruno, carla = people
    seat = table.seats.get(user=bruno)
    assert signed_in(carla).post(f"/tables/{table.pk}/remove/{seat.pk}/").status_code == 404
    signed_in(anna).post(f"/tables/{table.pk}/remove/{seat.pk}/")
    assert not table.seats.filter(user=bruno).exists()
    assert OutgoingEmail.objects.filter(kind="removed", to_user=bruno).exists()
    services.take_seat(table, dario)
    for each in table.seats.all():
        services.confirm(each)
    assert [seat.number for seat in table.seats.all()] == [0, 1, 2]
    assert [seat.user for seat in table.seats.all()] == [anna, carla, dario]


def test_a_removed_person_cannot_come_back_by_the_old_invitation(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    Client().post(address, {"action": "accept", "name": "Zoe"})
    services.remove(table.seats.get(user__email="zoe@example.org"))
    Client().post(address, {"action": "accept"})
    assert table.seats.count() == 1


def test_the_host_calls_the_table_off_and_everyone_is_told(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    services.invite(table, "zoe@example.org")
    signed_in(people[0]).post(f"/tables/{table.pk}/cancel/")
    table.refresh_from_db()
    assert table.state == "cancelled"
    told = set(OutgoingEmail.objects.filter(kind="cancelled").values_list("to_address", flat=True))
    assert told == {"bruno@example.org", "carla@example.org", "zoe@example.org"}
    page = signed_in(people[1]).post(f"/tables/{table.pk}/confirm/", follow=True).content.decode()
    assert "cancelled this table" in page


def test_the_host_can_neither_leave_nor_be_removed(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    seat = table.seats.get(user=people[0])
    signed_in(people[0]).post(f"/tables/{table.pk}/leave/")
    signed_in(people[0]).post(f"/tables/{table.pk}/remove/{seat.pk}/")
    assert table.seats.filter(user=people[0]).exists()


def test_a_player_leaves_and_the_host_is_told(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    signed_in(people[1]).post(f"/tables/{table.pk}/leave/")
    assert not table.seats.filter(user=people[1]).exists()
    assert OutgoingEmail.objects.filter(kind="left", to_user=people[0]).count() == 1


def test_nothing_of_the_company_changes_once_the_game_has_begun(people: list[Any], dario: Any) -> None:
    game = begin_game(people)
    seat = Seat.objects.get(table=game.table, user=people[1])
    for command in (
        lambda: services.remove(seat),
        lambda: services.leave(seat),
        lambda: services.cancel(game.table),
        lambda: services.invite(game.table, "zoe@example.org"),
        lambda: services.take_seat(game.table, dario),
    ):
        with pytest.raises(services.Refused, match="started"):
            command()
    services.confirm(seat)  # a second click: nothing happens
    assert Game.objects.count() == 1


def test_only_the_host_may_do_what_the_host_may(people: list[Any], stranger: Any, signed_in: Any) -> None:
    table = seat_table(people, size=4, entry="open")
    invitation = services.invite(table, "zoe@example.org")
    for person in (people[1], stranger):
        client = signed_in(person)
        for path in (
            "invite/",
            "cancel/",
            f"withdraw/{invitation.pk}/",
            f"remove/{table.seats.first().pk}/",
        ):
            assert client.post(f"/tables/{table.pk}/{path}", {"invited": "a@example.org"}).status_code == 404
    page = signed_in(people[1]).get(f"/tables/{table.pk}/").content.decode()
    assert "zoe@example.org" not in page  # addresses are for the host alone
