"""How the people of the journeys choose. Each answer hangs only on what the same person was offered before,
so that the shuffles alone decide how a game goes. Sees nothing but what a page or an email offers.
"""

import random
from collections import Counter
from collections.abc import Sequence

from games.rules import CARDS

# Regions in an order in which most border on one before them, so that someone soon has a connected group.
ROUTE = [
    "torino",
    "milano",
    "genova",
    "parma",
    "modena",
    "mantova",
    "venezia",
    "ferrara",
    "bologna",
    "firenze",
    "lucca",
    "siena",
    "urbino",
    "spoleto",
    "roma",
    "ancona",
    "napoli",
]
APPETITE = 0.5  # how often someone who could pass plays a card instead


class Tactician:
    """One person's tactics."""

    def __init__(self) -> None:
        self._offers: Counter[str] = Counter()

    def chosen(self, offered: Sequence[str]) -> str:
        """Choose one of the offered moves, or of the beginnings of moves with a second step."""
        offer = " ".join(sorted(offered))
        self._offers[offer] += 1
        lot = random.Random(f"{self._offers[offer]} {offer}")
        places = {text.removeprefix("place "): text for text in offered if text.startswith("place ")}
        if places:
            return next(places[region] for region in ROUTE if region in places)
        plays = sorted(text for text in offered if text.startswith("play "))
        if plays and lot.random() < APPETITE:
            return lot.choice(_most_wanted(plays))
        if "pass" in offered:
            return "pass"
        keeps = [text for text in offered if text.startswith("keep ") and text != "keep hand"]
        return "keep " + " ".join(kept(keeps)) if keeps else lot.choice(sorted(offered))


def _most_wanted(plays: Sequence[str]) -> Sequence[str]:
    """Play Mercenaries first, so that hands without one come about (R17); special cards before them."""
    errands = [text for text in plays if text in ("play bishop", "play scarecrow")]
    mercenaries = [text for text in plays if text.split()[1].isdigit()]
    return errands or mercenaries or plays


def kept(keeps: Sequence[str]) -> list[str]:
    """The cards to keep at the end of a round (R18): two if one can, and the first in canonical order."""
    hands = [text.split()[1:] for text in keeps if text != "keep nothing"]
    most = max(len(hand) for hand in hands)
    return min(
        (hand for hand in hands if len(hand) == most), key=lambda hand: [CARDS.index(card) for card in hand]
    )
