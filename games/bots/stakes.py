"""What a battle is about for one seat: what winning it brings, what another's winning costs, what cards cost
now, and how likely a line of so much strength wins.
"""

from math import exp, sqrt
from typing import NamedTuple

from games.rules import Observation

from .cards import PRICES, mean_punch
from .field import Field
from .regions import WON, worth
from .tempers import Temper

# How far a hand's strength strays from the average, per card.
_SPREAD = 3.0
_LEAST_SPREAD = 1.5
_STEEPNESS = 1.7  # makes a logistic curve of a normal one
# Cards hardly matter when the game ends with this battle.
_LAST_BATTLE_THRIFT = 0.02
# Choosing the next region is worth something to whoever holds the Condottiere.
TOKEN = 2.5


class Stakes(NamedTuple):
    """All that is weighed in one decision of a battle, in points."""

    temper: Temper
    seen: Observation
    gains: tuple[float, ...]  # per seat what it gains by winning
    denial: float  # how much of another's gain is one's own loss
    thrift: float  # what a card's price is multiplied by now
    fair_punch: float  # what a card of the others brings on average
    winter_punch: float  # and under a Winter


def stakes_of(temper: Temper, seen: Observation) -> Stakes:
    """What this battle is about for the seat that is asked. In a final battle it is the game (R21)."""
    if seen.battle is None:
        gains = tuple([WON if seat in seen.final_battle else 0.0 for seat in range(seen.players)])
        thrift = _LAST_BATTLE_THRIFT
    else:
        gains = tuple([worth(seen, seat, seen.battle) for seat in range(seen.players)])
        thrift = _thrift(temper, seen)
    fair, winter = [mean_punch(temper, seen, winter=season) for season in (False, True)]
    return Stakes(temper, seen, gains, temper.denial(seen.players), thrift, fair, winter)


def _thrift(temper: Temper, seen: Observation) -> float:
    """Cards are worth saving while others have some to fight for the next regions with: at the end of the
    round all but two are lost (R18)."""
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat and size]
    if not others:
        return 0.1
    mine = len(seen.hand or ())
    usual = temper.thrift if len(others) == 1 else temper.table_thrift
    return usual * min(1.0, 0.2 + max(others) / max(mine, 1))


def price(stakes: Stakes, field: Field, card: str) -> float:
    """What playing this card costs now. A Courtesan that brings the Condottiere is cheaper by that (R14)."""
    cost = PRICES[card] * stakes.thrift
    if card == "courtesan" and not stakes.seen.final_battle and _brings_token(field):
        cost -= TOKEN
    return cost


def _brings_token(field: Field) -> bool:
    counts = [line.count("courtesan") for line in field.lines]
    mine = counts.pop(field.seat)
    return mine == max(counts)


def settled(stakes: Stakes, field: Field) -> float:
    """What it brings when the battle is compared as it lies: one's gain, or the loss by another's (R13)."""
    best = max(field.totals)
    if field.totals.count(best) > 1:
        return 0.0
    winner = field.totals.index(best)
    gain = stakes.gains[winner]
    return gain if winner == field.seat else -stakes.denial * gain


class Rival(NamedTuple):
    """How far another seat may be expected to go in this battle."""

    reach: float  # its strength in the end, on average
    spread: float  # how much that may stray; 0 if nothing can change it any more
    gain: float


def rivals(stakes: Stakes, field: Field) -> tuple[Rival, ...]:
    """What is to be expected of all others, as the field lies."""
    others = [seat for seat in range(len(field.lines)) if seat != field.seat]
    return tuple([_rival(stakes, field, seat) for seat in others])


def _rival(stakes: Stakes, field: Field, seat: int) -> Rival:
    """Who is out stays where he is; who is not spends part of his cards, more of them to win the game."""
    current, gain = field.totals[seat], stakes.gains[seat]
    if not field.still_in[seat]:
        return Rival(current, 0.0, gain)
    temper = stakes.temper
    willing = min(1.0, temper.foreseen + temper.urgency * min(1.0, gain / WON))
    spent = willing * stakes.seen.hand_sizes[seat]
    per_card = stakes.winter_punch if field.season == "winter" else stakes.fair_punch
    if "drummer" in field.lines[seat]:
        per_card *= 2
    return Rival(current + spent * per_card, _LEAST_SPREAD + _SPREAD * sqrt(spent), gain)


def expected(stakes: Stakes, own_gain: float, against: tuple[Rival, ...], total: int) -> float:
    """What it brings on average to stop at this strength, while the others go on as far as expected."""
    chance, threat = 1.0, 0.0
    for reach, spread, gain in against:
        if spread:
            beaten = 1.0 / (1.0 + exp(_STEEPNESS * (reach - total) / spread))
        else:
            beaten = 1.0 if total > reach else 0.0
        chance *= beaten
        threat = max(threat, gain * (1.0 - beaten))
    return chance * own_gain - stakes.denial * threat


def stopping(stakes: Stakes, field: Field) -> float:
    """What it brings on average to pass now."""
    return expected(stakes, stakes.gains[field.seat], rivals(stakes, field), field.total)
