"""Example battles for newcomers: on the title page, and in "The game in a minute"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.map.board import BoardView
from games.rulebook.example_players import example_names
from games.rules import line_strengths


@dataclass(frozen=True)
class ExampleLine:
    """One player's line as everyone sees it."""

    seat: int
    name: str
    cards: tuple[str, ...]
    total: int
    is_out: bool
    leads: bool


@dataclass(frozen=True)
class ExampleBattle:
    """A battle for Siena as a page shows it; the rules compute what each line counts."""

    cards: tuple[tuple[str, ...], ...]
    held: Mapping[str, int]
    passed: tuple[int, ...] = ()
    hand: tuple[str, ...] = ()  # from which the first player plays

    @property
    def names(self) -> tuple[str, ...]:
        return example_names(len(self.cards))

    @property
    def board(self) -> BoardView:
        return BoardView(control=self.held, battle="siena", names=self.names)

    @property
    def won(self) -> BoardView:
        """The map once the first player has won."""
        return BoardView(control={**self.held, "siena": 0}, names=self.names)

    @property
    def lines(self) -> list[ExampleLine]:
        totals = line_strengths(self.cards)
        rows = enumerate(zip(self.names, self.cards, totals, strict=True))
        return [
            ExampleLine(seat, name, cards, total, seat in self.passed, total == max(totals))
            for seat, (name, cards, total) in rows
        ]


IN_WINTER = ExampleBattle(
    cards=(("10", "6", "drummer"), ("5", "winter"), ("heroine", "4", "3")),
    held={"lucca": 0, "firenze": 0, "roma": 1, "spoleto": 1, "milano": 2, "parma": 2, "mantova": 2},
    passed=(2,),
)
IN_A_MINUTE = ExampleBattle(
    cards=(("6", "10"), ("5", "drummer"), ("4",)),
    held={"lucca": 0, "firenze": 0, "bologna": 0, "roma": 1, "spoleto": 1, "milano": 2, "mantova": 2},
    hand=("2", "5", "6", "10", "drummer", "scarecrow", "winter", "courtesan"),
)
