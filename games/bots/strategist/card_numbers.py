"""Cards and regions as small numbers: places in their canonical orders. A set of regions is a bit mask."""

from collections.abc import Iterable

from games.bots.cards import PRICES, punch
from games.rules import CARDS, MERCENARIES, REGIONS, SPEC_OF

Cards = tuple[int, ...]

NUMBER_OF = {name: number for number, name in enumerate(CARDS)}
REGION_NUMBER = {name: number for number, name in enumerate(REGIONS)}
ALL_REGIONS = (1 << len(REGIONS)) - 1
# Mercenaries come first in the canonical order: `card < FIRST_SPECIAL` tests for one.
FIRST_SPECIAL = len(MERCENARIES)
STRENGTHS = tuple([SPEC_OF[name].strength for name in CARDS])
GOES_FACE_DOWN = tuple([SPEC_OF[name].goes_face_down for name in CARDS])
# What a card often brings to its owner's line.
PUNCHES = tuple([punch([name]) for name in CARDS])
# What it costs to give up a card, in points.
CARD_PRICES = tuple([PRICES[name] for name in CARDS])
KEPT_AT_MOST = 2  # from one round to the next (R18)
COURTESAN, DRUMMER = NUMBER_OF["courtesan"], NUMBER_OF["drummer"]
SCARECROW, BISHOP = NUMBER_OF["scarecrow"], NUMBER_OF["bishop"]
WINTER, SPRING, SURRENDER = NUMBER_OF["winter"], NUMBER_OF["spring"], NUMBER_OF["surrender"]


def kept(hand: Cards) -> Cards:
    """Return the cards of a hand that are kept for the next round: the dearest (R18)."""
    return tuple(sorted(hand, key=lambda card: CARD_PRICES[card])[-KEPT_AT_MOST:])


def numbered(cards: Iterable[str]) -> Cards:
    """Return the numbers of these cards, in the order given."""
    return tuple([NUMBER_OF[card] for card in cards])
