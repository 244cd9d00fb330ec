"""An example battle for newcomers: three lines in Winter. The rules compute what each counts."""

from __future__ import annotations

from dataclasses import dataclass

from games.map.board import BoardView
from games.narration.vocabulary import example_names
from games.rules import line_strengths

LINES = (("10", "6", "drummer"), ("5", "winter"), ("heroine", "4", "3"))
HAS_PASSED = (False, False, True)
HELD = {"lucca": 0, "firenze": 0, "roma": 1, "spoleto": 1, "milano": 2, "parma": 2, "mantova": 2}


@dataclass(frozen=True)
class ExampleLine:
    """One player's line as everyone sees it."""

    seat: int
    name: str
    cards: tuple[str, ...]
    total: int
    is_out: bool
    leads: bool


class ExampleBattle:
    """The battle for Siena as a page shows it."""

    @property
    def names(self) -> tuple[str, ...]:
        return example_names(len(LINES))

    @property
    def board(self) -> BoardView:
        return BoardView(control=HELD, battle="siena", names=self.names)

    @property
    def lines(self) -> list[ExampleLine]:
        totals = line_strengths(LINES)
        return [
            ExampleLine(seat, name, cards, total, is_out, total == max(totals))
            for seat, (name, cards, total, is_out) in enumerate(
                zip(self.names, LINES, totals, HAS_PASSED, strict=True)
            )
        ]
