"""Pages on paper: what a player reads, without what is to press."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.games.playing import decision_of, game_where

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = "one => parseFloat(getComputedStyle(one).fontSize)"


def test_the_hand_is_printed_and_no_button(open_browser: Open, anna: Any, bruno: Any) -> None:
    game, _state = game_where([anna, bruno], lambda state, _decision: state.phase == "battle")
    page = open_browser([anna, bruno][decision_of(game).seat])
    page.goto(f"/games/{game.pk}/")
    page.emulate_media(media="print")
    assert page.locator(".hand .card").first.is_visible()
    assert page.locator("main .button:visible, main .help-mark:visible, main textarea:visible").count() == 0
    small, usual = (page.locator(one).first.evaluate(SIZE) for one in ("main .small:visible", "body"))
    assert small < usual
