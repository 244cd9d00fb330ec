"""Small worlds that were lived to their end in the test's own database."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.simulation.games.report import Figures
from tests.simulation.games.world import Club, Plan

_of_usual_people: dict[str, Any] = {}


@pytest.fixture
def lived(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Club, Figures]]:
    """A club whose games are over; `shares` make its people other than they usually are."""
    from tests.simulation.games import people

    def live(*, tables: int = 1, shares: dict[str, int] | None = None, **plan: Any) -> tuple[Club, Figures]:
        for what, share in (shares or {}).items():
            assert what in people.SHARES
            monkeypatch.setitem(people.SHARES, what, share)
        club = Club(Plan(**{"players": 3, "pace": "hours", "seed": 1, "looked_into": 0.2} | plan), 0, tables)
        return club, club.lived()

    return live


@pytest.fixture
def usual(lived: Callable[..., tuple[Club, Figures]]) -> Figures:
    """The figures of one game of usual people, which is lived once in each process."""
    if not _of_usual_people:
        _club, figures = lived()
        _of_usual_people.update(figures.as_json())
    return Figures.from_json(deepcopy(_of_usual_people))
