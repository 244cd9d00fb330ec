"""The bytes of a first visit to a game page, with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from condottiere_site.management.commands.play import NOT_COLLECTED
from games.chat.services import write
from games.models import Game
from games.rules import Decision, State
from tests.browser.looking import PHONE
from tests.games.playing import game_where
from tests.servers import HANGS
from tests.site.serving import WAITRESS, served

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

MOST_BYTES = {"en": 77_000, "ru": 112_000}  # two alphabets of the font


def many_turns(state: State, decision: Decision) -> bool:
    return decision.seat == 0 and state.step > 150


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def late(people: list[Any]) -> Game:
    """A long game with chat; Anna is to move."""
    game, _decision = game_where(people, many_turns)
    for seat in game.table.seats.select_related("user", "table"):
        for number in range(5):
            write(seat, f"Word {number} to everybody: let Siena be, and I let Roma be.")
    return game


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Return the address of the site as `play` runs it, with its web server and collected files."""
    environment = {"STATE_DIR": str(tmp_path), "SITE_URL": "http://127.0.0.1"}
    unneeded = [word for name in NOT_COLLECTED for word in ("-i", name)]
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", *unneeded],
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        timeout=HANGS,
        check=True,
    )
    with served(WAITRESS, tmp_path, **environment) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def page(browser: Any, site: str, people: list[Any], signed_in: Any) -> Iterator[Any]:
    """Return an empty browser in which Anna is signed in, on a phone."""
    context = browser.new_context(base_url=site, viewport=PHONE)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(people[0]).cookies[name].value, "url": site}])
    yield context.new_page()
    context.close()


def on_the_wire(answer: Any) -> int:
    """Return the bytes that the browser received."""
    sizes = answer.request.sizes()
    return int(sizes["responseBodySize"] + sizes["responseHeadersSize"])


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.long)])
def test_the_first_visit_of_a_game_page_is_light(late: Game, page: Any, language: str) -> None:
    User.objects.update(language=language)
    answers = list[Any]()
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright asks for a function
    page.goto(f"/games/{late.pk}/")
    page.wait_for_load_state("networkidle")
    sizes = {answer.url.partition("/static/")[2] or answer.url: on_the_wire(answer) for answer in answers}
    assert len(sizes) > 5  # style sheets, scripts and fonts came with it
    assert sum(sizes.values()) <= MOST_BYTES[language], sizes
    assert answers[0].headers["content-encoding"] == "gzip"
