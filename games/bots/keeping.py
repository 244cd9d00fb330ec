"""Which cards a bot discards and keeps between battles."""

from games.bots.bot_profiles import BotProfile
from games.bots.cards import FIGHTERS, PRICES, mean_price, mean_punch, punch
from games.rules import Move, Observation

# A hand below this share of the others' average strength is discarded.
_HOPELESS = 0.5


def hand_move(profile: BotProfile, seen: Observation) -> Move:
    """Keep a hand that can still win a battle, discard any other (R17).

    With two seats left a discard ends the round, and the other player's cards go with it.
    """
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat and size]
    usual = mean_punch(profile, seen, winter=False)
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


def keep_move(profile: BotProfile, seen: Observation) -> Move:
    """Keep the cards that are worth more than a fresh card (R18)."""
    usual = mean_price(seen.options)
    return max(seen.legal, key=lambda move: sum([PRICES[card] - usual for card in move.cards]))
