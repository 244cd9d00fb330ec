"""A newcomer at a real browser: from the home page to the end of a game, with and without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from games.models import Advice, Game
from tests.browser.conftest import Open
from tests.browser.test_a_game_in_the_browser import sign_in
from tests.practice.playing_as_a_guest import offered

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

GRAVE = ("serious", "critical")
WIDTHS = {"phone": 390, "desk": 1280}


@pytest.mark.parametrize("device", ["phone", pytest.param("desk", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "scripts", [pytest.param(True, marks=pytest.mark.long), False], ids=["with scripts", "without scripts"]
)
def test_a_newcomer_plays_to_the_end(open_browser: Open, device: str, scripts: bool) -> None:
    size = {"width": WIDTHS[device], "height": 844}
    page = open_browser(java_script_enabled=scripts, viewport=size)
    page.goto("/")
    page.get_by_label("Opponents").select_option("1")
    page.get_by_role("button", name="Play now").click()
    assert page.get_by_role("heading", name="Your hand").is_visible()
    play_first_battle_then_pass(page)
    assert page.locator("#ask-title").inner_text().count("won the game") == 1
    page.get_by_role("link", name="Replay the game").click()
    page.get_by_role("link", name="Last").click()
    page.go_back()
    page.go_back()
    page.get_by_text("Record and proof").click()
    page.get_by_role("link", name="Check the shuffles").click()
    assert "We have just checked this game." in page.locator(".notice").inner_text()
    assert Game.objects.get().is_over


def play_first_battle_then_pass(page: Any) -> None:
    """Play two cards, then pass whenever possible: a short, lost game."""
    played = 0
    for _answer in range(120):
        if page.get_by_role("link", name="Replay the game").count():
            return
        picks, passing = page.locator("#hand input[name=pick]"), page.locator("input[name=pick][value=pass]")
        if played < 2 and passing.count():
            played += 1
            picks.first.dispatch_event("click")
        elif picks.count():
            (passing if passing.count() else picks.first).dispatch_event("click")
        if page.get_by_label("Region", exact=True).count():
            page.get_by_label("Region", exact=True).select_option(index=1)
            page.get_by_role("button", name="Fight for this region").click()
        else:
            page.locator("#hand button[name=move]:visible").first.click()
        is_over = page.get_by_role("link", name="Replay the game").count()
        assert is_over or "You " in page.locator(".messages").inner_text()
    raise AssertionError("no end")


@pytest.mark.long
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_advice_can_be_read_from_its_beginning(open_browser: Open, scripts: bool) -> None:
    """A longer text in its place would push its own beginning off the screen."""
    page = open_browser(java_script_enabled=scripts, viewport={"width": 390, "height": 844})
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    while not page.get_by_text("Pass", exact=True).count():
        with page.expect_navigation():
            page.locator("button[name=move]").first.evaluate("one => one.form.requestSubmit(one)")
    page.get_by_role("button", name="What would you play?").click()
    page.get_by_text("Strategist is thinking about your turn.").wait_for()
    answer = {"bot": "strategist", "chance": 0.25, "move": offered(page.content())[-1]}
    answer |= {"own": 36, "rival": 1, "reach": 12, "is_rivals": False, "season": "spring"}
    Advice.objects.update(
        answer=answer | {"cards": ["1", "1", "3", "4", "courtesan", "courtesan", "drummer"]}
    )
    said = page.get_by_text("Strategist’s choice: ")
    said.wait_for()
    box = said.bounding_box()
    assert box is not None
    assert box["height"] > 80
    assert -1 < box["y"] < 844 - box["height"]


@pytest.mark.long
def test_a_newcomer_makes_an_account_and_keeps_their_game(open_browser: Open) -> None:
    page = open_browser(viewport={"width": 390, "height": 844})
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    practice = page.url
    page.get_by_role("link", name="Sign in to keep this game").click()
    sign_in(page, "newcomer@example.org")
    assert page.url == practice
    page.get_by_role("button", name="Add it to my games").click()
    game = Game.objects.get()
    assert page.url.endswith(f"/games/{game.pk}/")
    assert "The game is now in “My games”" in page.locator(".messages").inner_text()
    page.get_by_role("link", name="My games").click()
    assert page.locator(f"main a[href='/games/{game.pk}/']").count() > 0
    assert page.goto(practice).status == 404


@pytest.mark.parametrize("device", ["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.long
def test_the_pages_of_practice_fit_the_screen_and_have_no_grave_barrier(
    open_browser: Open, device: str, scheme: str
) -> None:
    page = open_browser(
        color_scheme=scheme,
        reduced_motion="reduce",  # half faded in, all text is too pale
        viewport={"width": WIDTHS[device], "height": 844},
    )
    page.goto("/")
    look_at(page)
    page.get_by_label("Opponents").select_option("5")
    page.get_by_label("Level").select_option("captain")
    with page.expect_navigation():
        page.get_by_role("button", name="Play now").click()
    look_at(page)
    for one in page.locator("#hand input[name=pick]").all():
        one.dispatch_event("click")
        look_at(page)


def look_at(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], page.url
    violations = Axe().run(page).response["violations"]
    assert [v["id"] for v in violations if v["impact"] in GRAVE] == []
