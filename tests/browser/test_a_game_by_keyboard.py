"""A newcomer without a mouse: from the home page to the end of a game, by keys alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.models import Game
from games.narration.move_names import move_name
from games.narration.vocabulary import card_name
from games.rules import Decision, Move, State, region_name
from tests.browser.conftest import Open
from tests.browser.hearing import hear
from tests.browser.keyboard import Keyboard
from tests.browser.practice_games import SEAT, action, deal_always, next_move, seen_now
from tests.games.playing import game_where

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

# With these shuffles the game asks for everything a player can be asked, and ends soon.
SHUFFLES = "By keyboard 419"
NEEDED = {"place", "play", "play bishop", "play scarecrow", "pass", "keep hand", "keep"}

# Tabs from the beginning to the first thing one can choose, past the goal's mark and what explains the lines.
TO_THE_FIRST = 5
FROM_A_NEW_PAGE = 7  # presses to it, the skip link's two among them
TO_ANY = 12  # Tabs to any of them: a hand has ten cards, of ten kinds at most, a pass and an answer
PRESSES_A_MOVE = 15  # on the average of a game


def begin(keys: Keyboard, opponents: int) -> None:
    """Start a game from the home page, with one opponent."""
    keys.page.goto("/")
    keys.skip()
    keys.to("combobox", "Opponents", at_most=8)
    for _ in range(4):
        keys.press("ArrowUp")
    for _ in range(opponents - 1):
        keys.press("ArrowDown")
    keys.to("combobox", "Level", at_most=1)
    keys.to("combobox", "Opponents", at_most=1, key="Shift+Tab")
    keys.to("button", "Play now", at_most=2)
    keys.open()


def answer(keys: Keyboard, move: Move) -> None:
    """Make one move on one page."""
    keys.skip()
    match move.kind:
        case "place":
            choose_region(keys, region_name(str(move.region)))
        case "keep":
            tick_cards(keys, move.cards)
        case _:
            pick(keys, card_name(str(move.card)) if move.card else move_name(move))
            says = move_name(move, ["Guest", "Bot"], SEAT)
            keys.to("button", says, at_most=2 * TO_ANY)
    keys.open()


def choose_region(keys: Keyboard, region: str) -> None:
    """Choose from the list by arrow keys, or by typing letters."""
    keys.to("combobox", "Region", at_most=TO_THE_FIRST)
    chosen = "document.activeElement.selectedOptions[0].text"
    for _ in range(30):
        keys.press("ArrowDown")
        if keys.page.evaluate(chosen).removeprefix("Fight for ").partition(",")[0] == region:
            break
    keys.to("button", "Fight for this region", at_most=1)


def pick(keys: Keyboard, wanted: str) -> None:
    """The arrows go from card to card, and pick what they come to."""
    keys.to("radio", lambda name: True, at_most=TO_THE_FIRST)
    for press in ("Space", *["ArrowRight"] * TO_ANY):
        keys.press(press)
        focus = keys.focus()
        if focus is not None and focus.name.partition(",")[0] == wanted:
            return
    raise AssertionError(f"the arrows do not reach {wanted}")


def tick_cards(keys: Keyboard, cards: tuple[str, ...]) -> None:
    """Press the space bar on each card to keep; equal cards are side by side."""
    for card in cards:
        is_wanted = card_name(card)
        keys.to("checkbox", lambda name, card=is_wanted: name.strip() == card, TO_ANY)
        keys.press("Space")
    keys.to("button", "Keep these cards", TO_ANY)


def play_to_the_end(keys: Keyboard) -> Counter[str]:
    """Return what was done, and how often."""
    done: Counter[str] = Counter()
    while not Game.objects.get().is_over:
        move = next_move(seen_now())
        answer(keys, move)
        done[action(move)] += 1
    return done


@pytest.mark.long
def test_a_newcomer_plays_to_the_end_by_keys_alone(
    open_browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal_always(monkeypatch, SHUFFLES)
    keys = Keyboard(open_browser(viewport={"width": 1280, "height": 844}))
    begin(keys, opponents=1)
    done = play_to_the_end(keys)
    assert set(done) >= NEEDED, done
    keys.skip()
    keys.to("link", "Read the chronicle", at_most=2)
    keys.open()
    assert keys.presses <= PRESSES_A_MOVE * done.total()


@pytest.mark.long
def test_the_first_card_is_few_presses_away(open_browser: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    deal_always(monkeypatch, SHUFFLES)
    keys = Keyboard(open_browser(viewport={"width": 390, "height": 844}))
    begin(keys, opponents=1)
    answer(keys, next_move(seen_now()))
    keys.page.goto(keys.page.url.partition("#")[0])
    before = keys.presses
    keys.skip()
    keys.to("radio", lambda name: True, TO_THE_FIRST)
    assert keys.presses - before <= FROM_A_NEW_PAGE


UNFOLD = "document.querySelectorAll('details').forEach(details => { details.open = true })"


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), pytest.param(1280, "dark", marks=pytest.mark.long)]
)
def test_whatever_can_be_used_is_reached_and_shows_it(
    open_browser: Open, anna: Any, bruno: Any, width: int, scheme: str, long: bool
) -> None:
    table = game_where([anna, bruno], is_under_way)[0].table
    page = open_browser(anna, viewport={"width": width, "height": 844}, color_scheme=scheme)
    keys = Keyboard(page)
    paths = [f"/games/{table.games.get().pk}/", "/tables/new/", "/", "/games/", f"/tables/{table.pk}/"]
    for path in paths if long else paths[:2]:
        page.goto(path)
        page.evaluate(UNFOLD)
        reached = {focus.name for focus in keys.round()}
        assert controls_of(page) <= reached, path


def is_under_way(state: State, decision: Decision) -> bool:
    """Return whether someone chooses a region when some are taken."""
    return decision.kind == "place" and decision.seat == 0 and any(state.holdings)


def controls_of(page: Any) -> set[str]:
    """Return the names of all links and buttons on the page; arrows reach the radios."""
    roles = {"link", "button", "textbox", "combobox", "checkbox"}
    return {node.name for node in hear(page) if node.role in roles}


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        ("document.styleSheets[0].insertRule('* { outline: none !important }')", "does not show"),
        ("document.querySelector('main button').tabIndex = -1", "a full round does not reach"),
        ("document.querySelector('footer').append(document.querySelector('#practice'))", "presses away"),
        ("void (onkeydown = event => event.preventDefault())", "no way out"),
        ("document.querySelector('main button').style.marginLeft = '-9999px'", "out of sight"),
    ],
)
@pytest.mark.long
def test_a_page_that_keeps_the_keyboard_out_would_be_noticed(
    open_browser: Open, spoil: str, fault: str
) -> None:
    keys = Keyboard(open_browser(viewport={"width": 1280, "height": 844}))
    keys.page.goto("/")
    keys.press("Tab")
    keys.page.evaluate(spoil)
    with pytest.raises(AssertionError, match=fault):
        keys.to("button", "Play now", at_most=9)
