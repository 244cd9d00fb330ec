"""What an open page announces to screen readers when something happens: one polite sentence, once."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from games.chat.services import write
from games.models import Game
from games.rules import Decision, State, apply, legal_moves, parse_move, pending
from tests.browser.conftest import Open
from tests.browser.hearing import hear
from tests.games.playing import answer, game_where

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

# Every text that a live region gets, by whatever way; those that are there when the page opens are not told.
EAR = """() => {
  window.said = [];
  const live = '[aria-live], [role=status], [role=alert], [role=log]';
  const elementOf = node => node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  const isLive = node => node.matches && (node.matches(live) || node.querySelector(live));
  new MutationObserver(changes => {
    const regions = new Set(changes.map(({target}) => elementOf(target).closest(live)));
    for (const region of regions) {
      const text = region?.textContent.trim();
      if (text) said.push(text);
    }
    const added = changes.flatMap(({addedNodes}) => [...addedNodes]);
    if (added.some(isLive)) said.push('a region that was not there');
  }).observe(document.body, {childList: true, characterData: true, subtree: true});
}"""


@pytest.fixture(autouse=True)
def _polls_each_second(settings: Any) -> None:
    settings.POLL_SECONDS = 1


def bruno_then_carla(state: State, decision: Decision) -> bool:
    """Bruno is to move in a battle of three and may pass; Carla is next."""
    fights = decision.seat == 1 and sum(map(len, state.lines)) > 2
    if not fights or "pass" not in map(str, legal_moves(state, 1)):
        return False
    return pending(apply(state, 1, parse_move("pass"))[0])[0].seat == 2


@pytest.fixture
def game(anna: Any, bruno: Any, carla: Any) -> Game:
    return game_where([anna, bruno, carla], bruno_then_carla)[0]


def open_game(open_browser: Open, person: Any, game: Game) -> Any:
    """Return the page of the game, and collect its announcements."""
    page = open_browser(person)
    page.goto(f"/games/{game.pk}/")
    (region,) = (node for node in hear(page) if node.is_polite)
    assert region.texts == []
    page.evaluate(EAR)
    return page


def said(page: Any) -> list[str]:
    """Return everything that was announced, after some more polls."""
    page.wait_for_timeout(2500)
    return list(page.evaluate("said"))


@pytest.mark.long
def test_anothers_move_is_said_once_and_the_focus_stays(open_browser: Open, anna: Any, game: Game) -> None:
    page = open_game(open_browser, anna, game)
    chapter = page.locator("#log summary").first
    chapter.focus()
    answer(game, "pass")
    expect(page.locator("#log")).to_contain_text("Bruno passed")
    assert said(page) == ["Bruno passed."]
    expect(chapter).to_be_focused()


@pytest.mark.long
def test_someone_who_is_asked_now_hears_the_decision_and_no_more(
    open_browser: Open, carla: Any, game: Game
) -> None:
    page = open_game(open_browser, carla, game)
    page.get_by_role("link", name="Rules").first.focus()
    answer(game, "pass")
    expect(page.locator("#ask-title")).to_have_text("Play a card or pass.")
    assert said(page) == ["Play a card or pass."]
    expect(page.get_by_role("link", name="Rules").first).to_be_focused()


def test_a_message_is_said_once(open_browser: Open, anna: Any, bruno: Any, game: Game) -> None:
    page = open_game(open_browser, anna, game)
    text = page.get_by_role("textbox").first
    text.focus()
    write(game.table.seats.get(user=bruno), "Stay out of it.")
    expect(page.locator("#chat-messages")).to_contain_text("Stay out of it.")
    assert said(page) == ["Something has happened in the game."]
    expect(text).to_be_focused()


@pytest.mark.long
def test_someone_who_stands_on_a_card_that_goes_is_led_to_what_is_asked_now(
    open_browser: Open, bruno: Any, game: Game
) -> None:
    page = open_game(open_browser, bruno, game)
    page.locator('input[name="pick"][value="pass"]').focus()
    answer(game, "pass")  # on another device
    expect(page.locator("#ask-title")).to_have_text("Waiting for: Carla.")
    expect(page.locator("#ask-title")).to_be_focused()
    assert said(page) == ["You passed."]
