"""Titles of pages, as tabs, bookmarks and search engines show them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from tests.access.headers import our_pages
from tests.access.world import World

LANGUAGES = [code for code, _name in settings.LANGUAGES]
FOR_EVERYONE = ("home", "tables", "games_to_watch", "rules", "account_login", "account_signup")
TITLE = re.compile(rb"<title>(.*?)</title>", re.DOTALL)

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("language", LANGUAGES)]


@pytest.fixture(autouse=True)
def _the_language_of_later_tests_stays() -> Iterator[None]:
    with translation.override(translation.get_language()):
        yield


def title_of(content: bytes) -> str:
    """Return the title of a page; empty for what has none."""
    found = TITLE.search(content)
    return " ".join(found[1].decode().split()) if found else ""


def test_the_home_page_says_what_one_does_here(language: str) -> None:
    title = title_of(Client(HTTP_ACCEPT_LANGUAGE=language).get("/").content)
    assert title.count("Condottiere") == 1
    assert "·" not in title


@pytest.mark.parametrize("name", FOR_EVERYONE)
def test_no_title_for_everyone_says_the_sites_name_twice(language: str, name: str) -> None:
    title = title_of(Client(HTTP_ACCEPT_LANGUAGE=language).get(reverse(name)).content)
    assert title.count("Condottiere") == 1


@pytest.mark.long
def test_no_title_says_the_sites_name_twice(language: str) -> None:
    world = World()
    User.objects.update(language=language)
    titles = []
    for address, about in our_pages():
        answer = world.ask("asked", "GET", world.address(address, about), world.form(address.name, about))
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            titles.append(title_of(answer.content))
    assert len([title for title in titles if title]) > 60
    assert [title for title in titles if title.count("Condottiere") > 1] == []
