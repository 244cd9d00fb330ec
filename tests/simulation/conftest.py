"""Small worlds that were lived to their end in the test's own database."""

from collections.abc import Callable
from typing import Any

import pytest

from games.simulation.report import Figures
from games.simulation.world import Club, Plan


@pytest.fixture
def lived(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Club, Figures]]:
    """A club whose games are over; `shares` make its people other than they usually are."""
    from games.simulation import people

    def live(*, tables: int = 1, shares: dict[str, int] | None = None, **plan: Any) -> tuple[Club, Figures]:
        for what, share in (shares or {}).items():
            assert what in people.SHARES
            monkeypatch.setitem(people.SHARES, what, share)
        club = Club(Plan(**{"players": 3, "pace": "hours", "seed": 1, "looked_into": 0.2} | plan), 0, tables)
        return club, club.lived()

    return live
