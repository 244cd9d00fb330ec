"""Taking a seat: at open tables, by a table's link, and by an invitation's link."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games import services
from games.links import invitation_token, seat_token
from tests.games.gathering import invitation_to
from tests.games.playing import begin_game, play_to_the_end, seat_table

pytestmark = pytest.mark.django_db


def test_an_open_table_is_listed_and_anyone_signed_in_may_sit_down(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=2)
    assert table.name in Client().get("/tables/").content.decode()
    response = signed_in(bruno).post(f"/tables/{table.pk}/take/")
    assert response["Location"] == f"/tables/{table.pk}/"
    assert table.seats.filter(user=bruno).exists()
    assert table.name not in Client().get("/tables/").content.decode()  # it is full


def test_a_table_by_invitation_does_not_exist_for_a_stranger(
    anna: Any, stranger: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    client = signed_in(stranger)
    assert client.get(f"/tables/{table.pk}/").status_code == 404
    assert client.post(f"/tables/{table.pk}/take/").status_code == 404
    assert client.get(f"/join/{table.join_key}/").status_code == 404
    assert client.post(f"/join/{table.join_key}/").status_code == 404
    assert table.seats.count() == 1


def test_anyone_who_has_the_link_may_join(anna: Any, bruno: Any, stranger: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2, entry="link")
    assert signed_in(stranger).get(f"/tables/{table.pk}/").status_code == 404
    page = Client().get(f"/join/{table.join_key}/").content.decode()
    assert "Sign in to take a seat" in page
    signed_in(bruno).post(f"/join/{table.join_key}/")
    assert table.seats.filter(user=bruno).exists()
    assert Client().get("/join/wrong/").status_code == 404


def test_an_anonymous_post_to_a_joining_link_takes_no_seat(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="link")
    response = Client().post(f"/join/{table.join_key}/")
    assert "Sign in to take a seat" in response.content.decode()
    assert table.seats.count() == 1


def test_an_invited_person_without_account_takes_the_seat_by_the_emails_link(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    client = Client()
    page = client.get(address).content.decode()
    assert table.name in page
    assert not User.objects.filter(email="zoe@example.org").exists()  # opening made nothing
    response = client.post(address, {"action": "accept", "name": "Zoë"})
    seat = table.seats.get(user__email="zoe@example.org")
    assert seat.user.name == "Zoë"
    assert response["Location"].startswith("/seat/")
    assert "_auth_user_id" not in client.session  # it signs no one in
    assert "Are you ready?" in client.get(response["Location"]).content.decode()
    invitation.refresh_from_db()
    assert invitation.state == "accepted"


def test_someone_whose_address_was_only_typed_before_is_asked_for_a_name(anna: Any) -> None:
    User.objects.create_unproven("zoe@example.org")
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    assert 'name="name"' in Client().get(address).content.decode()
    Client().post(address, {"action": "accept", "name": "Zoe"})
    seat = table.seats.get(user__email="zoe@example.org")
    assert seat.user.name == "Zoe"
    assert seat.user.emailaddress_set.get().verified


def test_a_new_person_must_say_a_name_and_what_was_typed_stays(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    for name in ("", "\u202egnp", "x" * 41):
        assert Client().post(address, {"action": "accept", "name": name}).status_code == 400
    assert not User.objects.filter(email="zoe@example.org").exists()
    assert table.seats.count() == 1


def test_accepting_twice_gives_one_seat(anna: Any) -> None:
    table = seat_table([anna], size=3, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    for _again in range(2):
        assert Client().post(address, {"action": "accept", "name": "Zoe"})["Location"].startswith("/seat/")
    assert table.seats.count() == 2


def test_someone_signed_in_with_another_address_is_asked_who_takes_the_seat(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=4, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    page = signed_in(bruno).get(address).content.decode()
    assert "Take the seat as zoe@example.org" in page
    assert "Take the seat as bruno@example.org" in page
    response = signed_in(bruno).post(address, {"action": "accept", "as": "me"})
    assert response["Location"] == f"/tables/{table.pk}/"
    assert table.seats.filter(user=bruno).exists()
    assert not User.objects.filter(email="zoe@example.org").exists()


def test_someone_at_the_table_is_not_asked_to_take_the_seat_of_another(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=3, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    page = signed_in(anna).get(address).content.decode()
    assert "Take the seat as zoe@example.org" in page
    assert "Take the seat as anna@example.org" not in page
    assert "Who is taking the seat?" not in page


def test_the_link_to_a_seat_says_whose_turn_it_is_and_when_the_game_is_over(people: list[Any]) -> None:
    game = begin_game(people)
    seats = list(game.table.seats.order_by("number"))
    asked = next(seat for seat in seats if seat.pending_decision)
    pages = {seat.pk: Client().get(f"/seat/{seat_token(seat)}/").content.decode() for seat in seats}
    for seat in seats:
        is_asked = "The game has started, and it’s your turn." in pages[seat.pk]
        assert is_asked == (seat == asked)
        assert is_asked != ("email you when it’s your turn." in pages[seat.pk])
    play_to_the_end(game)
    page = Client().get(f"/seat/{seat_token(asked)}/").content.decode()
    assert "The game is over." in page
    assert "The game has started" not in page


def test_declining_is_one_button_and_the_host_is_told_once(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    for _again in range(2):
        Client().post(address, {"action": "decline"})
    invitation.refresh_from_db()
    assert invitation.state == "declined"
    assert OutgoingEmail.objects.filter(kind="declined", to_user=anna).count() == 1
    assert "You can still accept it" in Client().get(address).content.decode()


def test_a_withdrawn_invitation_gives_no_seat(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    services.withdraw(invitation)
    response = Client().post(address, {"action": "accept", "name": "Zoe"}, follow=True)
    assert "withdrawn" in response.content.decode()
    assert table.seats.count() == 1
    assert not User.objects.filter(email="zoe@example.org").exists()


def test_an_invitation_to_a_full_table_says_so(anna: Any, bruno: Any) -> None:
    table = seat_table([anna, bruno], entry="invitation", size=2)
    _, address = invitation_to(table, "zoe@example.org")
    response = Client().post(address, {"action": "accept", "name": "Zoe"}, follow=True)
    assert "All seats at this table are taken." in response.content.decode()
    assert not User.objects.filter(email="zoe@example.org").exists()


@pytest.mark.parametrize("kind", ["invitation", "seat", "answer"])
@pytest.mark.parametrize("token", ["x", "WzFd:1abc:zzz", "a" * 3000, "%00", "💥"])
def test_a_broken_link_is_answered_in_the_same_words(kind: str, token: str) -> None:
    response = Client().get(f"/{kind}/{token}/")
    assert response.status_code == 404
    assert "This link does not work" in response.content.decode()


def test_no_token_opens_another_kind_of_door(anna: Any, bruno: Any) -> None:
    table = seat_table([anna, bruno], size=3)
    token = seat_token(table.seats.get(user=bruno))
    for kind in ("invitation", "answer"):
        assert Client().get(f"/{kind}/{token}/").status_code == 404
    invitation, _ = invitation_to(table, "zoe@example.org")
    assert Client().get(f"/seat/{invitation_token(invitation)}/").status_code == 404


def test_an_expired_invitation_does_not_open(anna: Any, time_machine: Any) -> None:
    table = seat_table([anna], size=2)
    time_machine.move_to("2026-01-01T12:00:00Z", tick=False)
    _, address = invitation_to(table, "zoe@example.org")
    assert Client().get(address).status_code == 200
    time_machine.move_to("2026-06-01T12:00:00Z", tick=False)
    assert Client().get(address).status_code == 404


@pytest.mark.parametrize("by_link", [False, True])
def test_an_open_page_that_waits_for_players_notices_them(
    anna: Any, bruno: Any, carla: Any, signed_in: Any, by_link: bool
) -> None:
    table = seat_table([anna, bruno], size=3)
    client = Client() if by_link else signed_in(bruno)
    path = f"/seat/{seat_token(table.seats.get(user=bruno))}/" if by_link else f"/tables/{table.pk}/"

    def asks() -> str:
        return re.findall(r'hx-get="([^"]+)"', client.get(path).content.decode())[0]

    address = asks()
    assert address.startswith(f"{path}?have=")
    assert client.get(address).status_code == 204
    services.take_seat(table, carla, None)
    assert "The table is full. Are you ready?" in client.get(address).content.decode()
    assert client.get(asks()).status_code == 204
    services.cancel(table)
    assert "hx-get" not in client.get(address).content.decode()
