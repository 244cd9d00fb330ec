"""Guests choose a language in the footer, if the site speaks more than one."""

from typing import Any

import pytest
from django.test import Client, override_settings

pytestmark = pytest.mark.django_db
ONE = override_settings(LANGUAGES=[("en", "English")])
TWO = override_settings(LANGUAGES=[("en", "English"), ("pl", "Polish")])


@ONE
def test_a_site_with_one_language_offers_no_switch() -> None:
    assert "/language/" not in Client().get("/rules/").content.decode()


@TWO
def test_a_guest_changes_the_language_and_stays_on_the_page() -> None:
    client = Client()
    page = client.get("/rules/").content.decode()
    assert '<option value="pl" lang="pl">' in page
    answer = client.post("/language/", {"language": "pl"}, headers={"Referer": "http://testserver/rules/"})
    assert answer["Location"].endswith("/rules/")
    assert '<html lang="pl"' in client.get("/rules/").content.decode()


@TWO
def test_no_language_leads_away_from_the_site() -> None:
    answer = Client().post("/language/", {"language": "pl", "next": "https://example.org/"})
    assert answer["Location"] == "/"


@TWO
def test_a_signed_in_reader_has_the_language_of_the_account(anna: Any, signed_in: Any) -> None:
    assert "/language/" not in signed_in(anna).get("/rules/").content.decode()
