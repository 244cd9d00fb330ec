"""Moves and their one exact text form (RECORD.md, "Moves").

Every move except a shuffle exists once, so reading one is a dictionary look-up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal

from .board import REGIONS
from .cards import BISHOP, CARDS, FIRST_SPECIAL, NUMBER_OF, SCARECROW, Cards, names
from .errors import InvalidMove, quoted
from .options import SEATS

# The first words of each text form. A type checker refuses a comparison with any other word.
MoveKind = Literal["place", "play", "pass", "discard hand", "keep hand", "keep", "shuffle"]


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One move. Equal moves have equal texts; `str(move)` is the text.

    `from_seat` is the seat whose line a Scarecrow of 1995 takes from (R45). `reveals` says whether a pass
    turns your own card up (R38).

    The numbers are only for the rules: a card's or region's place in its canonical order.
    """

    text: str
    kind: MoveKind
    card_no: int | None = None
    region_no: int | None = None
    taken_no: int | None = None
    card_nos: Cards = ()
    from_seat: int | None = None
    reveals: bool = False

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Move) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def card(self) -> str | None:
        """The card played, or None."""
        return None if self.card_no is None else CARDS[self.card_no]

    @property
    def region(self) -> str | None:
        """The region to fight for, or where the Pope goes; None for `off` and for all other moves."""
        return None if self.region_no is None else REGIONS[self.region_no]

    @property
    def taken(self) -> str | None:
        """The Mercenary a Scarecrow takes back; None for `nothing` and for all other moves."""
        return None if self.taken_no is None else CARDS[self.taken_no]

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards kept (R18) or the pile from the top (`shuffle`); () for all other moves."""
        return names(self.card_nos)


SEATS_AT_MOST = range(max(SEATS))
BISHOP_ALONE = Move("play bishop", "play", BISHOP)  # how 1995 plays it (R43)


def _plays() -> Iterator[Move]:
    for card in range(len(CARDS)):
        if card == BISHOP:
            for region, name in enumerate(REGIONS):
                yield Move(f"play bishop {name}", "play", card, region)
            yield Move("play bishop off", "play", card)
            yield BISHOP_ALONE
        elif card == SCARECROW:
            for taken in range(FIRST_SPECIAL):
                take = f"play scarecrow {CARDS[taken]}"
                yield Move(take, "play", card, None, taken)
                for seat in SEATS_AT_MOST:
                    yield Move(f"{take} from {seat}", "play", card, None, taken, from_seat=seat)
            yield Move("play scarecrow nothing", "play", card)
        else:
            yield Move(f"play {CARDS[card]}", "play", card)


def _keeps() -> Iterator[Move]:
    yield Move("keep nothing", "keep")
    for count in (1, 2):
        for cards in combinations_with_replacement(range(len(CARDS)), count):
            yield Move(" ".join(("keep", *names(cards))), "keep", card_nos=cards)


PLACES: tuple[Move, ...] = tuple(
    Move(f"place {name}", "place", None, region) for region, name in enumerate(REGIONS)
)
PASS = Move("pass", "pass")
PASS_REVEAL = Move("pass reveal", "pass", reveals=True)
DISCARD_HAND = Move("discard hand", "discard hand")
KEEP_HAND = Move("keep hand", "keep hand")

INTERNED: dict[str, Move] = {
    move.text: move for move in (*PLACES, *_plays(), PASS, PASS_REVEAL, DISCARD_HAND, KEEP_HAND, *_keeps())
}


def parse_move(text: str) -> Move:
    """Return the move for this exact text. Raises InvalidMove, naming what cannot be read."""
    move = INTERNED.get(text)
    if move is not None:
        return move
    if text.startswith("shuffle "):
        return Move(text, "shuffle", card_nos=_pile(text))
    raise InvalidMove(_unreadable(text))


def _pile(text: str) -> Cards:
    try:
        return tuple([NUMBER_OF[name] for name in text.split(" ")[1:]])
    except KeyError as unknown:
        raise InvalidMove(f"unknown card {quoted(unknown.args[0])}") from None


def _unreadable(text: str) -> str:
    """Return an error that names the first word that fits no move."""
    verb, *words = text.split(" ")
    rest = " ".join(words)
    if verb == "place" and words:
        return f"unknown region {quoted(rest)}"
    named = words if verb == "keep" else words[:1] if verb == "play" else []
    for word in named:
        if word not in NUMBER_OF:
            return f"unknown card {quoted(word)}"
    if named == ["bishop"]:
        return f"a Bishop takes a region or `off`, not {quoted(rest[7:])}"
    if named == ["scarecrow"]:
        return f"a Scarecrow needs a Mercenary, perhaps `from` a seat, or `nothing`, not {quoted(rest[10:])}"
    return f"no such move: {quoted(text)}"
