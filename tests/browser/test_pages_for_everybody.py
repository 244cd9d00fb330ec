"""Every page on a phone, on a desk, in the dark, and as assistive programs find it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from accounts.post.models import Letter
from accounts.post.unsubscribing import unsubscribe_path
from games import commands
from games.links import Question, answer_token, invitation_token, seat_token
from games.models import Game, Seat
from games.press.commands import write
from games.press.links import talk_token
from tests.browser.conftest import Open
from tests.journeys.playing import Company, begun_game

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

WIDTHS = {"phone": 390, "desk": 1280}
TABLE_NAME = "Le lunghissime campagne dei condottieri senza fine"
GRAVE = ("serious", "critical")


@pytest.fixture
def places(anna: Any, bruno: Any, carla: Any) -> dict[str, str]:
    """What Anna can visit, name -> address: games in every phase, a finished one, a table that gathers."""
    people = [anna, bruno, carla]
    found = public_places()
    gathering = commands.make_table(
        anna,
        name=TABLE_NAME,
        size=6,
        entry="link",
        note="Slowly, please.\nAnd no table talk.",
        invited=["x@example.org"],
    )
    commands.take_seat(gathering, bruno)
    write(
        gathering.seats.get(user=bruno),
        f"**Hello** > all\n\n> {'wide' * 60}\n\n- `{'code' * 60}`\n\nhttp://a.example/{'x' * 200}",
    )
    invitation = gathering.invitations.get()
    found |= {
        "home": "/",
        "my games": "/games/",
        "new table": "/tables/new/",
        "table": f"/tables/{gathering.pk}/",
        "seat": f"/seat/{seat_token(gathering.seats.get(user=bruno))}/",
        "invitation": f"/invitation/{invitation_token(invitation)}/",
        "talk": f"/tables/{gathering.pk}/talk/",
        "talk link": f"/talk/{talk_token(gathering.seats.get(user=bruno))}/",
        "profile": "/me/",
        "sessions": "/accounts/sessions/",
        "letters off": unsubscribe_path(anna.email, "game-1", TABLE_NAME),
    }
    for kind in ("place", "battle", "hand", "keep"):
        found |= game_places(kind, people)
    return found | finished_places(people)


def public_places() -> dict[str, str]:
    return {
        "sign in": "/accounts/login/",
        "sign up": "/accounts/signup/",
        "tables": "/tables/",
        "bad link": "/answer/nothing/",
        "not found": "/nowhere/",
    }


def game_places(kind: str, people: list[Any]) -> dict[str, str]:
    """A game in which this kind of question is open, by the link of who is asked and as Anna sees it."""
    game = begun_game(people, name=f"{kind}: {TABLE_NAME}"[:60])
    company = Company(game)
    question = company.play_until(kind)
    if kind == "battle":  # some cards in the lines
        for _move in range(4):
            company.answer(company.play_until(kind))
        question = company.play_until(kind)
    user = Seat.objects.get(table=game.table_id, number=question.seat).user_id
    link = f"/answer/{answer_token(Question(game.pk, question.seat, user, question.asked_at))}/"
    closed = f"/answer/{answer_token(Question(game.pk, question.seat, user, 10_000))}/"
    steps = {"place": "place+siena", "battle": "pass", "hand": "keep+hand", "keep": "keep+nothing"}
    return {
        f"game, {kind}": f"/games/{game.pk}/",
        f"link, {kind}": link,
        f"confirm, {kind}": f"{link}confirm/?move={steps[kind]}",
        f"closed link, {kind}": closed,
        f"proof, {kind}": f"/games/{game.pk}/proof/",
    }


def finished_places(people: list[Any]) -> dict[str, str]:
    company = Company(begun_game(people, name="Finished"))
    while questions := company.open_questions():
        company.answer(questions[0])
    game: Game = company.game
    Letter.objects.all().delete()
    return {
        "game over": f"/games/{game.pk}/",
        "history": f"/games/{game.pk}/history/{game.ply - 3}/",
        "history, begin": f"/games/{game.pk}/history/0/",
        "proof, over": f"/games/{game.pk}/proof/",
    }


MISSING = ("bad link", "not found")
SIGNED_OUT = ("sign in", "sign up", "seat", "talk link", "invitation", "letters off", "tables", "home")


def visits(
    open_browser: Open, anna: Any, places: dict[str, str], **options: Any
) -> Iterator[tuple[str, Any]]:
    """Each place, one after the other, as it stands on the screen."""
    as_anna, as_nobody = open_browser(anna, **options), open_browser(**options)
    for name, path in places.items():
        page = as_nobody if name in SIGNED_OUT or name.startswith("closed") else as_anna
        answer = page.goto(path)
        assert answer.status == (404 if name in MISSING else 200), name
        yield name, page


@pytest.mark.parametrize("device", WIDTHS)
def test_no_page_is_wider_than_the_screen(
    open_browser: Open, anna: Any, places: dict[str, str], device: str
) -> None:
    width = WIDTHS[device]
    too_wide = {}
    for name, page in visits(open_browser, anna, places, viewport={"width": width, "height": 844}):
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            too_wide[name] = needed
    assert too_wide == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_grave_barrier(
    open_browser: Open, anna: Any, places: dict[str, str], scheme: str
) -> None:
    axe = Axe()
    found = {}
    for name, page in visits(
        open_browser, anna, places, color_scheme=scheme, viewport={"width": 390, "height": 844}
    ):
        response = axe.run(page).response
        assert len(response["passes"]) > 10, name
        for violation in (v for v in response["violations"] if v["impact"] in GRAVE):
            found[f"{name}: {violation['id']}"] = [node["html"][:160] for node in violation["nodes"]][:3]
    assert found == {}


def test_a_page_has_one_title_one_heading_and_a_way_past_the_navigation(
    open_browser: Open, anna: Any, places: dict[str, str]
) -> None:
    titles = {}
    for name, page in visits(open_browser, anna, places):
        assert page.locator("h1").count() == 1, name
        assert page.locator("main").count() == 1, name
        assert page.locator("a.skip[href='#main']").count() == 1, name
        titles[name] = page.title()
    assert all(title.endswith("Condottiere by e-mail") for title in titles.values()), titles
