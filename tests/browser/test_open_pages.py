"""An open page of a game notices what happens, loses nothing that is typed, and rests while it is hidden."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from games import services
from games.chat.services import write
from games.models import Game, Table
from games.rules import Decision, State, apply, legal_moves, parse_move, pending
from tests.browser.conftest import Open
from tests.games.playing import answer, game_where, seat_table
from tests.servers import HANGS, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

HIDE = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true})"
COUNT_NOTES = """() => {
  const { start } = OscillatorNode.prototype;
  window.notes = 0;
  OscillatorNode.prototype.start = function (...when) { notes += 1; return start.apply(this, when); };
}"""
NOON, MINUTE = datetime(2026, 11, 2, 12, tzinfo=UTC), timedelta(minutes=1)
CHANGED = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture(autouse=True)
def _polls_each_second(settings: Any) -> None:
    settings.POLL_SECONDS = settings.CHAT_POLL_SECONDS = 1


@pytest.fixture
def polls() -> list[str]:
    """The polls sent by the pages that `listen` was called with."""
    return []


def listen(page: Any, polls: list[str]) -> None:
    page.on("request", lambda request: polls.append(request.url) if "/live/" in request.url else None)


def bruno_fights(state: State, decision: Decision) -> bool:
    """Bruno is to move in a battle and may pass; the next move is someone else's."""
    return decision.seat == 1 and "pass" in map(str, legal_moves(state, 1)) and sum(map(len, state.lines)) > 2


def bruno_then_carla(state: State, decision: Decision) -> bool:
    """Carla is next after Bruno."""
    return bruno_fights(state, decision) and pending(apply(state, 1, parse_move("pass"))[0])[0].seat == 2


def game_of(*people: Any) -> Game:
    return game_where(people, bruno_fights)[0]


def open_log(page: Any) -> Any:
    return page.locator("#log details[open]").first


def test_anothers_move_and_message_appear_while_what_is_typed_and_opened_stays(
    open_browser: Open, anna: Any, bruno: Any, carla: Any
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(anna)
    page.goto(f"/games/{game.pk}/")
    page.get_by_role("link", name="Map as a list").click()
    text = page.locator("#chat textarea")
    text.fill("A half of a sent")
    before = text.bounding_box()["y"]
    answer(game, "pass")
    write(game.table.seats.get(user=bruno), "I am out of this one.")

    expect(page.locator("#log")).to_contain_text("Bruno passed")
    expect(page.locator("#chat-messages")).to_contain_text("I am out of this one.")
    expect(page.locator("#live-news")).not_to_be_empty()
    expect(text).to_have_value("A half of a sent")
    expect(page.locator("#map-list")).to_be_visible()
    assert text.bounding_box()["y"] == pytest.approx(before, abs=2)  # in the window


def test_a_page_without_news_is_not_opened_again(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, long: bool
) -> None:
    gathering, game = seat_table([anna, bruno], size=3, entry="open"), game_of(anna, bruno, carla)
    page = open_browser(anna)
    paths = [f"/tables/{gathering.pk}/", f"/games/{game.pk}/", f"/tables/{gathering.pk}/chat/"]
    for path in paths if long else paths[:2]:
        page.goto(path)
        page.evaluate("window.isTheSame = true")
        for _time in range(2):
            with page.expect_response(
                lambda response: "have=" in response.url or "/live/" in response.url
            ) as answer:
                pass
            assert answer.value.status in (204, 304)
        assert page.evaluate("window.isTheSame")


def test_someone_who_is_asked_is_told_and_can_answer_on_the_same_page(
    open_browser: Open, anna: Any, bruno: Any, carla: Any
) -> None:
    game = game_where([anna, bruno, carla], bruno_then_carla)[0]
    page = open_browser(carla)
    page.goto(f"/games/{game.pk}/")
    answer(game, "pass")

    expect(page.locator("#ask-title")).to_have_text("Play a card or pass.")
    expect(page.locator("#live-news")).to_have_text("Play a card or pass.")
    page.get_by_role("radio", name=re.compile("^Pass")).check(force=True)
    page.get_by_role("button", name=re.compile("^Pass")).click()
    expect(page.locator(".messages")).to_contain_text("You passed.")


def test_a_hidden_tab_asks_once_a_minute_and_its_title_and_icon_tell_of_a_turn(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, polls: list[str]
) -> None:
    game = game_where([anna, bruno, carla], bruno_then_carla)[0]
    page = open_browser(carla)
    page.clock.install(time=NOON)
    page.clock.pause_at(NOON + MINUTE)  # its time passes only when the test says so
    listen(page, polls)
    page.goto(f"/games/{game.pk}/")
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", re.compile("favicon[^-]*$"))
    site = page.title().rpartition(" · ")[2]
    assert page.title() == f"{game.table.name} · {site}"
    page.evaluate(COUNT_NOTES)
    sound = page.get_by_role("button", name="Play a sound when it’s your turn")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("notes") == 2  # so that it's known
    page.evaluate(HIDE % "true")
    answer(game, "pass")
    page.clock.run_for(50_000)
    assert polls == []

    page.clock.run_for(12_000)
    expect(page).to_have_title(f"Your turn: {game.table.name} · {site}")
    expect(icon).to_have_attribute("href", re.compile("favicon-turn"))
    assert page.evaluate("notes") == 4
    assert len(polls) == 1


@pytest.mark.long
def test_a_message_leaves_an_open_decision_and_the_focus_as_they_are(
    open_browser: Open, anna: Any, bruno: Any, carla: Any
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(bruno)
    page.goto(f"/games/{game.pk}/")
    page.evaluate("document.getElementById('ask-title').dataset.mine = 'yes'")
    page.get_by_role("radio", name=re.compile("^Pass")).check(force=True)
    button = page.get_by_role("button", name=re.compile("^Pass"))
    button.focus()
    write(game.table.seats.get(user=anna), "Stay out of it.")

    expect(page.locator("#chat-messages")).to_contain_text("Stay out of it.")
    assert page.locator("#ask-title").get_attribute("data-mine") == "yes"
    expect(button).to_be_focused()


@pytest.mark.long
def test_a_hidden_page_rests_and_asks_at_once_when_it_is_seen_again(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, monkeypatch: pytest.MonkeyPatch, polls: list[str]
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(anna)
    listen(page, polls)
    page.goto(f"/games/{game.pk}/")
    page.evaluate(HIDE % "true")
    page.wait_for_timeout(300)
    answer(game, "pass")
    polls.clear()
    page.wait_for_timeout(2500)
    assert polls == []

    page.evaluate(HIDE % "false")
    page.evaluate(CHANGED)
    expect(page.locator("#log")).to_contain_text("Bruno passed", timeout=1000 * HANGS)


@pytest.mark.long
def test_an_unwell_site_is_asked_less_and_less_often(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, polls: list[str]
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(anna)
    listen(page, polls)
    page.route("**/live/**", lambda route: route.fulfill(status=503, body="No."))
    page.goto(f"/games/{game.pk}/")
    wait_until(lambda: page.wait_for_timeout(50) or polls, "the first answer")
    page.wait_for_timeout(2500)
    assert len(polls) == 1


@pytest.mark.long
def test_a_spectator_sees_what_happens(open_browser: Open, anna: Any, bruno: Any, carla: Any) -> None:
    game = game_of(anna, bruno, carla)
    Table.objects.filter(pk=game.table_id).update(watch=Table.Watch.ANYONE)
    page = open_browser()
    page.goto(f"/watch/{game.table.watch_key}/")
    answer(game, "pass")
    expect(page.locator("#log")).to_contain_text("Bruno passed")


@pytest.mark.long
def test_someone_who_has_left_learns_no_more_and_is_told_that_the_page_is_old(
    open_browser: Open, anna: Any, bruno: Any, carla: Any
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(anna)
    page.goto(f"/games/{game.pk}/")
    services.give_up(game.table.seats.get(user=anna))
    expect(page.locator("#live-gone")).to_be_visible()
    assert "a bot" not in page.locator("#log").inner_text()


@pytest.mark.long
def test_without_script_the_page_works_and_asks_nothing(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, polls: list[str]
) -> None:
    game = game_of(anna, bruno, carla)
    page = open_browser(bruno, java_script_enabled=False)
    listen(page, polls)
    page.goto(f"/games/{game.pk}/")
    page.wait_for_timeout(1500)
    assert polls == []
    expect(page.locator("#live-gone")).to_be_hidden()
    page.get_by_role("radio", name=re.compile("^Pass")).check(force=True)
    page.get_by_role("button", name=re.compile("^Pass")).click()
    page.wait_for_url(f"**/games/{game.pk}/#ask")
    expect(page.locator("#log")).to_contain_text("You passed")
