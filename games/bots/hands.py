"""Between battles: whether to throw away a hand without Mercenaries, and what to keep from a round."""

from games.rules import Move, Observation

from .cards import FIGHTERS, PRICES, mean_price, mean_punch, punch
from .tempers import Temper

# A hand this much weaker than another's average one is thrown away.
_HOPELESS = 0.5


def hand_move(temper: Temper, seen: Observation) -> Move:
    """Keeps a hand that can still win a battle, throws away another (R17): with two seats left that ends the
    round, and the other's cards with it."""
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat and size]
    usual = mean_punch(temper, seen, winter=False)
    theirs = sum(others) / max(len(others), 1) * usual
    wanted = "keep hand" if _winning(seen, usual) >= _HOPELESS * theirs else "discard hand"
    return next(move for move in seen.legal if move.kind == wanted)


def _winning(seen: Observation, usual: float) -> float:
    """What the hand can win a battle with: Heroines and Courtesans, and in 1995 what Scarecrows take from the
    others (R45), reckoned as usual cards."""
    hand = seen.hand or ()
    taken = usual * hand.count("scarecrow") if seen.options.is_1995 else 0.0
    return taken + punch([card for card in hand if card in FIGHTERS])


def keep_move(temper: Temper, seen: Observation) -> Move:
    """Keeps what is better than a fresh card (R18)."""
    usual = mean_price(seen.options)
    return max(seen.legal, key=lambda move: sum([PRICES[card] - usual for card in move.cards]))
