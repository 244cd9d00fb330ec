"""The rounds of a division as they were drawn."""

from __future__ import annotations

from games.leagues.models import Division
from games.leagues.seating import Seated


def seated_rounds(division: Division) -> dict[int, Seated]:
    """Return the drawn rounds, by number, each as it was drawn."""
    draws = division.rounds.values_list("number", "draw")
    return {
        number: Seated(tuple([tuple(table) for table in draw["tables"]]), tuple(draw["byes"]))
        for number, draw in draws
        if draw is not None
    }
