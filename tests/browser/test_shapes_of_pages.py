"""The layout of pages: columns of a game, lists of long names, checkboxes, buttons on a phone."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Game, Table
from tests.browser.conftest import Open
from tests.browser.first_screens import begin
from tests.browser.looking import things_that_stick
from tests.browser.practice_games import deal_always
from tests.games.playing import begin_game, seat_table

DESK = {"width": 1280, "height": 900}
TABLET = {"width": 768, "height": 1024}
PHONE = {"width": 390, "height": 844}
TOGETHER = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('details > p + div, details > div + .button { margin-top: 0 !important }');
  document.adoptedStyleSheets = [sheet];
}"""
BOXES = "all => all.map(one => one.getBoundingClientRect().toJSON())"


@pytest.fixture
def game(anna: Any, bruno: Any, carla: Any) -> Game:
    return begin_game([anna, bruno, carla])


@pytest.mark.parametrize("who", ["a player", "a spectator"])
@pytest.mark.long
def test_each_column_of_a_game_goes_on_where_it_ends(
    open_browser: Open, anna: Any, game: Game, who: str
) -> None:
    Table.objects.update(watch=Table.Watch.LINK)
    page = open_browser(anna, viewport=DESK)
    page.goto(f"/games/{game.pk}/" if who == "a player" else f"/watch/{game.table.watch_key}/")
    side, its_map, chat, log = page.locator(".game > *, .game-below > *").evaluate_all(BOXES)
    assert (side["left"], its_map["left"]) == (chat["left"], log["left"])
    assert side["bottom"] < its_map["bottom"] - 100
    assert 0 < chat["top"] - side["bottom"] < 40
    assert 0 < log["top"] - its_map["bottom"] < 40
    below = page.locator(".seldom").bounding_box()
    assert below["y"] >= max(chat["bottom"], log["bottom"])


def test_the_longest_names_take_three_lines_at_most(open_browser: Open, anna: Any, game: Game) -> None:
    Table.objects.update(name="The longest name that a table may have on this site is this")
    page = open_browser(anna, viewport=TABLET)
    page.goto("/games/")
    assert page.locator(".table-list li > a").first.bounding_box()["height"] < 80


def test_the_list_of_time_zones_begins_at_the_browsers_until_one_is_chosen(
    open_browser: Open, anna: Any
) -> None:
    page = open_browser(anna, viewport=PHONE, timezone_id="Asia/Tokyo")
    page.goto("/me/")
    zones = page.get_by_label("Time zone", exact=True)
    assert zones.input_value() == "Asia/Tokyo"
    assert not page.get_by_text("In your time zone it is").is_visible()
    page.get_by_role("button", name="Save").first.click()
    assert page.get_by_text("In your time zone it is").is_visible()
    zones.select_option("Europe/Rome")
    page.get_by_role("button", name="Save").first.click()
    page.goto("/me/")
    assert zones.input_value() == "Europe/Rome"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.long
def test_what_is_not_ticked_has_the_colours_of_the_site(open_browser: Open, anna: Any, scheme: str) -> None:
    page = open_browser(anna, viewport=PHONE, color_scheme=scheme)
    page.goto("/me/emails/preferences/")
    sheet = page.locator("select").first.evaluate("field => getComputedStyle(field).backgroundColor")
    boxes = page.locator("main :is([type=checkbox], [type=radio]):not(:checked)")
    colours = boxes.evaluate_all("all => all.map(box => getComputedStyle(box).backgroundColor)")
    assert len(colours) > 3
    assert set(colours) == {sheet}


def test_on_a_phone_a_name_at_a_line_takes_one_line(
    open_browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The word for a bot stands below its name, next to the number of its cards."""
    deal_always(monkeypatch, "A bot chooses the first region")
    page = open_browser(viewport=PHONE)
    begin(page, opponents=5)
    heights = page.locator(".lines .seat-chip").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert len(heights) == 6
    assert max(heights) < 30
    assert [about.split()[0] for about in page.locator(".lines .about").all_inner_texts()] == ["you"] + 5 * [
        "bot"
    ]


def test_a_label_stands_apart_from_what_is_above_it(open_browser: Open, anna: Any) -> None:
    """On the page of a table: the words that someone adds to the shuffles are entered below a paragraph."""
    table = seat_table([anna], size=3)
    page = open_browser(anna, viewport=PHONE)
    page.goto(f"/tables/{table.pk}/")
    assert things_that_stick(page) == []
    assert page.get_by_label("Your words").is_visible()
    page.evaluate(TOGETHER)
    assert len(things_that_stick(page)) == 2


@pytest.mark.long
def test_on_a_phone_a_button_is_as_wide_as_its_words(open_browser: Open, game: Game) -> None:
    page = open_browser(viewport=PHONE)
    for path in ("/", "/accounts/login/"):
        page.goto(path)
        widths = page.locator("main .button").evaluate_all("all => all.map(one => one.offsetWidth)")
        assert widths
        assert max(widths) < 300
