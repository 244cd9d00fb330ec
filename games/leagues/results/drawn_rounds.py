"""The rounds of a division as they were drawn."""

from __future__ import annotations

from games.leagues.models import Division
from games.leagues.seating import Seated


def seated_rounds(division: Division) -> dict[int, Seated]:
    """Return the drawn rounds but the final, by number, each as it was drawn."""
    draws = division.rounds.filter(is_final=False).values_list("number", "draw")
    return {
        number: Seated(tuple([tuple(table) for table in draw["tables"]]), tuple(draw["byes"]))
        for number, draw in draws
        if draw is not None
    }


def away_at_start(division: Division) -> list[int]:
    """Return who was away when the first round was drawn, and is seated together with others who were."""
    draw = division.rounds.filter(number=1).values_list("draw", flat=True).first()
    return list((draw or {}).get("away", ()))
