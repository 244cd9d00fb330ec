"""People whom a host may invite, how often, and what the host reads of it."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.mail.subscriptions import Subscription, unsubscribe
from games import services
from games.models import Invitation, Table
from games.services import table_invitations
from tests.games.gathering import make_by_form
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db


def test_ten_thousand_invitations_are_refused(anna: Any, signed_in: Any) -> None:
    many = "\n".join(f"p{number}@example.org" for number in range(10_000))
    assert make_by_form(signed_in(anna), invited=many).status_code == 400
    few_too_many = "\n".join(f"p{number}@example.org" for number in range(21))
    assert make_by_form(signed_in(anna), invited=few_too_many).status_code == 400
    assert not OutgoingEmail.objects.exists()


def test_the_host_does_not_invite_themselves(anna: Any, signed_in: Any) -> None:
    make_by_form(signed_in(anna), invited="anna@example.org\nbruno@example.org")
    assert [invitation.email for invitation in Invitation.objects.all()] == ["bruno@example.org"]


def test_a_host_sends_only_so_many_invitations_a_day(anna: Any, signed_in: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(table_invitations, "INVITATIONS_A_DAY", 2)
    client = signed_in(anna)
    make_by_form(client, invited="a@example.org b@example.org")
    refused = make_by_form(client, invited="c@example.org", note="Typed with care")
    assert refused.status_code == 429
    assert "Try again tomorrow" in refused.content.decode()
    assert "Typed with care" in refused.content.decode()
    assert Table.objects.count() == 1
    page = client.post(f"/tables/{Table.objects.get().pk}/invite/", {"invited": "d@example.org"}, follow=True)
    assert "Try again tomorrow" in page.content.decode()
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 2


def test_one_address_is_invited_only_so_often_a_day(anna: Any, bruno: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(table_invitations, "INVITATIONS_TO_ONE_A_DAY", 1)
    services.invite(seat_table([anna], size=2), "Zoe@example.org")
    with pytest.raises(services.Refused, match="can’t get more invitations"):
        services.invite(seat_table([bruno], size=2), "zoe@example.org")


def test_the_host_sees_that_an_invitation_did_not_arrive(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=3)
    services.invite(table, "zoe@example.org")
    unsubscribe(Subscription("zoe@example.org", "invitations", "Invitations"))
    services.invite(table, "yan@example.org")
    deliver_due()
    page = signed_in(anna).get(f"/tables/{table.pk}/").content.decode()
    lost = re.findall(
        r">(\S+@example.org)</span>\s*<span class=\"small\">\s*sent\s*· The email could not", page
    )
    assert lost == ["zoe@example.org"]


def test_the_host_sees_that_an_invitation_is_delayed(anna: Any, signed_in: Any, smtp_sink: Any) -> None:
    table = seat_table([anna], size=3)
    services.invite(table, "zoe@example.org")
    services.invite(table, "yan@example.org")
    smtp_sink.refusals["zoe@example.org"] = "451 4.7.1 greylisted, try again later"
    deliver_due()
    path = f"/tables/{table.pk}/"
    stated = r">(\S+)@example.org</span>\s*<span class=\"small\">\s*(\w+)"
    page = signed_in(anna).get(path).content.decode()
    assert sorted(re.findall(stated, page)) == [("yan", "sent"), ("zoe", "Delayed")]
    smtp_sink.refusals.clear()
    OutgoingEmail.objects.update(not_before=clock.now())
    deliver_due()
    page = signed_in(anna).get(path).content.decode()
    assert sorted(re.findall(stated, page)) == [("yan", "sent"), ("zoe", "sent")]


def test_the_link_below_an_invitation_says_that_it_refuses_all_of_them(anna: Any, smtp_sink: Any) -> None:
    services.invite(seat_table([anna], size=2), "zoe@example.org")
    deliver_due()
    (email,) = smtp_sink.messages
    for kind in ("plain", "html"):
        text = email.get_body((kind,)).get_content()
        assert "Stop all invitations" in text
        assert "No more" not in text
    path = urlsplit(email["List-Unsubscribe"].partition(">")[0].strip("<")).path
    assert "Stop all invitations?" in Client().get(path).content.decode()
    assert "You refuse all invitations, from everyone" in Client().post(path).content.decode()


def test_inviting_the_same_address_again_sends_it_again_but_not_for_ever(anna: Any) -> None:
    table = seat_table([anna], size=2)
    for _sending in range(3):
        services.invite(table, "Zoe@Example.org")
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 3
    assert Invitation.objects.count() == 1
    with pytest.raises(services.Refused, match="can’t invite"):
        services.invite(table, "zoe@example.org")


def test_someone_seated_cannot_be_invited(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    page = signed_in(people[0]).post(
        f"/tables/{table.pk}/invite/", {"invited": "bruno@example.org\nzoe@example.org"}, follow=True
    )
    assert "bruno@example.org already has a seat" in page.content.decode()
    assert [invitation.email for invitation in table.invitations.all()] == ["zoe@example.org"]


def test_pasted_names_and_addresses_are_understood_and_the_host_is_told_that_they_are_left_out(
    anna: Any, signed_in: Any
) -> None:
    pasted = (
        'Bert <bert@example.org>\r\n"Carla, the older" <Carla@example.org>; anna@example.org, <d@example.org>'
    )
    client = signed_in(anna)
    answer = make_by_form(client, invited=f"{pasted}\r\ne@example.org f@example.org")
    page = client.get(answer["Location"]).content.decode()
    invited = set(Invitation.objects.values_list("email", flat=True))
    assert invited == {f"{name}@example.org" for name in ("bert", "carla", "d", "e", "f")}
    assert "We left out your own address, because you already have the first seat." in page
    assert "You invited more people than there are free seats. The first to accept get them." in page


def test_someone_who_invites_as_many_as_seats_are_free_is_told_nothing(anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    page = client.get(
        make_by_form(client, invited="b@example.org c@example.org")["Location"]
    ).content.decode()
    assert "More people are invited" not in page
    assert "Your own address" not in page


@pytest.mark.parametrize("wrong", ["not an address", "Bert <bert>", "b@example.org and c"])
def test_a_line_that_is_no_address_is_named_whole(anna: Any, signed_in: Any, wrong: str) -> None:
    answer = make_by_form(signed_in(anna), invited=f"zoe@example.org\r\n{wrong}")
    page = unescape(answer.content.decode())
    assert answer.status_code == 400
    assert f"This is not an email address: {wrong}<" in page
    assert not Table.objects.exists()


def test_several_lines_that_are_no_addresses_are_named_together(anna: Any, signed_in: Any) -> None:
    answer = make_by_form(signed_in(anna), invited="nobody\r\nzoe@example.org\r\nBert <bert>")
    assert "These are not email addresses: nobody, Bert <bert><" in unescape(answer.content.decode())
