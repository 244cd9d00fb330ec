"""A site that Chromium would install: its manifest, its offline page, and the number on its icon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import Page, expect

from condottiere_site import installing
from games.models import Game
from tests.browser.conftest import Open, _session_of
from tests.conftest import BROWSER_FLAGS
from tests.games.playing import begin_game, decision_of
from tests.servers import chromium, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

OFFLINE = "You’re offline"
ACTIVE = "navigator.serviceWorker.ready.then(({active}) => active.scriptURL)"
KEPT = """async () => {
  const kept = [];
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) kept.push(new URL(request.url).pathname);
  }
  return kept.sort();
}"""
# The number that an installed site would have on its icon: a tab has no icon.
NOTE_BADGE = """
  const note = (number) => { sessionStorage.setItem("badge", number); return Promise.resolve(); };
  Object.assign(Navigator.prototype, { setAppBadge: note, clearAppBadge: () => note("none") });
"""
BADGE = "sessionStorage.getItem('badge')"


@pytest.fixture(autouse=True)
def _worker_of_this_test() -> Any:
    installing._worker.cache_clear()
    yield
    installing._worker.cache_clear()


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    return begin_game([anna, bruno])


def asked_in(game: Game) -> Any:
    return game.table.seats.get(number=decision_of(game).seat).person


def with_worker(page: Page, path: str = "/games/") -> Page:
    """Open a page, and wait until its worker runs."""
    page.goto(path)
    page.evaluate(ACTIVE)
    return page


def opened(page: Page, path: str) -> None:
    """Open a page without a connection, as far as it opens."""
    page.goto(path)
    expect(page.get_by_role("heading", name=OFFLINE)).to_be_visible()


def hindrances(page: Page) -> set[str]:
    """Return why Chromium would not install the site. That the tests' browser is private is left out."""
    page.goto("/games/")
    chromium = page.context.new_cdp_session(page)
    errors = chromium.send("Page.getInstallabilityErrors")["installabilityErrors"]
    return {error["errorId"] for error in errors} - {"in-incognito"}


def test_chromium_finds_nothing_that_keeps_it_from_installing_the_site(open_browser: Open, anna: Any) -> None:
    page = open_browser(anna)
    assert hindrances(page) == set()
    found = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert found["errors"] == []
    assert found["url"].endswith("/manifest/en.webmanifest")
    assert json.loads(found["data"])["start_url"] == "/games/"


def test_a_manifest_without_icons_would_be_noticed(
    open_browser: Open, anna: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installing, "ICONS", ())
    assert hindrances(open_browser(anna))


def test_without_a_connection_a_page_says_so_in_the_readers_language(
    open_browser: Open, anna: Any, game: Game
) -> None:
    anna.language = "pl"
    anna.save()
    page = with_worker(open_browser(anna))
    assert page.evaluate(ACTIVE).endswith("/push.js?language=pl")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.context.set_offline(True)
    page.goto(f"/games/{game.pk}/")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    assert game.table.name not in page.content()
    page.context.set_offline(False)
    page.locator("main a.button").click()
    expect(page.get_by_role("heading", name=game.table.name)).to_be_visible()


def test_no_page_of_a_person_is_shown_from_the_browser_after_they_signed_out(
    open_browser: Open, anna: Any, game: Game
) -> None:
    page = with_worker(open_browser(anna))
    seen = ["/games/", f"/games/{game.pk}/", f"/tables/{game.table_id}/", "/me/", "/me/emails/", "/"]
    for path in seen:
        page.goto(path)
    expect(page.get_by_text("Welcome, Anna")).to_be_visible()
    kept = page.evaluate(KEPT)
    assert [path for path in kept if not path.startswith("/static/")] == ["/offline/en/"]
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.context.set_offline(True)
    for path in seen:
        opened(page, path)
    for _page in seen * 2:  # and behind Back
        page.go_back()
        assert "Anna" not in page.content()
        assert game.table.name not in page.content()


def test_a_newer_worker_takes_over_and_nothing_of_the_older_stays(
    open_browser: Open, anna: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = with_worker(open_browser(anna))
    (before,) = page.evaluate("caches.keys()")
    assert before != "offline-newer"
    monkeypatch.setattr(installing, "_digest", lambda _page: "newer")
    installing._worker.cache_clear()
    page.evaluate("navigator.serviceWorker.ready.then((it) => it.update()).then(() => 0)")
    wait_until(lambda: page.evaluate("caches.keys()") == ["offline-newer"], "the newer worker")
    others = "navigator.serviceWorker.ready.then(({waiting, installing}) => [waiting, installing])"
    wait_until(lambda: page.evaluate(others) == [None, None], "the older worker's end")
    page.context.set_offline(True)
    opened(page, "/games/")


def test_the_icon_tells_how_many_games_wait_until_one_signs_out(open_browser: Open, game: Game) -> None:
    page = open_browser(asked_in(game))
    page.add_init_script(NOTE_BADGE)
    page.goto("/games/")
    assert page.evaluate(BADGE) == "1"
    page.goto(f"/games/{game.pk}/")
    assert page.evaluate(BADGE) == "1"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert page.evaluate(BADGE) == "none"


def test_a_session_that_ended_elsewhere_takes_the_number_away(open_browser: Open, game: Game) -> None:
    page = open_browser(asked_in(game))
    page.add_init_script(NOTE_BADGE)
    page.goto("/games/")
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    client = Client()
    client.cookies[django_settings.SESSION_COOKIE_NAME] = cookies[django_settings.SESSION_COOKIE_NAME]
    client.post("/accounts/logout/")
    page.goto("/games/")  # leads to the sign-in page
    assert page.evaluate(BADGE) == "none"


def test_a_visitor_without_an_account_gets_no_worker(open_browser: Open) -> None:
    page = open_browser()
    page.goto("/")
    page.wait_for_load_state()
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0


@pytest.mark.long
def test_in_a_window_of_its_own_the_site_does_not_say_how_to_install_it(
    browser: Any, open_browser: Open, anna: Any, settings: Any, live_server: Any, tmp_path: Path
) -> None:
    page = open_browser(anna)
    settings.IS_HTTPS = True
    page.goto("/me/")
    expect(page.get_by_text("How to install this site")).to_be_visible()
    context = browser.browser_type.launch_persistent_context(
        tmp_path,
        executable_path=chromium(),
        headless=True,
        chromium_sandbox=False,
        args=[*BROWSER_FLAGS, f"--app={live_server.url}/games/"],
    )
    context.add_cookies([_session_of(anna, live_server.url)])
    (window,) = context.pages
    window.goto(f"{live_server.url}/me/")
    is_alone, is_said = (
        window.evaluate("matchMedia('(display-mode: standalone)').matches"),
        window.get_by_text("How to install this site").is_visible(),
    )
    context.close()
    assert (is_alone, is_said) == (True, False)
