"""Stepping through a finished game in a real browser: by links alone, by arrow keys, and automatically."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Game
from tests.browser.conftest import Open
from tests.games.playing import begin_game, play_to_the_end
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


@pytest.fixture
def past(anna: Any, bruno: Any, carla: Any) -> str:
    """Return the address where the history of a finished game begins."""
    game = begin_game([anna, bruno, carla], watch="link")
    play_to_the_end(game, seed=6)
    return f"/watch/{Game.objects.get(pk=game.pk).table.watch_key}/history/"


@pytest.mark.long
def test_links_and_the_form_step_and_jump_without_scripts(open_browser: Open, past: str) -> None:
    page = open_browser(java_script_enabled=False)
    page.goto(f"{past}3/?as=2")
    page.get_by_role("link", name="Next", exact=True).click()
    assert page.url.endswith(f"{past}4/?as=2")
    assert not page.get_by_role("button", name="Play", exact=True).is_visible()
    page.get_by_role("spinbutton", name="Entry").fill("11")
    page.get_by_role("button", name="Go to the entry").click()
    assert page.url.endswith(f"{past}11/?as=2")


@pytest.mark.long
def test_arrow_keys_step_without_reloading_and_say_what_happened(open_browser: Open, past: str) -> None:
    page = open_browser()
    page.goto(f"{past}3/")
    page.evaluate("window.stays = true")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**{past}4/")
    page.get_by_text("Entry 4 of").wait_for()
    happened = page.locator("#happened").inner_text().strip()
    assert page.locator("p[role=status]").last.text_content() == " ".join(happened.split("\n"))
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**{past}3/")
    page.go_back()
    page.get_by_text("Entry 4 of").wait_for()
    assert page.evaluate("window.stays")


@pytest.mark.long
def test_back_leads_to_the_page_before_though_a_step_is_still_being_fetched(
    open_browser: Open, past: str
) -> None:
    page = open_browser()
    page.goto("/")
    page.goto(f"{past}3/")
    held: list[str] = []
    page.route(f"**{past}4/", lambda route: held.append(route.request.url))
    page.get_by_role("link", name="Next", exact=True).click()
    page.wait_for_url(f"**{past}4/")
    page.go_back()
    assert page.url.endswith(f"{past}3/")
    page.get_by_text("Entry 3 of").wait_for()
    page.go_back()
    assert past not in page.url
    assert len(held) == 1


@pytest.mark.long
def test_arrow_keys_in_the_form_stay_in_it(open_browser: Open, past: str) -> None:
    page = open_browser()
    page.goto(f"{past}3/")
    page.get_by_role("spinbutton", name="Entry").press("ArrowLeft")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"{past}3/")


@pytest.mark.long
def test_play_goes_on_by_itself_until_it_is_paused(open_browser: Open, past: str) -> None:
    page = open_browser()
    page.goto(f"{past}3/")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url(f"**{past}5/", timeout=1000 * HANGS)
    page.get_by_role("button", name="Pause").click()
    here = page.url
    page.wait_for_timeout(2500)
    assert page.url == here
    assert page.get_by_role("button", name="Play", exact=True).is_visible()
