"""What phones need to install the site: manifest, icons, worker, offline page; and what pages say of it."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import resolve, reverse
from django.utils import translation
from PIL import Image

from accounts.own_name import site_name
from games.models import Game
from tests.games.playing import answer, begin_game, decision_of, legal_texts

pytestmark = [pytest.mark.django_db, pytest.mark.once]

LANGUAGES = [code for code, _name in django_settings.LANGUAGES]
MANIFESTS = [reverse("manifest", args=[code]) for code in LANGUAGES]
OFFLINE = [reverse("offline", args=[code]) for code in LANGUAGES]
WORKER = reverse("service_worker")


def worker(language: str) -> tuple[dict[str, Any], str]:
    """Return what the worker keeps, and the whole script."""
    script = Client().get(WORKER, {"language": language}).content.decode()
    return json.loads(script.partition("const OFFLINE = ")[2].partition(";\n")[0]), script


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_manifest_says_how_the_site_is_installed_in_this_language(language: str) -> None:
    answered = Client().get(reverse("manifest", args=[language]))
    assert answered["Content-Type"] == "application/manifest+json"
    told = answered.json()
    with translation.override(language):
        assert told["name"] == site_name()
    assert told["short_name"] == "Condottiere"
    assert (told["lang"], told["dir"], told["display"]) == (language, "ltr", "standalone")
    assert resolve(told["start_url"]).url_name == "my_games"
    assert resolve(told["shortcuts"][0]["url"]).url_name == "next_game"
    assert {told["id"], told["scope"]} == {"/"}  # one site, whatever its language
    for icon in [*told["icons"], *(icon for each in told["shortcuts"] for icon in each["icons"])]:
        picture = Image.open(str(finders.find(icon["src"].removeprefix("/static/"))))
        assert f"{picture.width}x{picture.height}" == icon["sizes"]
    sizes = {icon["sizes"] for icon in told["icons"] if icon["purpose"] == "any"}
    assert len(sizes) == 3
    assert {icon["purpose"] for icon in told["icons"]} == {"any", "maskable"}


def test_what_browsers_keep_is_the_same_for_everyone(anna: Any, signed_in: Any) -> None:
    guest, reader = Client(), signed_in(anna)
    anna.language = LANGUAGES[-1]
    anna.save()
    for path in (*MANIFESTS, *OFFLINE, *(f"{WORKER}?language={code}" for code in LANGUAGES)):
        answers = [
            client.get(path, headers={"accept-language": code})
            for client in (guest, reader)
            for code in LANGUAGES
        ]
        assert len({one.content for one in answers}) == 1, path
        assert not any(one.cookies or "Cookie" in one.headers.get("Vary", "") for one in answers), path


def test_the_worker_keeps_the_offline_page_and_its_files_alone() -> None:
    found = {}
    for language, path in zip(LANGUAGES, OFFLINE, strict=True):
        kept, script = worker(language)
        page = Client().get(path).content.decode()
        assert f'<html lang="{language}">' in page
        assert kept["page"] == path
        named = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
        assert kept["files"] == sorted(set(named))
        found[kept["name"]] = script
    assert len(found) == len(LANGUAGES)
    assert worker("xx") == worker("en")


def test_a_worker_that_has_not_changed_is_not_sent_again() -> None:
    first = Client().get(WORKER)
    again = Client().get(WORKER, headers={"if-none-match": first["ETag"]})
    assert (first["Cache-Control"], again.status_code) == ("no-cache", 304)


def test_icons_are_where_phones_and_browsers_look_for_them() -> None:
    for path, kind, size in (("/favicon.ico", "ICO", 48), ("/apple-touch-icon.png", "PNG", 180)):
        icon = Image.open(BytesIO(Client().get(path).getvalue()))
        assert (icon.format, icon.width) == (kind, size)
    touch = Image.open(BytesIO(Client().get("/apple-touch-icon.png").getvalue()))
    assert touch.mode == "RGB"  # Apple would show black where it is transparent


def test_every_page_names_the_manifest_of_its_language(anna: Any, signed_in: Any) -> None:
    anna.language = "ru"
    anna.save()
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "manifest-src 'self'" in policy
    assert "worker-src 'self'" in policy
    for client, language in ((Client(), "en"), (signed_in(anna), "ru")):
        page = client.get("/").content.decode()
        assert f'<link rel="manifest" href="{reverse("manifest", args=[language])}">' in page
        assert ("data-worker" in page) == (language == "ru")


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    return begin_game([anna, bruno])


def waiting_on(client: Client, path: str) -> list[str]:
    return re.findall(r'data-waiting="(.*?)"', client.get(path).content.decode())


def test_pages_say_how_many_games_wait(game: Game, anna: Any, bruno: Any, signed_in: Any) -> None:
    begin_game([anna, bruno])
    people = {0: signed_in(anna), 1: signed_in(bruno)}
    asked = decision_of(game).seat
    before = [int(*waiting_on(people[number], reverse("my_games"))) for number in (asked, 1 - asked)]
    assert sum(before) == 2
    page = reverse("game", args=[game.pk])
    for path in (page, "/", reverse("rules"), "/no-such-page/"):
        assert waiting_on(people[asked], path) == [str(before[0])]
        assert waiting_on(people[1 - asked], path) == [str(before[1])]
        assert waiting_on(Client(), path) == []
    while decision_of(game).seat == asked:
        answer(game, legal_texts(game)[0])
    assert waiting_on(people[asked], page) == [str(before[0] - 1)]
    assert waiting_on(people[1 - asked], reverse("my_games")) == [str(before[1] + 1)]


def test_signing_out_leaves_no_page_in_the_browser(anna: Any, signed_in: Any) -> None:
    assert signed_in(anna).post(reverse("account_logout"))["Clear-Site-Data"] == '"cache"'
    deleted = signed_in(anna).post(reverse("delete_me"), {"email": anna.email})
    assert deleted["Clear-Site-Data"] == '"cache"'


def test_the_account_says_how_to_install_where_phones_can(anna: Any, signed_in: Any, settings: Any) -> None:
    client = signed_in(anna)
    assert "Add to Home Screen" not in client.get(reverse("profile")).content.decode()
    settings.IS_HTTPS = True
    page = client.get(reverse("profile")).content.decode()
    section = page.partition('id="install"')[2].partition("</section>")[0]
    assert 'class="in-browser"' in section.partition(">")[0]
    assert all(name in section for name in ("iPhone", "Android", "Add to Home Screen", "Add to Home screen"))
