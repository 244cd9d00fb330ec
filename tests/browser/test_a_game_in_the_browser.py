"""Two people at real browsers: they sign in by code, make and join a table, and play with the mouse."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from games.models import LogEntry, Table
from tests.browser.conftest import Open
from tests.journeys.emails import code_in
from tests.journeys.playing import delivered

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

# With this secret Anna begins, with a Bishop and a 10, and Bruno has a Scarecrow and a 6.
SECRET = hashlib.sha256(b"In the browser 58").digest()
MOVES = [
    "place roma",
    "play 10",
    "play 6",
    "play bishop siena",
    "play scarecrow nothing",
    "play 2",
    "pass",
    "pass",
    "place firenze",
]


def sign_in(page: Any, address: str) -> None:
    """Sign in on the sign-in page, with the code in the email."""
    page.get_by_label("Email").fill(address)
    page.get_by_role("button", name="Email me a code").click()
    (email,) = (email for email in delivered() if email["To"] == address)
    page.get_by_label("Code").fill(code_in(email))
    page.locator("main form button[type=submit]").first.click()


def confirm_move(page: Any, says: str) -> None:
    """Confirm a move with the one button of its page."""
    assert page.get_by_role("heading", level=1).inner_text() == says
    assert page.locator(".consequences").get_by_text("You cannot undo a move.").is_visible()
    page.get_by_role("button", name=says, exact=True).click()
    assert "You " in page.locator(".messages").inner_text()


def press_choice(page: Any, value: str) -> None:
    page.locator(f'button[name="move"][value="{value}"]').click()


def choose_on_the_map(page: Any, region: str) -> None:
    """Click into the middle of a region."""
    page.locator(f".map a.open:has([href$='#{region}'])").click()


@pytest.mark.parametrize(
    "scripts", [True, pytest.param(False, marks=pytest.mark.long)], ids=["with scripts", "without scripts"]
)
def test_two_people_gather_and_play_with_the_mouse(
    open_browser: Open, anna: Any, bruno: Any, scripts: bool
) -> None:
    hers, his = (open_browser(java_script_enabled=scripts) for _ in range(2))
    link = make_a_table(hers)
    join(his, link)
    begin(hers, his)
    first_battle(hers, his)
    assert hers.get_by_role("heading", name="Waiting for: Bruno.").is_visible()
    his.reload()
    second_region_from_the_list(his)
    made = LogEntry.objects.filter(seat__isnull=False).order_by("ply").values_list("move", flat=True)
    assert list(made) == MOVES


def make_a_table(page: Any) -> str:
    """Anna signs in and makes a table; return the link she would share."""
    page.goto("/")
    page.get_by_role("link", name="Sign in", exact=True).click()
    sign_in(page, "anna@example.org")
    page.get_by_role("link", name="Create a table").click()
    page.get_by_label("Name of the table").fill("By the mouse")
    page.get_by_role("radio", name="2", exact=True).check()
    page.get_by_label("Anyone with the link").check()
    page.get_by_role("button", name="Create the table").click()
    assert "You created the table." in page.locator(".messages").inner_text()
    Table.objects.update(secret=SECRET)
    return str(page.get_by_text("/join/").inner_text())


def join(page: Any, link: str) -> None:
    """Bruno follows the link, signs in on the way, and takes the seat."""
    page.goto(link)
    page.get_by_role("link", name="Sign in to take a seat").click()
    sign_in(page, "bruno@example.org")
    page.get_by_role("button", name="Take a seat").click()
    assert "You have taken a seat." in page.locator(".messages").inner_text()


def begin(hers: Any, his: Any) -> None:
    """Both confirm; the second one gets to the game at once."""
    his.get_by_role("button", name="Accept and confirm").click()
    hers.reload()
    hers.get_by_role("button", name="Accept and confirm").click()
    hers.get_by_role("heading", name="Choose a region to fight for.").wait_for()
    his.reload()
    his.get_by_role("link", name="Open the game").click()
    his.get_by_role("heading", name="Waiting for: Anna.").wait_for()
    for page, has, lacks in ((hers, "bishop", "winter"), (his, "winter", "bishop")):
        assert page.locator(f".hand .card-{has}").count() > 0
        assert page.locator(f".hand .card-{lacks}").count() == 0


def first_battle(hers: Any, his: Any) -> None:
    choose_on_the_map(hers, "roma")
    confirm_move(hers, "Fight for Roma")
    press_choice(hers, "play 10")
    confirm_move(hers, "Play 10")
    his.reload()
    press_choice(his, "play 6")
    confirm_move(his, "Play 6")
    hers.reload()
    press_choice(hers, "play bishop")
    assert hers.get_by_role("heading", level=1).inner_text() == "Where do you send the Pope?"
    choose_on_the_map(hers, "siena")
    assert "Siena" in hers.get_by_role("heading", level=1).inner_text()
    assert "The Bishop removed: you 1 × 10" in hers.locator(".consequences").inner_text()
    confirm_move(hers, hers.get_by_role("heading", level=1).inner_text())
    his.reload()
    press_choice(his, "play scarecrow")
    press_choice(his, "play scarecrow nothing")
    confirm_move(his, his.get_by_role("heading", level=1).inner_text())
    hers.reload()
    press_choice(hers, "play 2")
    confirm_move(hers, "Play 2")
    his.reload()
    press_choice(his, "pass")
    confirm_move(his, "Pass")
    hers.reload()
    press_choice(hers, "pass")
    confirm_move(hers, "Pass")


def second_region_from_the_list(page: Any) -> None:
    page.get_by_label("Region", exact=True).select_option("place firenze")
    page.get_by_role("button", name="Choose this region").click()
    confirm_move(page, "Fight for Firenze")
    assert page.get_by_role("heading", name="The battle for Firenze").is_visible()
