"""The site's own name: one for each language, as set or as translated, and shown in the reader's."""

import re
import subprocess
import sys
from collections.abc import Iterator
from email.utils import parseaddr
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings as django_settings
from django.contrib import admin
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import translation

from accounts.adapter import SecondStepAdapter
from accounts.mail.delivery import deliver_due
from accounts.names import clean_name
from accounts.own_name import sender, sender_names, site_name, site_names
from games.replies.marks import names_sender
from tests.games.playing import begin_game
from tests.servers import HANGS

LANGUAGES = [code for code, _name in django_settings.LANGUAGES]
CLUBS = {"en": "Games of our club", "pl": "Gry naszego klubu", "ru": "Игры нашего клуба"}
OWN = {"en": "Condottiere by email", "pl": "Condottiere przez e-mail", "ru": "Condottiere по почте"}
BRAND = re.compile(r'<a class="brand".*?<span>(.*?)</span>', re.DOTALL)
BAND = re.compile(r'<td class="band".*?>(?:<a [^>]*>)(.*?)</a>', re.DOTALL)
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@pytest.fixture(autouse=True)
def _the_language_of_later_tests_stays() -> Iterator[None]:
    with translation.override(translation.get_language()):
        yield


@pytest.fixture
def clubs(settings: Any) -> None:
    """A site with a name of its own in each language."""
    settings.SITE_NAME = CLUBS["en"]
    settings.SITE_NAMES = {code: name for code, name in CLUBS.items() if code != "en"}


def _plain(text: str) -> str:
    return unescape(text).replace("\u2011", "-").replace("\u00a0", " ").strip()


def _names() -> dict[str, str]:
    names = {}
    for language in LANGUAGES:
        with translation.override(language):
            names[language] = _plain(site_name())
    return names


def test_a_site_without_settings_has_a_name_in_each_language() -> None:
    assert _names() == OWN


@pytest.mark.parametrize(
    ("one", "more", "expected"),
    [
        ("Gry", {}, dict.fromkeys(LANGUAGES, "Gry")),
        ("Games", {"pl": "Gry"}, {"en": "Games", "pl": "Gry", "ru": "Games"}),
        ("", {"pl": "Gry", "ru": ""}, OWN | {"pl": "Gry"}),
        (CLUBS["en"], CLUBS, CLUBS),
    ],
)
def test_a_language_without_a_name_has_the_one_for_all(
    settings: Any, one: str, more: dict[str, str], expected: dict[str, str]
) -> None:
    settings.SITE_NAME, settings.SITE_NAMES = one, more
    assert _names() == expected
    assert [_plain(name) for name in site_names()] == list(dict.fromkeys(expected.values()))


@pytest.mark.once
def test_each_language_of_the_site_has_its_setting() -> None:
    given = {f"SITE_NAME_{code.upper()}": f"Name in {code}" for code in LANGUAGES if code != "en"}
    done = subprocess.run(
        [sys.executable, "-c", "from condottiere_site import settings; print(settings.SITE_NAMES)"],
        cwd=django_settings.BASE_DIR,
        env={"STATE_DIR": str(django_settings.STATE_DIR), "SECRET_KEY": "k" * 40, **given},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    expected = {code: f"Name in {code}" for code in LANGUAGES if code != "en"}
    assert (done.stdout.strip(), done.stderr) == (str(expected), "")


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("clubs")
def test_pages_show_the_name_in_their_language(language: str) -> None:
    page = Client(HTTP_ACCEPT_LANGUAGE=language).get("/rules/").content.decode()
    brand, title = BRAND.search(page), TITLE.search(page)
    assert brand is not None
    assert title is not None
    assert brand[1] == CLUBS[language]
    assert title[1].strip().endswith(f" · {CLUBS[language]}")
    with translation.override(language):
        assert str(admin.site.site_header).startswith(CLUBS[language])


@pytest.mark.django_db
@pytest.mark.parametrize("active", LANGUAGES)
@pytest.mark.usefixtures("clubs")
def test_emails_show_the_name_in_the_language_of_their_reader(
    anna: Any, bruno: Any, carla: Any, settings: Any, active: str
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    readers = {}
    for person, language in zip((anna, bruno, carla), LANGUAGES, strict=True):
        person.language = language
        person.save(update_fields=["language"])
        readers[person.email] = language
    with translation.override(active):
        begin_game([anna, bruno, carla])
        deliver_due()
    seen = set()
    for email in mail.outbox:
        language = readers[email.to[0]]
        name, html = CLUBS[language], str(email.alternatives[0][0])  # type: ignore[attr-defined]
        band = BAND.search(html)
        assert band is not None
        assert unescape(band[1]) == name
        assert f"{name} · {settings.SITE_URL}" in email.body
        assert parseaddr(email.from_email) == (name, "condottiere@testserver")
        others = [other for other in CLUBS.values() if other != name]
        assert [other for other in others if other in html + str(email.body)] == []
        seen.add(language)
    assert seen == set(LANGUAGES)


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sender_arrives_with_its_name(
    anna: Any, bruno: Any, smtp_sink: Any, settings: Any, language: str
) -> None:
    anna.language = bruno.language = language
    anna.save()
    bruno.save()
    begin_game([anna, bruno])
    deliver_due()
    assert {message["From"].addresses[0].display_name for message in smtp_sink.messages} == {OWN[language]}
    assert {message["From"].addresses[0].addr_spec for message in smtp_sink.messages} == {
        "condottiere@testserver"
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Spiele <games@example.org>", "Spiele <games@example.org>"),
        ("games@example.org", '"Games, and more" <games@example.org>'),
    ],
)
def test_a_sender_with_a_name_keeps_it_and_a_bare_one_gets_the_sites(
    settings: Any, given: str, expected: str
) -> None:
    settings.DEFAULT_FROM_EMAIL, settings.SITE_NAME = given, "Games, and more"
    assert sender() == expected
    assert sender_names() == [parseaddr(expected)[0]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("names", [OWN, CLUBS])
def test_replies_know_each_name(
    settings: Any, names: dict[str, str], language: str, request: pytest.FixtureRequest
) -> None:
    if names is CLUBS:
        request.getfixturevalue("clubs")
    assert names_sender(f"23.11.2026 14:00, {names[language]}:")
    assert not names_sender("23.11.2026 14:00, Anna:")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("clubs")
def test_an_app_lists_its_codes_under_the_name_that_its_owner_reads(anna: Any, language: str) -> None:
    with translation.override(language):
        url = SecondStepAdapter().build_totp_url(anna, "SECRET")
    assert parse_qs(urlsplit(url).query)["issuer"] == [CLUBS[language]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("clubs")
def test_no_player_has_a_name_of_the_site(language: str) -> None:
    with pytest.raises(ValidationError) as refused:
        clean_name(CLUBS[language])
    assert refused.value.code == "reserved"
