"""The cards: small numbers inside the rules, the record's words outside.

A card's number is its place in the canonical order, so sorted numbers are cards in canonical order.
"""

from collections.abc import Iterable

Cards = tuple[int, ...]

CARDS: tuple[str, ...] = (
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "10",
    "courtesan",
    "heroine",
    "drummer",
    "scarecrow",
    "bishop",
    "winter",
    "spring",
    "surrender",
)
NUMBER_OF: dict[str, int] = {name: number for number, name in enumerate(CARDS)}

COURTESAN, HEROINE, DRUMMER, SCARECROW, BISHOP, WINTER, SPRING, SURRENDER = range(7, 15)

# Mercenaries come first in the canonical order: `card < COURTESAN` tests for one, and a higher number
# means a higher printed value. Heroine and Courtesan have a strength but are not Mercenaries (R17).
PRINTED_VALUE: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 10)


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
