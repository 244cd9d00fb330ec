"""Plans for a battle: which of one's cards together bring how much strength, and for what price.

A scheme is the special cards of a plan; the fighters that go with it are the cheapest that bring their
strength.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .cards import FIGHTERS, MERCENARIES
from .field import Field, highest_mercenary, with_card
from .stakes import Stakes, expected, price, rivals, stopping

_SPRING_BONUS = 3
_SCHEMERS = ("bishop", "winter", "spring", "drummer")
# More strength than this decides nothing; it keeps the tables small.
_ENOUGH = 60


class Offer(NamedTuple):
    """Fighters of the hand, the strength they add together, and their price."""

    strength: int
    price: float
    fighters: tuple[str, ...]


class Plan(NamedTuple):
    """Cards to be played in this battle, and what that is expected to bring, their price taken off."""

    value: float
    scheme: tuple[str, ...]
    fighters: tuple[str, ...]


def best_plan(stakes: Stakes, field: Field) -> Plan:
    """The plan that brings most; the empty one, which is to pass, among them."""
    best = Plan(stopping(stakes, field), (), ())
    for scheme in _schemes(stakes, field):
        after, cost = field, 0.0
        for card in scheme:
            cost += price(stakes, after, card)
            after = with_card(after, card)
        gain, against = stakes.gains[field.seat], rivals(stakes, after)
        for strength, paid, fighters in _offers(stakes, after):
            value = expected(stakes, gain, against, after.total + strength) - cost - paid
            if value > best.value:
                best = Plan(value, scheme, fighters)
    return best


def _schemes(stakes: Stakes, field: Field) -> Iterator[tuple[str, ...]]:
    held = [card for card in _SCHEMERS if card in field.hand and _does_something(field, card)]
    yield ()
    for number, card in enumerate(held):
        yield (card,)
        if stakes.temper.pairs_cards:
            for other in held[number + 1 :]:
                if {card, other} != {"winter", "spring"}:
                    yield card, other


def _does_something(field: Field, card: str) -> bool:
    if card == "drummer":
        return card not in field.lines[field.seat]
    if card == "bishop":
        return highest_mercenary(field.lines) > 1
    return card != field.season


def _offers(stakes: Stakes, field: Field) -> tuple[Offer, ...]:
    fighters = [card for card in field.hand if card in FIGHTERS]
    return _cheapest(tuple([(card, _adds(field, card), price(stakes, field, card)) for card in fighters]))


@lru_cache(maxsize=1 << 6)  # one decision asks for the same again and again, the next for others
def _cheapest(fighters: tuple[tuple[str, int, float], ...]) -> tuple[Offer, ...]:
    """Of cards given with what they add and cost: for each strength the cheapest that bring it, unless a
    stronger offer is as cheap; the strongest first."""
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
    """What this card adds to one's own line as the field lies (R6)."""
    if card not in MERCENARIES:
        return 10 if card == "heroine" else 1
    season = field.season
    strength = 1 if season == "winter" else int(card)
    if "drummer" in field.lines[field.seat]:
        strength *= 2
    if season == "spring" and int(card) >= highest_mercenary(field.lines):
        strength += _SPRING_BONUS
    return strength
