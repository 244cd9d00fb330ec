"""The main menu takes one line on a phone, in every language and with games waiting."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as django_settings

from accounts.models import User
from games.models import Game
from tests.browser.conftest import Open
from tests.browser.looking import NARROW, PHONE
from tests.games.playing import begin_game, decision_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

LANGUAGES = [code for code, _name in django_settings.LANGUAGES]
PAGES = ["/", "/games/", "/tables/", "/leagues/", "/tables/new/", "/rules/"]  # each marks its own entry
LINES = """() => new Set([...document.querySelectorAll('.ways li')].map(
  entry => Math.round(entry.getBoundingClientRect().top))).size"""


@pytest.mark.parametrize(
    "language", [pytest.param(code, marks=[] if code == "ru" else pytest.mark.long) for code in LANGUAGES]
)
def test_the_menu_takes_one_line_on_a_phone(
    open_browser: Open, anna: Any, bruno: Any, carla: Any, language: str
) -> None:
    person = _with_many_games([anna, bruno, carla])
    User.objects.filter(pk=person.pk).update(language=language)
    page = open_browser(person, viewport=PHONE, java_script_enabled=False)
    for path in PAGES:
        page.goto(path)
        assert "(10)" in page.locator("#my-games").inner_text()
        assert page.evaluate(LINES) == 1, path


def test_the_plus_in_the_menu_has_the_words_it_stands_for(open_browser: Open, anna: Any) -> None:
    page = open_browser(anna, viewport=NARROW)
    page.goto("/rules/")
    plus = page.get_by_role("navigation").get_by_role("link", name="Create a table", exact=True)
    assert page.evaluate(LINES) == 1
    assert min(plus.bounding_box()["width"], plus.bounding_box()["height"]) >= 24
    plus.click()
    assert page.locator("h1").inner_text() == "Create a table"


def _with_many_games(people: list[Any]) -> Any:
    """Return the person for whom ten games wait."""
    games: list[Game] = [begin_game(people) for _number in range(10)]
    return people[decision_of(games[0]).seat]
