"""Names typed with invited addresses are kept; people without a name give one before they invite."""

import re
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.forms.invitations import AddressesField
from games.leagues.models import Invitation as LeagueInvitation
from games.leagues.models import League
from games.leagues.services.sign_up_opening import open_sign_up
from games.models import Invitation, Table
from tests.games.gathering import make_by_form
from tests.games.playing import seat_table
from tests.leagues.world import a_league, a_season, invite

pytestmark = pytest.mark.django_db


def email_to(address: str) -> Any:
    deliver_due()
    return next(email for email in mail.outbox if email.to == [address])


def path_in(email: Any, access: str) -> str:
    found = re.search(rf"http://testserver(/{access}/\S+)", email.body)
    assert found, email.body
    return found[1]


def name_offered(path: str) -> str:
    """Return the value of the name field on an invitation's page."""
    found = re.search(r'<input[^>]*name="name"[^>]*>', Client().get(path).content.decode())
    assert found
    value = re.search(r'value="([^"]*)"', found[0])
    return unescape(value[1]) if value else ""


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("Bruno <bruno@example.org>", {"bruno@example.org": "Bruno"}),
        ('"Rossi, Bruno" <b@x.org>, Carla V <C@X.org>', {"b@x.org": "Rossi, Bruno", "c@x.org": "Carla V"}),
        ("Bruno <b@x.org>; c@x.org d@x.org", {"b@x.org": "Bruno", "c@x.org": "", "d@x.org": ""}),
        ('"Bruno \\"il Rosso\\" Rossi" <b@x.org>', {"b@x.org": 'Bruno "il Rosso" Rossi'}),
        ('"b@x.org" <b@x.org>', {"b@x.org": ""}),
        ("<b@x.org>", {"b@x.org": ""}),
        ("Bruno Rossi b@x.org\nc@x.org", {"b@x.org": "Bruno Rossi", "c@x.org": ""}),
        ("b@x.org\nBruno <b@x.org>", {"b@x.org": "Bruno"}),
        ("Łucja Żółć <l@x.org>", {"l@x.org": "Łucja Żółć"}),
        (f"{'x' * 41} <b@x.org>", {"b@x.org": ""}),  # no name that the site takes
        ("Anna (2) <b@x.org>", {"b@x.org": ""}),
        ("Br\u202euno <b@x.org>", {"b@x.org": ""}),
        ("\u200b <b@x.org>", {"b@x.org": ""}),
    ],
)
def test_the_name_before_an_address_is_kept_where_it_can_be_somebodys(
    typed: str, named: dict[str, str]
) -> None:
    assert AddressesField(max_length=6000).clean(typed) == named


def test_a_line_break_in_a_name_makes_no_header(anna: Any, signed_in: Any) -> None:
    answer = make_by_form(signed_in(anna), invited='"Bruno\r\nBcc: all@example.org" <bruno@example.org>')
    assert answer.status_code == 400
    assert not Invitation.objects.exists()


def test_a_guest_is_greeted_by_it_and_finds_it_in_the_form(anna: Any, signed_in: Any) -> None:
    make_by_form(signed_in(anna), invited='"Zoë <b>" <zoe@example.org>')
    email = email_to("zoe@example.org")
    assert email.body.startswith("Hello Zoë <b>,\n")
    assert "Hello Zoë &lt;b&gt;," in email.alternatives[0][0]
    path = path_in(email, "invitation")
    assert name_offered(path) == "Zoë <b>"
    page = Client().get(path).content.decode()
    assert "Anna invites you to this table" in page
    Client().post(path, {"action": "accept", "name": "Zoë"})
    assert User.objects.get(email="zoe@example.org").name == "Zoë"


def test_the_host_sees_name_and_address(anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    make_by_form(client, invited="Zoe <zoe@example.org>")
    table = Table.objects.get()
    client.post(f"/tables/{table.pk}/invite/", {"invited": "Yan <yan@example.org>, x@example.org"})
    page = client.get(f"/tables/{table.pk}/").content.decode()
    for shown in ("Zoe &lt;zoe@example.org&gt;", "Yan &lt;yan@example.org&gt;", ">x@example.org<"):
        assert shown in page


def test_a_league_keeps_it_too(anna: Any, signed_in: Any) -> None:
    season = a_season(a_league(anna), size=3, division_size=3, min_players=3)
    open_sign_up(season, None, season.opens_at)
    season.refresh_from_db()
    invite(season, anna, "zoe@example.org", None, "Zoe")
    email = email_to("zoe@example.org")
    assert "Hello Zoe," in email.body
    assert name_offered(path_in(email, "leagues/by-link")) == "Zoe"
    assert LeagueInvitation.objects.get().name == "Zoe"


@pytest.fixture
def nameless(db: None) -> Any:
    return User.objects.get_or_create_proven("new@example.org")


@pytest.mark.parametrize("path", ["/tables/new/", "/leagues/new/"])
def test_someone_who_has_no_name_is_asked_for_one_first_and_comes_back(
    nameless: Any, signed_in: Any, path: str
) -> None:
    client = signed_in(nameless)
    answer = client.get(path, follow=True)
    ((address, _status),) = answer.redirect_chain
    assert "Choose your name first." in answer.content.decode()
    form = {"name": "Nora", "language": "en", "time_zone": "Europe/Rome"}
    saved = client.post(address, form)
    assert saved["Location"] == path
    assert client.get(path).status_code == 200


def test_no_one_without_a_name_invites_or_founds(nameless: Any, signed_in: Any) -> None:
    client = signed_in(nameless)
    make_by_form(client, invited="zoe@example.org")
    client.post("/leagues/new/", {"name": "Mine"})
    assert not Table.objects.exists()
    assert not League.objects.exists()


def test_a_host_without_a_name_keeps_what_was_typed(nameless: Any, signed_in: Any) -> None:
    table = seat_table([nameless], size=3)
    answer = signed_in(nameless).post(f"/tables/{table.pk}/invite/", {"invited": "zoe@example.org"})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "Choose your name first." in page
    assert "zoe@example.org</textarea>" in page
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("following", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_saved_profile_leads_to_no_other_site(anna: Any, signed_in: Any, following: str) -> None:
    form = {"name": "Anna", "language": "en", "time_zone": "Europe/Rome"}
    saved = signed_in(anna).post("/me/?next=" + following, form)
    assert saved["Location"].startswith("/me")
