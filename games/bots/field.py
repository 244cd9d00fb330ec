"""A battle as it lies on the table, and what it will look like when one's own card is played.

Only the seat's own cards are ever played here: of the others nothing but sizes is known.
"""

from typing import NamedTuple

from games.rules import Observation, line_strengths

from .cards import MERCENARIES, SEASONS

Line = tuple[str, ...]


class Field(NamedTuple):
    """The lines, one's own hand, and who can still add cards to his line."""

    seat: int
    lines: tuple[Line, ...]
    totals: tuple[int, ...]
    hand: Line
    still_in: tuple[bool, ...]

    @property
    def total(self) -> int:
        """One's own strength."""
        return self.totals[self.seat]

    @property
    def others_in(self) -> int:
        """How many others may still act."""
        return sum(self.still_in) - self.still_in[self.seat]

    @property
    def season(self) -> str | None:
        """The season in play (R7)."""
        for line in self.lines:
            if "winter" in line:
                return "winter"
            if "spring" in line:
                return "spring"
        return None


def field_of(seen: Observation) -> Field:
    """The battle this seat is asked about."""
    assert seen.seat is not None
    still_in = tuple(
        [not passed and size > 0 for passed, size in zip(seen.passed, seen.hand_sizes, strict=True)]
    )
    return Field(seen.seat, seen.lines, seen.totals, seen.hand or (), still_in)


def with_card(field: Field, card: str, taken: str | None = None) -> Field:
    """The field when one has played this card, a Scarecrow taking back `taken` (R7, R8, R10)."""
    hand = _less(field.hand, card)
    if card == "scarecrow":
        lines = field.lines if taken is None else _own(field, _less(field.lines[field.seat], taken))
        hand = hand if taken is None else (*hand, taken)
    elif card == "bishop":
        lines = _without_highest(field.lines)
    else:
        lines = _own(field, (*field.lines[field.seat], card))
        if card in SEASONS:
            lines = _swept(lines, card)
    return field._replace(lines=lines, totals=line_strengths(lines), hand=hand)


def _own(field: Field, line: Line) -> tuple[Line, ...]:
    return (*field.lines[: field.seat], line, *field.lines[field.seat + 1 :])


def _less(cards: Line, card: str) -> Line:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def _swept(lines: tuple[Line, ...], season: str) -> tuple[Line, ...]:
    other = "spring" if season == "winter" else "winter"
    return tuple([tuple([card for card in line if card != other]) for line in lines])


def highest_mercenary(lines: tuple[Line, ...]) -> int:
    """The highest printed value that lies face up; 0 if there is none (R6, R8)."""
    return max([int(card) for line in lines for card in line if card in MERCENARIES], default=0)


def _without_highest(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    highest = str(highest_mercenary(lines))
    return tuple([tuple([card for card in line if card != highest]) for line in lines])
