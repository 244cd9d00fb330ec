"""The current battle, and what it would look like after playing one of your own cards.

Only the seat's own cards are ever played here: of the others only hand sizes are known.
"""

from typing import NamedTuple

from games.rules import MERCENARIES, SEASONS, SPEC_OF, Observation, Options, line_strengths

Line = tuple[str, ...]


class Act(NamedTuple):
    """Your own card to play; a Scarecrow also has the Mercenary it takes and (1995) its line's seat."""

    card: str
    taken: str | None = None
    owner: int | None = None

    @property
    def text(self) -> str:
        """The move's text, without the place where a Bishop sends the Pope."""
        if self.card != "scarecrow":
            return f"play {self.card}"
        whose = "" if self.owner is None else f" from {self.owner}"
        return f"play scarecrow {self.taken or 'nothing'}{whose}"


class Field(NamedTuple):
    """The lines, your own hand, and which seats can still add cards to their line."""

    seat: int
    options: Options
    lines: tuple[Line, ...]  # face up
    down: str | None  # your own face-down card (R37)
    totals: tuple[int, ...]  # of face-up cards; your own also counts your face-down card
    hand: Line
    still_in: tuple[bool, ...]

    @property
    def own_line(self) -> Line:
        """Your own line, including the face-down card."""
        return _joined(self.lines, self.seat, self.down)[self.seat]

    @property
    def total(self) -> int:
        """Your own strength."""
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

    @property
    def highest(self) -> int:
        """The highest printed value that you know to be in the lines (R6)."""
        return highest_mercenary((*self.lines, self.own_line))

    def all_out(self) -> "Field":
        """Return the same battle after everyone has passed."""
        return self._replace(still_in=(False,) * len(self.lines))


def field_of(seen: Observation) -> Field:
    """Return the battle in which this seat must decide."""
    assert seen.seat is not None
    still_in = tuple(
        [not passed and size > 0 for passed, size in zip(seen.passed, seen.hand_sizes, strict=True)]
    )
    field = Field(seen.seat, seen.options, seen.lines, None, seen.totals, seen.hand or (), still_in)
    return _laid(field, field.hand, seen.lines, seen.own_face_down)


def with_card(field: Field, act: Act) -> Field:
    """Return the battle after playing this card (R7, R8, R10, R45).

    Its effect comes before your own earlier card is turned up. So that card is safe from it (R37).
    """
    hand = _less(field.hand, act.card)
    lines, down = field.lines, None
    if act.card == "scarecrow":
        if act.taken is not None:
            owner = field.seat if act.owner is None else act.owner
            lines = _changed(lines, owner, _less(lines[owner], act.taken))
            hand = (*hand, act.taken)
    elif act.card == "bishop":
        lines = _without_highest(lines)
    elif field.options.hides_cards and SPEC_OF[act.card].goes_face_down:
        down = act.card
    else:
        lines = _joined(_swept(lines, act.card), field.seat, act.card)
    return _laid(field, hand, _joined(lines, field.seat, field.down), down)


def _laid(field: Field, hand: Line, lines: tuple[Line, ...], down: str | None) -> Field:
    known = lines if down is None else _joined(lines, field.seat, down)
    return field._replace(hand=hand, lines=lines, down=down, totals=line_strengths(known))


def _joined(lines: tuple[Line, ...], seat: int, card: str | None) -> tuple[Line, ...]:
    return lines if card is None else _changed(lines, seat, (*lines[seat], card))


def _changed(lines: tuple[Line, ...], seat: int, line: Line) -> tuple[Line, ...]:
    return (*lines[:seat], line, *lines[seat + 1 :])


def _less(cards: Line, card: str) -> Line:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def _swept(lines: tuple[Line, ...], card: str) -> tuple[Line, ...]:
    """Remove the other season when a season is played (R7)."""
    if card not in SEASONS:
        return lines
    other = "spring" if card == "winter" else "winter"
    return tuple([tuple([card for card in line if card != other]) for line in lines])


def highest_mercenary(lines: tuple[Line, ...]) -> int:
    """Return the highest printed value in these lines; 0 if there is none (R6, R8)."""
    return max([int(card) for line in lines for card in line if card in MERCENARIES], default=0)


def _without_highest(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    highest = str(highest_mercenary(lines))
    return tuple([tuple([card for card in line if card != highest]) for line in lines])
