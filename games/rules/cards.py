"""The cards: what each one is. Small numbers inside the rules, the record's words outside.

A card's number is its place in the canonical order, so sorted numbers are cards in canonical order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Cards = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSpec:
    """What a card is; effects.py says what playing it does.

    `strength` is what it adds to its line (R6): for a Mercenary its printed value, 0 for most special cards.
    """

    name: str  # in records
    kind: Literal["mercenary", "season", "special"]
    copies: Mapping[str, int]  # in the deck of each edition
    strength: int = 0
    goes_face_down: bool = False  # with Hidden Cards (R37)

    @property
    def is_mercenary(self) -> bool:
        """Whether it is a Mercenary; Heroine and Courtesan have a strength but are none (R17)."""
        return self.kind == "mercenary"


def _mercenary(value: int, copies: Mapping[str, int]) -> CardSpec:
    return CardSpec(name=str(value), kind="mercenary", copies=copies, strength=value, goes_face_down=True)


# In canonical order: Mercenaries first, by printed value. A new card goes last, so that no number changes.
CARD_SPECS: tuple[CardSpec, ...] = (
    _mercenary(1, {"2007": 10, "1995": 15}),
    _mercenary(2, {"2007": 8, "1995": 8}),
    _mercenary(3, {"2007": 8, "1995": 8}),
    _mercenary(4, {"2007": 8, "1995": 8}),
    _mercenary(5, {"2007": 8, "1995": 8}),
    _mercenary(6, {"2007": 8, "1995": 8}),
    _mercenary(10, {"2007": 8, "1995": 8}),
    CardSpec(name="courtesan", kind="special", copies={"2007": 12}, strength=1, goes_face_down=True),
    CardSpec(name="heroine", kind="special", copies={"2007": 3, "1995": 3}, strength=10, goes_face_down=True),
    CardSpec(name="drummer", kind="special", copies={"2007": 6, "1995": 6}, goes_face_down=True),
    CardSpec(name="scarecrow", kind="special", copies={"2007": 16, "1995": 15}),
    CardSpec(name="bishop", kind="special", copies={"2007": 6, "1995": 3}),
    CardSpec(name="winter", kind="season", copies={"2007": 3, "1995": 3}),
    CardSpec(name="spring", kind="season", copies={"2007": 3}),
    CardSpec(name="surrender", kind="special", copies={"2007": 3, "1995": 3}),
)

# By name, for everything outside the rules.
SPEC_OF: Mapping[str, CardSpec] = {spec.name: spec for spec in CARD_SPECS}
CARDS: tuple[str, ...] = tuple(SPEC_OF)
MERCENARIES = frozenset([spec.name for spec in CARD_SPECS if spec.is_mercenary])
SEASONS = frozenset([spec.name for spec in CARD_SPECS if spec.kind == "season"])

# By number, for the rules: looked up for every move of every game that is replayed.
NUMBER_OF: dict[str, int] = {name: number for number, name in enumerate(CARDS)}
STRENGTHS: tuple[int, ...] = tuple([spec.strength for spec in CARD_SPECS])
GOES_FACE_DOWN: tuple[bool, ...] = tuple([spec.goes_face_down for spec in CARD_SPECS])
# `card < FIRST_SPECIAL` tests for a Mercenary; of two Mercenaries the higher number has the higher value.
FIRST_SPECIAL = len(MERCENARIES)
COURTESAN, DRUMMER = NUMBER_OF["courtesan"], NUMBER_OF["drummer"]
SCARECROW, BISHOP = NUMBER_OF["scarecrow"], NUMBER_OF["bishop"]
WINTER, SPRING, SURRENDER = NUMBER_OF["winter"], NUMBER_OF["spring"], NUMBER_OF["surrender"]


def deck_of(edition: str) -> Cards:
    """Return the deck of an edition in canonical order."""
    return tuple(
        [number for number, spec in enumerate(CARD_SPECS) for _ in range(spec.copies.get(edition, 0))]
    )


def copies_in(edition: str) -> Mapping[str, int]:
    """Return how many copies of each card an edition has, by name in canonical order."""
    return {spec.name: spec.copies[edition] for spec in CARD_SPECS if edition in spec.copies}


def names(cards: Iterable[int]) -> tuple[str, ...]:
    """Return the record's words for these cards, in the order given."""
    return tuple([CARDS[card] for card in cards])


def without(cards: Cards, card: int) -> Cards:
    """Return the cards without the first copy of this one, in the same order."""
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def merged(*groups: Cards) -> Cards:
    """Return all cards of these groups in canonical order."""
    return tuple(sorted([card for group in groups for card in group]))
