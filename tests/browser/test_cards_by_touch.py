"""On a touch screen a tap picks a card of the hand, and a long press only tells what it does."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.looking import PHONE
from tests.games.playing import game_where

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


def fights_with_a_card(state: Any, decision: Any) -> bool:
    """Anna is to play a card, and one lies on the table."""
    return bool(decision.seat == 0 and state.phase == "battle" and any(state.lines) and state.hands[0])


def test_a_tap_picks_or_reads_and_a_long_press_reads(
    anna: Any, bruno: Any, carla: Any, open_browser: Open
) -> None:
    game, _state = game_where([anna, bruno, carla], fights_with_a_card)
    page = open_browser(anna, viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto(f"/games/{game.pk}/")
    card, help_box = page.locator(".hand label .card").first, page.locator(".card-help")
    card.scroll_into_view_if_needed()
    box, finger = card.bounding_box(), page.context.new_cdp_session(page)
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    help_box.wait_for()  # held down, with no mouse and no release
    words = help_box.inner_text()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.locator("[name=pick]:checked").count() == 0
    card.evaluate("card => card.scrollIntoView(false)")  # it is the last thing in the window
    card.tap()
    assert page.locator("[name=pick]:checked").count() == 1
    expect(page.locator(".picked:visible .button").first).to_be_in_viewport()
    assert page.locator(".picked:visible p").first.inner_text() in words
    page.locator(".lines .card").first.tap()
    help_box.wait_for()
    page.locator("h1").tap()
    help_box.wait_for(state="hidden")
