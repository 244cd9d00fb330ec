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


def pick(page: Any, key: str) -> Any:
    """Pick a card or an answer in place; return what it leads to, which shows now."""
    before = page.url
    page.locator(f'input[name="pick"][value="{key}"]').click(force=True)  # its card lies over it
    assert page.url == before
    follows = page.locator(".picked:visible")
    assert "You can’t undo a move." in follows.inner_text()
    return follows


def press(page: Any, says: str) -> None:
    """Make the move."""
    page.get_by_role("button", name=says, exact=True).click()
    assert "You " in page.locator(".messages").inner_text()


def choose_on_the_map(page: Any, region: str) -> None:
    """Click into the middle of a region."""
    page.locator(f".map a.open:has([href$='#{region}'])").click()


@pytest.mark.parametrize(
    "scripts", [True, pytest.param(False, marks=pytest.mark.long)], ids=["with scripts", "without scripts"]
)
def test_two_people_gather_and_play_with_the_mouse(
    open_browser: Open, anna: Any, bruno: Any, scripts: bool
) -> None:
    annas, brunos = (open_browser(java_script_enabled=scripts) for _ in range(2))
    link = make_a_table(annas)
    join(brunos, link)
    begin(annas, brunos)
    first_battle(annas, brunos)
    assert annas.get_by_role("heading", name="Waiting for: Bruno.").is_visible()
    brunos.reload()
    second_region_from_the_list(brunos)
    made = LogEntry.objects.filter(seat__isnull=False).order_by("ply").values_list("move", flat=True)
    assert list(made) == MOVES


def make_a_table(page: Any) -> str:
    """Anna signs in and makes a table; return the link to share."""
    page.goto("/")
    page.get_by_role("link", name="Sign in", exact=True).click()
    sign_in(page, "anna@example.org")
    page.locator("#main").get_by_role("link", name="Create a table").click()
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


def begin(annas: Any, brunos: Any) -> None:
    """Both confirm; the second one gets to the game at once."""
    brunos.get_by_role("button", name="Confirm that I’ll play").click()
    annas.reload()
    annas.get_by_role("button", name="Confirm that I’ll play").click()
    annas.get_by_role("heading", name="Choose a region to fight for.").wait_for()
    brunos.reload()
    brunos.get_by_role("link", name="Open the game").click()
    brunos.get_by_role("heading", name="Waiting for: Anna.").wait_for()
    for page, has, lacks in ((annas, "bishop", "winter"), (brunos, "winter", "bishop")):
        assert page.locator(f".hand .card-{has}").count() > 0
        assert page.locator(f".hand .card-{lacks}").count() == 0


def first_battle(annas: Any, brunos: Any) -> None:
    choose_on_the_map(annas, "roma")
    press(annas, "Fight for Roma")
    pick(annas, "10")
    press(annas, "Play 10")
    brunos.reload()
    pick(brunos, "6")
    press(brunos, "Play 6")
    annas.reload()
    follows = pick(annas, "bishop").inner_text()
    assert "Where do you send the Pope?" in follows
    assert "The Bishop will remove every 10 from your line." in follows
    press(annas, "Play the Bishop, the Pope goes to Siena")
    brunos.reload()
    pick(brunos, "scarecrow")
    press(brunos, "Play a Scarecrow and take nothing")
    annas.reload()
    pick(annas, "2")
    press(annas, "Play 2")
    brunos.reload()
    pick(brunos, "pass")
    press(brunos, "Pass")
    annas.reload()
    pick(annas, "pass")
    press(annas, "Pass")


def second_region_from_the_list(page: Any) -> None:
    page.get_by_label("Region", exact=True).select_option("place firenze")
    press(page, "Fight for this region")
    assert page.get_by_role("heading", name="The battle for Firenze").is_visible()
