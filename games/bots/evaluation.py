"""Evaluation of a battle for one seat.

What winning brings, what another's win costs, what cards cost now, and how likely a line of a given strength
wins.
"""

from math import exp, sqrt
from typing import NamedTuple

from games.bots.bot_profiles import BotProfile
from games.bots.cards import PRICES, mean_punch
from games.bots.field import Act, Field
from games.bots.regions import WON, brought, worths
from games.rules import Observation

# How far a hand's strength deviates from the average, per card.
_SPREAD = 3.0
_LEAST_SPREAD = 1.5
_STEEPNESS = 1.7  # makes a logistic curve approximate a normal one
# The price factor of cards when the game ends with this battle: they hardly matter.
_LAST_BATTLE_THRIFT = 0.02
# The factor when no one else has cards: this is the round's last battle.
_LAST_CARDS = 0.1
# What two cards kept from a round are worth compared with the rest of the hand (R18).
_KEPT = 0.2
# New cards after a battle with Draw After Battle (R25).
_DRAWN = 3
# The worth of the Condottiere token: its holder chooses the next region.
TOKEN = 2.5


class Punches(NamedTuple):
    """The average strength that a card of the others brings: any card, and a face-down card."""

    mean: float
    covered: float


class Evaluation(NamedTuple):
    """All values weighed in one decision of a battle, in points."""

    profile: BotProfile
    seen: Observation
    eagerness: tuple[float, ...]  # per seat, what winning is worth to it; to a defender, not losing
    brings: tuple[float, ...]  # per winner, what that brings the deciding seat
    thrift: float  # the current factor on a card's price
    fair: Punches
    wintry: Punches  # under a Winter


def evaluate(profile: BotProfile, seen: Observation) -> Evaluation:
    """Return what this battle is worth for the deciding seat. In a final battle it is the game (R21)."""
    denial = profile.denial(seen.players)
    if seen.battle is None:
        eagerness = tuple([WON if seat in seen.final_battle else 0.0 for seat in range(seen.players)])
        brings = tuple([WON if seat == seen.seat else -denial * WON for seat in range(seen.players)])
        thrift = _LAST_BATTLE_THRIFT
    else:
        eagerness = worths(seen, seen.battle)
        brings = brought(seen, seen.battle, eagerness, denial)
        thrift = _thrift(profile, seen)
    fair, wintry = [_punches(profile, seen, winter) for winter in (False, True)]
    return Evaluation(profile, seen, eagerness, brings, thrift, fair, wintry)


def _punches(profile: BotProfile, seen: Observation, winter: bool) -> Punches:
    covered = mean_punch(profile, seen, winter, covered=True) if any(seen.face_down) else 0.0
    return Punches(mean_punch(profile, seen, winter), covered)


def _thrift(profile: BotProfile, seen: Observation) -> float:
    """Return the factor on card prices now.

    Cards are worth saving while others have some to fight for the next regions with. At the end of the round
    all but two are lost (R18), in 1995 all (R46). With Draw After Battle there are no rounds: spent cards
    come back (R25).
    """
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat and size]
    if seen.options.draws_after_battle:
        return profile.table_thrift * (profile.spare_thrift if _limit_cuts_draw(seen) else 1.0)
    if not others:
        return _LAST_CARDS
    usual = profile.thrift if len(others) == 1 else profile.table_thrift
    saved = 0.0 if seen.options.is_1995 else _KEPT
    return usual * min(1.0, saved + max(others) / max(len(seen.hand or ()), 1))


def _limit_cuts_draw(seen: Observation) -> bool:
    """Return whether the hand limit cuts the seat's draw after this battle if it plays no card (R25)."""
    assert seen.seat is not None
    regions = sum([owner == seen.seat for _, owner in seen.control])
    limit = seen.options.hand_size + seen.options.cards_per_region * regions
    return len(seen.hand or ()) > limit - _DRAWN


def price(evaluation: Evaluation, field: Field, card: str) -> float:
    """Return what playing this card costs now.

    A Courtesan that brings the Condottiere token is cheaper by the token's worth (R14).
    """
    cost = PRICES[card] * evaluation.thrift
    if card == "courtesan" and not evaluation.seen.final_battle and _brings_token(field):
        cost -= TOKEN
    return cost


def act_price(evaluation: Evaluation, field: Field, act: Act) -> float:
    """Return what playing this card costs, minus the price of the Mercenary it brings into the hand."""
    cost = price(evaluation, field, act.card)
    return cost if act.taken is None else cost - price(evaluation, field, act.taken)


def _brings_token(field: Field) -> bool:
    counts = [line.count("courtesan") for line in field.lines]
    counts.pop(field.seat)
    return field.own_line.count("courtesan") == max(counts)


class Rival(NamedTuple):
    """How far another seat may be expected to go in this battle."""

    reach: float  # its average strength at the end
    spread: float  # how much that may deviate; 0 if nothing can change it any more
    brings: float  # what its victory brings the deciding seat


def rivals(evaluation: Evaluation, field: Field) -> tuple[Rival, ...]:
    """Return what to expect of all others in the current position."""
    others = [seat for seat in range(len(field.lines)) if seat != field.seat]
    return tuple([_rival(evaluation, field, seat) for seat in others])


def _rival(evaluation: Evaluation, field: Field, seat: int) -> Rival:
    """Return what to expect of one seat.

    A seat that is out keeps its strength, except for a card still face down. A seat that is still in spends
    part of its cards, and more of them to win the game.
    """
    current, brings = field.totals[seat], evaluation.brings[seat]
    covered = evaluation.seen.face_down[seat]
    if not (field.still_in[seat] or covered):
        return Rival(current, 0.0, brings)
    spent = _willing(evaluation, seat) * evaluation.seen.hand_sizes[seat] if field.still_in[seat] else 0.0
    punches = evaluation.wintry if field.season == "winter" else evaluation.fair
    more = spent * punches.mean + covered * punches.covered
    if "drummer" in field.lines[seat]:
        more *= 2
    return Rival(current + more, _LEAST_SPREAD + _SPREAD * sqrt(spent + covered), brings)


def _willing(evaluation: Evaluation, seat: int) -> float:
    """Return which part of its hand a seat is expected to spend."""
    profile = evaluation.profile
    return min(1.0, profile.foreseen + profile.urgency * min(1.0, evaluation.eagerness[seat] / WON))


def expected(own: float, against: tuple[Rival, ...], total: int) -> float:
    """Return the average gain of stopping at this strength, while the others go as far as expected.

    A tie takes nothing (R13), and leaves a region with its defender (R34).
    """
    chance, threat = 1.0, 0.0
    for reach, spread, brings in against:
        if spread:
            beaten = 1.0 / (1.0 + exp(_STEEPNESS * (reach - total) / spread))
            loses = 1.0 - beaten
        else:
            beaten, loses = float(total > reach), float(reach > total)
        chance *= beaten
        threat = min(threat, brings * loses)
    return chance * own + threat


def stopping(evaluation: Evaluation, field: Field) -> float:
    """Return the average gain of passing now."""
    return expected(evaluation.brings[field.seat], rivals(evaluation, field), field.total)


def settled(evaluation: Evaluation, field: Field) -> float:
    """Return the gain of comparing at once (R12)."""
    return stopping(evaluation, field.all_out())
