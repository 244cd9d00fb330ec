"""An email to an address without an account is in the inviter's language, with the others at its foot."""

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from django.conf import settings
from django.test import Client, override_settings

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail
from accounts.models import User
from games import services
from games.leagues.services.sign_up_opening import open_sign_up
from games.models import Table
from games.services.expiry import close_unfilled
from tests.clocks.passing import Wall
from tests.games.playing import seat_table
from tests.leagues.world import a_league, a_season, invite

pytestmark = pytest.mark.django_db

ZOE = "zoe@example.org"  # has no account
POLISH = {
    "%(host)s invites you to play Condottiere by email.": "%(host)s zaprasza do gry w Condottiere.",
    "Take the seat": "Zajmij miejsce",
    "Table closed: %(name)s": "Stół zamknięty: %(name)s",
    "Read the rules, sign up or decline": "Przeczytaj zasady",
}


@pytest.fixture
def two_languages(tmp_path: Path) -> Iterator[None]:
    """A site that also speaks a little Polish."""
    catalog = Catalog("pl")
    for english, polish in POLISH.items():
        catalog.add(english, polish)
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "django.mo").open("wb") as file:
        write_mo(file, catalog)
    languages = [("en", "English"), ("pl", "Polski")]
    with override_settings(LANGUAGES=languages, LOCALE_PATHS=[tmp_path]):
        yield


@pytest.fixture
def host(anna: User) -> User:
    """Anna, who reads Polish."""
    anna.language = "pl"
    anna.save(update_fields=["language"])
    return anna


def email_to(address: str) -> CapturedEmail:
    deliver_due()
    return CapturedEmail.objects.filter(to=address).latest("pk")


def link_in(email: CapturedEmail, language: str) -> str:
    found = re.search(rf'href="([^"]*)" lang="{language}"', email.html)
    assert found is not None
    link = unescape(found[1])
    assert link in email.text
    return link.removeprefix(settings.SITE_URL)


def foot_of(email: CapturedEmail) -> str:
    return email.text.rpartition("\n-- \n")[2]


@pytest.mark.usefixtures("two_languages")
def test_an_invitation_is_in_the_hosts_language_unless_the_reader_has_an_account(
    host: User, bruno: User
) -> None:
    table = seat_table([host], size=3)
    for address in (ZOE, bruno.email):
        services.invite(table, address)
    to_zoe, to_bruno = email_to(ZOE), email_to(bruno.email)
    assert "Anna zaprasza do gry w Condottiere." in to_zoe.text
    assert "English:\n" in foot_of(to_zoe)
    assert "Polski" not in foot_of(to_zoe)
    assert "Anna invites you to play Condottiere by email." in to_bruno.text
    assert "language=" not in to_bruno.text + to_bruno.html


@override_settings(LANGUAGES=[("en", "English")])
def test_a_site_with_one_language_offers_no_other(anna: User) -> None:
    services.invite(seat_table([anna], size=2), ZOE)
    email = email_to(ZOE)
    assert "Anna invites you to play Condottiere by email." in email.text
    assert "language=" not in email.text + email.html
    assert "English" not in foot_of(email)


@pytest.mark.usefixtures("two_languages")
def test_the_language_offered_is_that_of_the_page_and_of_the_new_account(anna: User) -> None:
    services.invite(seat_table([anna], size=3), ZOE)
    guest, link = Client(), link_in(email_to(ZOE), "pl")
    page = guest.get(link, follow=True)
    assert '<html lang="pl"' in page.text
    address = page.redirect_chain[-1][0]
    assert "language" not in address
    guest.post(address, {"action": "accept", "name": "Zoe"})
    assert User.objects.get(email=ZOE).language == "pl"


@pytest.mark.usefixtures("two_languages")
def test_a_signed_in_reader_keeps_the_language_of_the_account(host: User, signed_in: Any) -> None:
    page = signed_in(host).get("/tables/?language=en")
    assert '<html lang="pl"' in page.text
    assert settings.LANGUAGE_COOKIE_NAME not in page.cookies


@pytest.mark.usefixtures("two_languages")
@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/tables/?page=1&language=pl", "/tables/?page=1"),
        ("//example.com/?language=pl", "/%2Fexample.com/"),
        ("/tables/?language=xx", None),
    ],
)
def test_a_link_with_a_language_stays_on_the_site(address: str, leads_to: str | None) -> None:
    path, _sign, query = address.partition("?")
    answer = Client().generic("GET", "/", PATH_INFO=path, QUERY_STRING=query)
    assert answer.headers.get("Location") == leads_to


@pytest.mark.usefixtures("two_languages")
def test_a_deleted_account_no_longer_says_what_its_owner_reads(host: User, signed_in: Any) -> None:
    client = signed_in(host)
    token = client.get("/me/delete/").context["token"]
    client.post("/me/delete/", {"email": host.email, "token": token})
    host.refresh_from_db()
    assert (host.is_active, host.language) == (False, settings.LANGUAGE_CODE)


@pytest.mark.usefixtures("two_languages")
def test_the_tick_that_closes_a_table_writes_in_the_hosts_language(host: User) -> None:
    table = seat_table([host], name="Friday", size=3)
    services.invite(table, ZOE)
    Table.objects.filter(pk=table.pk).update(warned_at=table.created_at)
    close_unfilled(table.closes_at + timedelta(days=1))
    assert email_to(ZOE).subject == "Stół zamknięty: Friday"


@pytest.mark.usefixtures("two_languages")
def test_an_invitation_to_a_league_is_in_its_organisers_language(host: User) -> None:
    with clock.use_clock(Wall()):
        season = a_season(a_league(host))
        invite(season, host, ZOE)
        open_sign_up(season, None, season.opens_at)
        email = email_to(ZOE)
        assert "Przeczytaj zasady" in email.text
        page = Client().get(link_in(email, "en"), follow=True)
    assert (page.status_code, '<html lang="en"' in page.text) == (200, True)
