"""How a host makes a table, and what its form refuses."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Table
from tests.games.gathering import make_by_form
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db


def test_a_host_makes_a_table_and_has_its_first_seat(anna: Any, signed_in: Any) -> None:
    response = make_by_form(signed_in(anna), invited="bruno@example.org, Carla@Example.org")
    table = Table.objects.get()
    assert response["Location"] == f"/tables/{table.pk}/"
    assert [seat.user for seat in table.seats.all()] == [anna]
    assert {invitation.email for invitation in table.invitations.all()} == {
        "bruno@example.org",
        "carla@example.org",
    }
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 2


def test_what_was_typed_stays_in_the_form_and_the_bad_address_is_named(anna: Any, signed_in: Any) -> None:
    response = make_by_form(signed_in(anna), invited="bruno@example.org\nnot an address", note="Bring wine.")
    assert response.status_code == 400
    assert "This is not an email address: not an address" in response.content.decode()
    assert "Bring wine." in response.content.decode()
    assert not Table.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "\u200b\u202e"),
        ("name", "x" * 61),
        ("size", "7"),
        ("size", "1"),
        ("size", "x"),
        ("entry", "everybody"),
        ("note", "x" * 1001),
    ],
)
def test_terms_that_cannot_be_are_refused(anna: Any, signed_in: Any, field: str, value: str) -> None:
    assert make_by_form(signed_in(anna), **{field: value}).status_code == 400
    assert not Table.objects.exists()


def test_a_table_name_cannot_break_out_of_a_header_or_a_page(anna: Any, signed_in: Any) -> None:
    make_by_form(signed_in(anna), name="A\r\nBcc: x@y.z <script>alert(1)</script>\u202egnp")
    table = Table.objects.get()
    assert "\n" not in table.name
    assert "\u202e" not in table.name
    page = signed_in(anna).get(f"/tables/{table.pk}/").content.decode()
    assert "<script>alert" not in page


def test_the_same_form_sent_twice_makes_one_table(anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    found = re.search(r'name="form_key" value="([^"]+)"', client.get("/tables/new/").content.decode())
    assert found
    answers = [make_by_form(client, invited="bruno@example.org", form_key=found[1]) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Table.objects.count() == 1
    assert OutgoingEmail.objects.count() == 1


def test_another_hosts_form_key_does_no_harm(anna: Any, bruno: Any, signed_in: Any) -> None:
    key = str(seat_table([anna], size=2).form_key)
    make_by_form(signed_in(bruno), form_key=key)
    assert Table.objects.filter(host=bruno).exclude(form_key=key).count() == 1
    assert make_by_form(signed_in(bruno), form_key="no key").status_code == 400


def test_second_clicks_at_a_table_are_answered_like_the_first(
    people: list[Any], dario: Any, signed_in: Any
) -> None:
    anna, bruno, _carla = people
    table = seat_table(people, size=5, entry="invitation")
    services.invite(table, dario.email)
    client = signed_in(dario)
    for action, landing in (("decline", "/games/"), ("take", f"/tables/{table.pk}/"), ("leave", "/games/")):
        for _click in range(2):
            assert client.post(f"/tables/{table.pk}/{action}/")["Location"] == landing
    seat = table.seats.get(user=bruno)
    for _click in range(2):
        answer = signed_in(anna).post(f"/tables/{table.pk}/remove/{seat.pk}/")
        assert answer["Location"] == f"/tables/{table.pk}/"


def test_the_commitment_is_shown_before_anyone_joins(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2)
    page = Client().get(f"/join/{table.join_key}/").content.decode()
    assert re.search(r"\b[0-9a-f]{64}\b", page)
    assert bytes(table.secret).hex() not in page


def test_the_terms_are_worded_for_anyone_who_reads_them(anna: Any, bruno: Any, signed_in: Any) -> None:
    table = seat_table([anna, bruno], entry="invitation")
    page = signed_in(bruno).get(f"/tables/{table.pk}/").content.decode()
    assert "Only people the host invites by email" in page
    assert "people I invite" not in page
