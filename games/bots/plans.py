"""Plans of a bot: which cards to spend for strength."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from games.bots.cards import FIGHTERS
from games.bots.evaluation import TOKEN, Evaluation, act_price, expected, price, rivals, stopping
from games.bots.field import Act, Field, highest_mercenary, with_card
from games.rules import MERCENARIES, SPEC_OF, SPRING_BONUS

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
    most = most_gained(evaluation, field)
    for scheme, cost, after in _schemes(evaluation, field):
        if most - cost <= best.value:
            continue
        against = rivals(evaluation, after)
        for strength, paid, fighters in _offers(evaluation, after):
            if most - cost - paid <= best.value:
                continue
            value = expected(own, against, after.total + strength) - cost - paid
            if value > best.value:
                best = Plan(value, scheme, fighters)
    return best


def most_gained(evaluation: Evaluation, field: Field) -> float:
    """Return what no plan gains more than: a certain victory, and the token for each Courtesan.

    It costs next to nothing to compute, so it tells which plans need not be weighed.
    """
    return max(evaluation.brings[field.seat], 0.0) + TOKEN * field.hand.count("courtesan")


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
