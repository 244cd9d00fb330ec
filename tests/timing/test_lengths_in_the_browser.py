"""The form for a new table in a real browser: what a pace says follows the number of seats."""

from typing import Any

import pytest

from games.presenters.time_settings import EXPECTED_DAYS, pace_explained

pytestmark = pytest.mark.django_db(transaction=True)


def sentences_seen(page: Any) -> list[str]:
    return [str(text) for text in page.locator(".for-seats:visible").all_inner_texts()]


def test_each_pace_is_one_sentence_for_the_seats_that_are_chosen(anna: Any, browser_signed_in: Any) -> None:
    page = browser_signed_in(anna)
    page.goto("/tables/new/")
    for seats in ("3", "5", "2"):
        page.get_by_role("radio", name=seats, exact=True).check()
        told = [pace_explained(pace, int(seats)) for pace in EXPECTED_DAYS]
        assert sentences_seen(page) == told


@pytest.mark.long
def test_a_table_is_made_without_typing_with_the_usual_time(anna: Any, browser_signed_in: Any) -> None:
    page = browser_signed_in(anna)
    page.goto("/tables/new/")
    assert page.get_by_label("Name of the table").input_value().startswith("Field of ")
    assert page.get_by_label("Daily").is_checked()
    assert not page.get_by_label("Missed turns in a row").is_visible()
    page.get_by_text("Hours that count, absence and pauses").click()
    page.get_by_label("Missed turns in a row").fill("2")
    page.get_by_role("button", name="Create the table").click()
    assert "24 hours per move, 3 days in reserve for the whole game" in page.inner_text("main")
    assert "After 2 missed turns in a row, a bot plays until the player is back." in page.inner_text("main")
