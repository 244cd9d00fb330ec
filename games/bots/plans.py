"""Plans of a bot: which cards to spend for strength, where to fight and where to send the Pope."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from games.bots.bot_profiles import BotProfile
from games.bots.cards import FIGHTERS, mean_punch, punch
from games.bots.evaluation import Evaluation, act_price, expected, price, rivals, stopping
from games.bots.field import Act, Field, highest_mercenary, with_card
from games.bots.regions import brought, worths
from games.rules import MERCENARIES, SPEC_OF, SPRING_BONUS, Move, Observation

_SCHEMERS = ("bishop", "scarecrow", "winter", "spring", "drummer")
# More strength than this makes no difference; the limit keeps the lookup tables small.
_ENOUGH = 60


class Offer(NamedTuple):
    """Fighters of the hand, the strength they add together, and their price."""

    strength: int
    price: float
    fighters: tuple[str, ...]


class Plan(NamedTuple):
    """Cards to play in this battle, and their expected gain minus their price."""

    value: float
    scheme: tuple[Act, ...]
    fighters: tuple[str, ...]


def best_plan(evaluation: Evaluation, field: Field) -> Plan:
    """Return the plan with the highest expected gain; the empty plan, a pass, is one of them."""
    best = Plan(stopping(evaluation, field), (), ())
    own = evaluation.brings[field.seat]
    for scheme, cost, after in _schemes(evaluation, field):
        against = rivals(evaluation, after)
        for strength, paid, fighters in _offers(evaluation, after):
            value = expected(own, against, after.total + strength) - cost - paid
            if value > best.value:
                best = Plan(value, scheme, fighters)
    return best


def _schemes(evaluation: Evaluation, field: Field) -> Iterator[tuple[tuple[Act, ...], float, Field]]:
    """Yield special cards that may be played together, their price, and the battle after them."""
    yield (), 0.0, field
    for first in _acts(field, 0):
        cost, after = act_price(evaluation, field, first), with_card(field, first)
        yield (first,), cost, after
        if evaluation.profile.pairs_cards:
            for second in _acts(after, _SCHEMERS.index(first.card)):
                yield (first, second), cost + act_price(evaluation, after, second), with_card(after, second)


def _acts(field: Field, at: int) -> Iterator[Act]:
    """Yield special cards of the hand that have an effect now, from index `at` on."""
    for card in _SCHEMERS[at:]:
        if card in field.hand:
            act = _prey(field) if card == "scarecrow" else Act(card)
            if act is not None and _does_something(field, card):
                yield act


def _does_something(field: Field, card: str) -> bool:
    if card == "drummer":
        return card not in field.own_line
    if card == "bishop":
        return not field.options.is_1995 and highest_mercenary(field.lines) > 1
    return card != field.season


def _prey(field: Field) -> Act | None:
    """Return the Scarecrow's best target in 1995 (R45), or None.

    It is the highest Mercenary of the strongest other line that has one.
    """
    if not field.options.is_1995:
        return None
    others = [
        seat for seat, line in enumerate(field.lines) if seat != field.seat and highest_mercenary((line,))
    ]
    if not others:
        return None
    owner = max(others, key=lambda seat: field.totals[seat])
    return Act("scarecrow", str(highest_mercenary((field.lines[owner],))), owner)


def _offers(evaluation: Evaluation, field: Field) -> tuple[Offer, ...]:
    fighters = [card for card in field.hand if card in FIGHTERS]
    return _cheapest(tuple([(card, _adds(field, card), price(evaluation, field, card)) for card in fighters]))


@lru_cache(maxsize=1 << 6)  # one decision repeats the same calls, the next has different ones
def _cheapest(fighters: tuple[tuple[str, int, float], ...]) -> tuple[Offer, ...]:
    """Return the cheapest offer for each strength, the strongest first.

    Each fighter is a card, what it adds and what it costs. An offer is left out if a stronger one is as
    cheap.
    """
    found = {0: Offer(0, 0.0, ())}
    for card, adds, cost in fighters:
        for strength, paid, cards in list(found.values()):
            more = strength + adds
            if strength <= _ENOUGH and (more not in found or paid + cost < found[more].price):
                found[more] = Offer(more, paid + cost, (*cards, card))
    kept: list[Offer] = []
    for strength in sorted(found, reverse=True):
        if not kept or found[strength].price < kept[-1].price:
            kept.append(found[strength])
    return tuple(kept)


def _adds(field: Field, card: str) -> int:
    """Return what this card adds to the seat's own line now (R6)."""
    if card not in MERCENARIES:
        return SPEC_OF[card].strength
    season = field.season
    strength = 1 if season == "winter" else int(card)
    if "drummer" in field.own_line:
        strength *= 2
    if season == "spring" and int(card) >= field.highest:
        strength += SPRING_BONUS
    return strength


# Choosing a region to fight for and a place for the Pope


def place_move(profile: BotProfile, seen: Observation) -> Move:
    """Return the region with the best balance of gain and loss with this hand (R3)."""
    confidence = _confidence(profile, seen)
    return max(seen.legal, key=lambda move: _prospect(profile, seen, str(move.region), confidence))


def _confidence(profile: BotProfile, seen: Observation) -> float:
    """Return how likely the seat wins the next battle, by its hand and what the others may hold."""
    mine = punch(seen.hand or ())
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat]
    theirs = sum(others) * mean_punch(profile, seen, winter=False)
    return (mine + 5.0) / (mine + theirs + 5.0 * seen.players)


def _prospect(profile: BotProfile, seen: Observation, region: str, confidence: float) -> float:
    won, lost = _either_way(seen, region, profile.denial(seen.players))
    return confidence * won + (1.0 - confidence) * lost


def _either_way(seen: Observation, region: str, denial: float) -> tuple[float, float]:
    """Return what a battle there brings if the seat wins it, and if it goes as badly as possible."""
    brings = brought(seen, region, worths(seen, region), denial)
    assert seen.seat is not None
    others = [value for seat, value in enumerate(brings) if seat != seen.seat]
    return brings[seen.seat], min(others)


def pope_move(seen: Observation) -> Move:
    """Return a Bishop that sends the Pope where he hinders the others more than this seat, or off (R9).

    In 1995 there is only one way to play him (R43).
    """
    return max(
        [move for move in seen.legal if move.card == "bishop"], key=lambda move: _hindrance(seen, move)
    )


def _hindrance(seen: Observation, move: Move) -> float:
    if move.region is None:
        return 0.0
    won, lost = _either_way(seen, move.region, 1.0)
    return -lost - won
