"""What somebody's first visit to a game page takes over the wire, with nothing kept from before."""

from __future__ import annotations

import gzip
from typing import Any

import brotli
import pytest

from games.models import Game
from games.press.commands import write
from games.rules import Decision, State
from tests.browser.conftest import Open
from tests.games.playing import game_where

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

MOST_BYTES = 90_000
HEADERS = 400  # of an answer, as they came when measured
PACKED = ("text/", "application/javascript", "image/svg+xml", "application/json")


def many_turns(state: State, question: Decision) -> bool:
    return question.seat == 0 and state.step > 150


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def late(people: list[Any]) -> Game:
    """A game that has gone on for long, with talk; Anna is asked."""
    game, _question = game_where(people, many_turns)
    for seat in game.table.seats.select_related("user", "table"):
        for number in range(5):
            write(seat, f"Word {number} to everybody: let Siena be, and I let Roma be.")
    return game


def on_the_wire(response: Any) -> int:
    """Its bytes as a site sends them: files packed beforehand, pages as they are made."""
    body, kind = response.body(), response.headers.get("content-type", "")
    if kind.startswith("text/html"):
        return len(gzip.compress(body)) + HEADERS
    return (len(brotli.compress(body)) if kind.startswith(PACKED) else len(body)) + HEADERS


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_visit_of_a_game_page_is_light(
    late: Game, people: list[Any], open_browser: Open, width: int
) -> None:
    page, answers = open_browser(people[0], viewport={"width": width, "height": 844}), list[Any]()
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright asks for a function
    page.goto(f"/games/{late.pk}/")
    page.wait_for_load_state("networkidle")
    sizes = {answer.url.partition("/static/")[2] or answer.url: on_the_wire(answer) for answer in answers}
    assert len(sizes) > 5  # style sheets, scripts and fonts came with it
    assert sum(sizes.values()) <= MOST_BYTES, sizes
