"""The rounds of a division as they were drawn."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class FirstDraw:
    """What the draw of the first round fixed for all rounds of a division."""

    away: tuple[int, ...]  # who was on holiday then, and sits together with others who were
    sized_for: int  # the number of rounds that the sizes of tables are chosen for


def first_draw(division: Division) -> FirstDraw | None:
    """Return what the first round's draw fixed; None before it. Old draws are sized for one round."""
    draw = division.rounds.filter(number=1).values_list("draw", flat=True).first()
    return draw and FirstDraw(tuple(draw.get("away", ())), draw.get("sized_for", 1))
