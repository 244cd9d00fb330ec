"""The answer in a battle: every move is weighed by what it is expected to bring, and the best is made."""

from collections.abc import Iterator

from games.rules import Move, Observation

from .cards import FIGHTERS
from .field import Field, field_of, with_card
from .placing import pope_move
from .plans import Plan, best_plan
from .stakes import Stakes, price, settled, stakes_of, stopping
from .tempers import Temper

# Cheap enough to be played for nothing but time.
_WAITING = frozenset({"1", "2", "3", "4", "courtesan", "scarecrow"})
_WAITS_WEIGHED = 2


def battle_move(temper: Temper, seen: Observation) -> Move:
    """A pass or a card (R4)."""
    stakes, field = stakes_of(temper, seen), field_of(seen)
    moves = {str(move): move for move in seen.legal}
    _, name = max(_weighed(stakes, field), key=lambda weighed: weighed[0])
    if name == "pass" and _must_open(field, seen):
        name = _play(_cheapest_fighter(stakes, field))
    return pope_move(seen) if name == "play bishop" else moves[name]


def _weighed(stakes: Stakes, field: Field) -> Iterator[tuple[float, str]]:
    """Moves worth thinking of, each after what it is expected to bring. A pass comes first and wins ties."""
    plan = best_plan(stakes, field)
    yield stopping(stakes, field), "pass"
    if plan.scheme or plan.fighters:
        yield plan.value, _play(_first_card(stakes, field, plan))
    yield from _retreats(stakes, field)
    if "surrender" in field.hand:
        yield settled(stakes, field) - price(stakes, field, "surrender"), "play surrender"
    if stakes.temper.patience and field.others_in:
        yield from _waits(stakes, field)


def _play(card: str) -> str:
    return f"play {card}"


def _first_card(stakes: Stakes, field: Field, plan: Plan) -> str:
    """A Bishop comes before one's own Mercenaries. Otherwise the cheapest goes first: the others may give up
    before the dear cards are needed. When nobody else is left the order does not matter."""
    if "bishop" in plan.scheme:
        return "bishop"
    return min(plan.fighters or plan.scheme, key=lambda card: price(stakes, field, card))


def _retreats(stakes: Stakes, field: Field) -> Iterator[tuple[float, str]]:
    """A Scarecrow saves a strong Mercenary from a battle that is lost, or won without it (R10)."""
    if "scarecrow" not in field.hand:
        return
    for taken in sorted(set(field.lines[field.seat])):
        if taken.isdigit():
            after = with_card(field, "scarecrow", taken)
            saved = price(stakes, field, taken) - price(stakes, field, "scarecrow")
            yield stopping(stakes, after) + saved, f"play scarecrow {taken}"


def _waits(stakes: Stakes, field: Field) -> Iterator[tuple[float, str]]:
    """A cheap card keeps one in the battle, and the others may pass meanwhile: then it is known what winning
    costs."""
    chance = stakes.temper.patience**field.others_in
    cheap = sorted(_WAITING.intersection(field.hand), key=lambda card: (price(stakes, field, card), card))
    for card in cheap[:_WAITS_WEIGHED]:
        after = with_card(field, card)
        alone = after._replace(still_in=(False,) * len(field.lines))
        go_on, stop = best_plan(stakes, alone).value, stopping(stakes, after)
        name = "play scarecrow nothing" if card == "scarecrow" else _play(card)
        yield chance * go_on + (1.0 - chance) * stop - price(stakes, field, card), name


def _must_open(field: Field, seen: Observation) -> bool:
    """Who chose the region does not let it go without a card: or bots could pass for ever, which the rules
    allow (R22)."""
    opener = seen.chooser == field.seat or field.seat in seen.final_battle
    return opener and not any(field.lines) and any(card in FIGHTERS for card in field.hand)


def _cheapest_fighter(stakes: Stakes, field: Field) -> str:
    return min([card for card in field.hand if card in FIGHTERS], key=lambda card: price(stakes, field, card))
