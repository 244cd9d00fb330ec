"""The worth of cards: the price of a card in the hand, and the average worth of unseen cards."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from games.bots.bot_profiles import Temper
from games.rules import CARDS, Move, Observation, Options

MERCENARIES = frozenset({"1", "2", "3", "4", "5", "6", "10"})
SEASONS = frozenset({"winter", "spring"})
# Cards with a strength; all others only have an effect.
FIGHTERS = MERCENARIES | {"heroine", "courtesan"}
# Cards that are played face down with Hidden Cards (R37).
COVERED = FIGHTERS | {"drummer"}

# What it costs to give up a card, in points. Small Mercenaries are cheap: alone they don't win.
PRICES: Mapping[str, float] = MappingProxyType(
    {
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
        "bishop": 3.5,
        "winter": 4.0,
        "spring": 3.0,
        "surrender": 3.5,
    }
)
# What an unseen card may add to its owner's line. Special cards count what they often bring.
_PUNCH: Mapping[str, float] = MappingProxyType(
    {
        **{card: float(card) for card in sorted(MERCENARIES)},
        "courtesan": 1.0,
        "heroine": 10.0,
        "drummer": 5.0,
        "scarecrow": 0.0,
        "bishop": 4.0,
        "winter": 2.0,
        "spring": 2.0,
        "surrender": 2.0,
    }
)


@lru_cache(maxsize=64)
def _deck(options: Options) -> Mapping[str, int]:
    return MappingProxyType(Counter(CARDS[number] for number in options.deck))


@lru_cache(maxsize=256)
def _seen_nothing(options: Options, winter: bool, covered: bool) -> float:
    return _mean_punch(_deck(options), winter, covered)


def mean_punch(temper: Temper, seen: Observation, winter: bool, covered: bool = False) -> float:
    """Return the average strength that a card of the others brings; `covered` means a face-down card.

    A bot that counts cards leaves out those it has seen.
    """
    if not temper.counts_cards:
        return _seen_nothing(seen.options, winter, covered)
    unseen = Counter(_deck(seen.options))
    own = () if seen.own_face_down is None else (seen.own_face_down,)
    for group in (seen.hand or (), own, seen.discards, *seen.lines):
        unseen.subtract(group)
    return _mean_punch(unseen, winter, covered)


def _mean_punch(cards: Mapping[str, int], winter: bool, covered: bool) -> float:
    counted = {card: of for card, of in cards.items() if card in COVERED or not covered}
    count = sum(counted.values())
    punch = sum(
        [(1.0 if winter and card in MERCENARIES else _PUNCH[card]) * of for card, of in counted.items()]
    )
    return punch / count if count else 0.0


def mean_price(options: Options) -> float:
    """Return the average worth of a card dealt from a fresh deck, in points."""
    deck = _deck(options)
    return sum([PRICES[card] * of for card, of in deck.items()]) / sum(deck.values())


def punch(cards: Iterable[str]) -> float:
    """Return roughly what these cards could add to a line."""
    return sum([_PUNCH[card] for card in cards])


# Discarding and keeping cards between battles


# A hand below this share of the others' average strength is discarded.
_HOPELESS = 0.5


def hand_move(temper: Temper, seen: Observation) -> Move:
    """Keep a hand that can still win a battle, discard any other (R17).

    With two seats left a discard ends the round, and the other player's cards go with it.
    """
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat and size]
    usual = mean_punch(temper, seen, winter=False)
    theirs = sum(others) / max(len(others), 1) * usual
    wanted = "keep hand" if _winning(seen, usual) >= _HOPELESS * theirs else "discard hand"
    return next(move for move in seen.legal if move.kind == wanted)


def _winning(seen: Observation, usual: float) -> float:
    """Return the strength with which the hand can win a battle.

    It counts Heroines and Courtesans. In 1995 it also counts what Scarecrows take from the others (R45), as
    average cards.
    """
    hand = seen.hand or ()
    taken = usual * hand.count("scarecrow") if seen.options.is_1995 else 0.0
    return taken + punch([card for card in hand if card in FIGHTERS])


def keep_move(temper: Temper, seen: Observation) -> Move:
    """Keep the cards that are worth more than a fresh card (R18)."""
    usual = mean_price(seen.options)
    return max(seen.legal, key=lambda move: sum([PRICES[card] - usual for card in move.cards]))
