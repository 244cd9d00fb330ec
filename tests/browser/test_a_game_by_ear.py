"""A newcomer who does not see the page: they play to the end by what the accessibility tree tells them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from games.models import Game
from games.narration.move_names import move_name
from games.narration.vocabulary import card_name
from games.rules import Move, Observation, neighbours, prizes, region_name
from tests.browser.conftest import Open
from tests.browser.heard_games import HeardGame, HeardLine
from tests.browser.hearing import faults_heard, hear
from tests.browser.practice_games import SEAT, action, deal_always, next_move, seen_now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

# With these shuffles there are Winter, Spring and Drummers, the Pope comes and goes, and someone could win
# at once; the player is asked for everything.
SHUFFLES = "By ear 128"
NEEDED = {"place", "play", "play bishop", "play scarecrow", "pass", "keep hand", "keep"}


def begin(page: Any, opponents: int) -> None:
    page.goto("/")
    page.get_by_role("combobox", name="Opponents").select_option(str(opponents))
    follow(page, "button", "Play now")


def follow(page: Any, role: str, name: str | re.Pattern[str], *, exact: bool = True) -> None:
    """Go to the page that something leads to."""
    with page.expect_navigation():
        page.get_by_role(role, name=name, exact=exact).click()


def listen(page: Any) -> HeardGame:
    """Return the page with the map's list unfolded; its outline must be right."""
    if not page.get_by_role("heading", name="Map as a list").count():
        follow(page, "link", "Show the map as a list")
    heard = hear(page)
    assert faults_heard(heard) == []
    return HeardGame(heard)


def compare(game: HeardGame, seen: Observation) -> None:
    """Check that what is heard is exactly what the guest may know."""
    assert seen.asked is not None
    assert game.asked == seen.asked.kind
    assert game.hand == Counter(seen.hand)
    assert game.playable == {move.card for move in seen.legal if move.kind == "play"}
    names = [player.name for player in game.players]
    compare_players(game, seen)
    compare_map(game, seen, names)
    if seen.phase == "battle":
        assert (game.fought_for, game.season) == (seen.battle, seen.season)
        assert game.lines == list(lines_of(seen, names))


def compare_players(game: HeardGame, seen: Observation) -> None:
    held = Counter(seat for _, seat in seen.control)
    first = prizes(seen)
    for seat, player in enumerate(game.players):
        assert player.is_me == (seat == SEAT)
        assert player.is_condottiere == (seat == seen.condottiere)
        assert (player.hand_size, player.regions) == (seen.hand_sizes[seat], held[seat])
        assert seen.goal_total is not None
        connected = seen.goal_connected - seen.largest_group[seat]
        missing = (connected, seen.goal_total - held[seat])
        wins = any(seat in seats for seats in first.values())
        assert player.missing == (missing if held[seat] and not wins else None)
        assert player.wins_with == {region for region, seats in first.items() if seat in seats}


def compare_map(game: HeardGame, seen: Observation, names: list[str]) -> None:
    control = dict(seen.control)
    assert game.facts["Condottiere"] == names[seen.condottiere]
    assert game.facts["Pope"] == (region_name(seen.pope) if seen.pope else "not on the map")
    assert int(game.facts["Draw pile"]) == seen.pile_size
    for region, told in game.regions.items():
        holder = names[control[region]] if region in control else None
        assert (told.holder, told.neighbours) == (holder, set(neighbours(region)))
        assert ("battle" in told.notes.split(", ")) == (region == seen.battle)
        assert ("the Pope is here" in told.notes) == (region == seen.pope)
        drawn = game.picture[region].split(", ")
        assert drawn[0] == (f"held by {holder}" if holder else "free")
        assert ("can be chosen" in drawn) == any(
            move.region == region for move in seen.legal if move.kind == "place"
        )
    assert ("The Pope is in" in game.picture_told) == (seen.pope is not None)


def lines_of(seen: Observation, names: list[str]) -> Any:
    """Return the lines as they should be heard."""
    highest = max(seen.totals)
    at_the_top = seen.totals.count(highest)
    alone = "leads" if seen.phase == "battle" else "won"
    for seat, total in enumerate(seen.totals):
        standing = "" if total < highest else alone if at_the_top == 1 else "tied" if highest else ""
        yield HeardLine(names[seat], seen.lines[seat], total, standing, seen.passed[seat])


def answer(page: Any, move: Move, names: list[str]) -> None:
    """Make a move by the roles and names that were heard, on the one page."""
    match move.kind:
        case "place":
            region = region_name(str(move.region))
            page.get_by_role("link", name=f"{region}: ").click()
        case "keep":
            for card in set(move.cards):
                for copy in range(move.cards.count(card)):
                    page.get_by_role("checkbox", name=card_name(card), exact=True).nth(copy).check()
            return make(page, "Keep these cards")
        case _:
            name = card_name(str(move.card)) if move.card else move_name(move)
            page.get_by_role("radio", name=re.compile(f"^{name}(,|$)")).check(force=True)
    return make(page, move_name(move, names, SEAT))


def make(page: Any, says: str) -> None:
    heard = hear(page)
    assert faults_heard(heard) == []
    assert "undo" not in " ".join(heard.one("main").texts)  # a move in practice can be taken back
    follow(page, "button", says)
    if not Game.objects.get().is_over:  # its end says more than the last move
        assert page.get_by_role("status").first.inner_text().startswith("You ")


@pytest.mark.long
def test_a_newcomer_plays_to_the_end_by_ear_alone(
    open_browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal_always(monkeypatch, SHUFFLES)
    page = open_browser()
    begin(page, opponents=2)
    done: Counter[str] = Counter()
    while not Game.objects.get().is_over:
        game = listen(page)
        seen = seen_now()
        compare(game, seen)
        move = next_move(seen)
        answer(page, move, [player.name for player in game.players])
        done[action(move)] += 1
    assert set(done) >= NEEDED, done
    ended = listen(page)
    assert "won the game" in ended.heading
    assert ended.main.has("link", "Read the chronicle")


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        ("document.querySelector('main h1').remove()", "0 headings of level 1"),
        (
            "document.querySelector('main h2').setAttribute('aria-level', 3)",
            "a heading of level 3 after one of level 1",
        ),
        ("document.querySelector('main button').textContent = ''", "button without a name"),
        ("document.querySelector('nav').removeAttribute('aria-label')", "navigation without a name"),
        (
            "document.querySelector('main h1').innerHTML = '<b>Play</b> <i>Play</i>'",
            "'Play' twice in heading 'Play Play'",
        ),
    ],
)
@pytest.mark.long
def test_a_page_that_tells_too_little_would_be_noticed(open_browser: Open, spoil: str, fault: str) -> None:
    page = open_browser()
    page.goto("/")
    assert faults_heard(hear(page)) == []
    page.evaluate(f"void ({spoil})")
    assert fault in faults_heard(hear(page))
