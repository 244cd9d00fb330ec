"""The pictures of "The game in a minute": a hand, one battle for a region, and a won game."""

from __future__ import annotations

from dataclasses import dataclass

from games.map.board import BoardView
from games.narration.vocabulary import example_names
from games.rules import line_strengths

HAND = ("2", "5", "6", "10", "drummer", "scarecrow", "winter", "courtesan")
LINES = (("6", "10"), ("5", "drummer"), ("4",))
HELD = {"lucca": 0, "firenze": 0, "bologna": 0, "roma": 1, "spoleto": 1, "milano": 2, "mantova": 2}


@dataclass(frozen=True)
class MinuteLine:
    """A player's line in the battle of the pictures."""

    seat: int
    name: str
    cards: tuple[str, ...]
    total: int
    leads: bool


class Minute:
    """What the page draws; the rules compute the strengths."""

    hand = HAND

    @property
    def chosen(self) -> BoardView:
        return BoardView(control=HELD, battle="siena", names=example_names(len(LINES)))

    @property
    def won(self) -> BoardView:
        return BoardView(control={**HELD, "siena": 0}, names=example_names(len(LINES)))

    @property
    def lines(self) -> list[MinuteLine]:
        totals = line_strengths(LINES)
        rows = zip(example_names(len(LINES)), LINES, totals, strict=True)
        return [
            MinuteLine(seat, name, cards, total, total == max(totals))
            for seat, (name, cards, total) in enumerate(rows)
        ]
