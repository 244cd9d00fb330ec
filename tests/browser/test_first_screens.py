"""On a phone, the decision, the strengths of all players and the first cards of the hand are on one screen.

Someone who comes back to a game between two emails sees at once what they decide, and on what.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.first_screens import WINDOW, FirstScreen, begin, screens
from tests.browser.practice_games import deal_always

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

SHUFFLES = "By phone 1"
SHARE = 20 / 22


def told(rows: list[FirstScreen]) -> str:
    """Return the rows as a table, for people."""
    return "\n".join(["", "decision totals hand top  opens so, from the top, state", *map(str, rows)])


@pytest.mark.parametrize("states", [4, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("comes", ["after a move", "by an email's link"])
def test_what_a_decision_needs_is_on_one_screen(
    open_browser: Open, monkeypatch: pytest.MonkeyPatch, anna: Any, comes: str, states: int
) -> None:
    deal_always(monkeypatch, SHUFFLES)
    page: Any = open_browser(anna, viewport=WINDOW)
    begin(page, opponents=2)
    if comes == "after a move":
        rows = list(islice(screens(page), states))
    else:
        rows = list(islice(screens(open_browser(viewport=WINDOW), reader=anna), states))
    assert len(rows) >= min(states, 22)
    assert sum(row.fits for row in rows) >= SHARE * len(rows), told(rows)
