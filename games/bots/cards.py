"""The worth of cards: the price of a card in the hand, and the average worth of unseen cards."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from games.bots.bot_profiles import BotProfile
from games.rules import MERCENARIES, SPEC_OF, Observation, Options

# Cards with a strength; all others only have an effect.
FIGHTERS = frozenset([card for card, spec in SPEC_OF.items() if spec.strength])

# What it costs to give up a card, in points. Small Mercenaries are cheap: alone they don't win.
_USUAL_PRICE = 3.5
_PRICES = {
    "1": 0.6,
    "2": 1.4,
    "3": 2.2,
    "4": 3.0,
    "5": 3.8,
    "6": 4.6,
    "10": 7.5,
    "courtesan": 1.5,
    "heroine": 9.0,
    "drummer": 5.0,
    "scarecrow": 1.2,
    "winter": 4.0,
    "spring": 3.0,
}
# What an unseen card without strength often brings to its owner's line.
_USUAL_PUNCH = 2.0
_PUNCHES = {"drummer": 5.0, "scarecrow": 0.0, "bishop": 4.0}

PRICES: Mapping[str, float] = {card: _PRICES.get(card, _USUAL_PRICE) for card in SPEC_OF}
_PUNCH: dict[str, float] = {
    card: float(spec.strength) or _PUNCHES.get(card, _USUAL_PUNCH) for card, spec in SPEC_OF.items()
}


_WINTRY_PUNCH: Mapping[str, float] = _PUNCH | dict.fromkeys(MERCENARIES, 1.0)


def mean_punch(profile: BotProfile, seen: Observation, winter: bool, covered: bool = False) -> float:
    """Return the average strength that a card of the others brings; `covered` means a face-down card.

    A bot that counts cards leaves out those it has seen.
    """
    count, strength = _of_deck(seen.options, winter, covered)
    if profile.counts_cards:
        own = () if seen.own_face_down is None else (seen.own_face_down,)
        groups = (seen.hand or (), own, seen.discards, *seen.lines)
        gone = [card for group in groups for card in group if not covered or SPEC_OF[card].goes_face_down]
        count -= len(gone)
        strength -= _strength(gone, winter)
    return strength / count if count else 0.0


@lru_cache(maxsize=256)
def _of_deck(options: Options, winter: bool, covered: bool) -> tuple[int, float]:
    """Return how many cards the deck has, or how many that go face down, and what they bring together."""
    cards = [
        card
        for card, copies in options.copies.items()
        for _copy in range(copies)
        if not covered or SPEC_OF[card].goes_face_down
    ]
    return len(cards), _strength(cards, winter)


def _strength(cards: Iterable[str], winter: bool) -> float:
    punches = _WINTRY_PUNCH if winter else _PUNCH
    return sum([punches[card] for card in cards])


def mean_price(options: Options) -> float:
    """Return the average worth of a card dealt from a fresh deck, in points."""
    return sum([PRICES[card] * of for card, of in options.copies.items()]) / len(options.deck)


def punch(cards: Iterable[str]) -> float:
    """Return roughly what these cards could add to a line."""
    return sum([_PUNCH[card] for card in cards])
