"""The choice of a move in a battle: weigh each candidate by its expected gain and take the best."""

from collections.abc import Iterator

from games.bots.bot_profiles import BotProfile
from games.bots.evaluation import Evaluation, act_price, evaluate, price, settled, stopping
from games.bots.placing import pope_move
from games.rules import MERCENARIES, Move, Observation

from .cards import FIGHTERS
from .field import Act, Field, field_of, with_card
from .plans import Plan, best_plan, most_gained

# Cheap enough to be played just to gain time.
_WAITING = frozenset({"1", "2", "3", "4", "courtesan", "scarecrow"})
_WAITS_WEIGHED = 2


def battle_move(profile: BotProfile, seen: Observation) -> Move:
    """Return a pass or a card (R4).

    A face-down card stays face down: turning it up would only reveal it (R38).
    """
    act = battle_act(profile, seen)
    if act is not None and act.card == "bishop":
        return pope_move(seen)
    text = "pass" if act is None else act.text
    return next(move for move in seen.legal if str(move) == text)


def battle_act(profile: BotProfile, seen: Observation) -> Act | None:
    """Return the card to play, or None for a pass. It doesn't look at the legal moves."""
    if seen.seat in seen.holds_back:
        return None  # a defender may wait and answer when the others are done (R33)
    evaluation, field = evaluate(profile, seen), field_of(seen)
    weighed = list(_weighed(evaluation, field))
    if evaluation.profile.patience and field.others_in and not seen.holds_back:
        weighed += _waits(evaluation, field, max([value for value, _ in weighed]))
    _, act = max(weighed, key=lambda each: each[0])
    if act is None and _must_open(field, seen):
        return Act(_cheapest_fighter(evaluation, field))
    return act


def _weighed(evaluation: Evaluation, field: Field) -> Iterator[tuple[float, Act | None]]:
    """Yield the cards worth considering, each with its expected gain before it.

    A pass, None, comes first and wins ties.
    """
    plan = best_plan(evaluation, field)
    yield stopping(evaluation, field), None
    if plan.scheme or plan.fighters:
        yield plan.value, _first_card(evaluation, field, plan)
    if "scarecrow" in field.hand:
        yield from _retreats(evaluation, field)
    if "surrender" in field.hand:
        yield settled(evaluation, field) - price(evaluation, field, "surrender"), Act("surrender")
    if "bishop" in field.hand and field.options.is_1995:
        yield -price(evaluation, field, "bishop"), Act("bishop")  # everything stays as it is (R43, R44)


def _first_card(evaluation: Evaluation, field: Field, plan: Plan) -> Act:
    """Return the card of the plan to play first.

    A Bishop comes before your own Mercenaries, and a Scarecrow before the card it takes is played. Otherwise
    the cheapest goes first: the others may give up before the expensive cards are needed. When no one else is
    left, the order doesn't matter.
    """
    for act in plan.scheme:
        if act.card in ("bishop", "scarecrow"):
            return act
    acts = [Act(card) for card in plan.fighters] or plan.scheme
    return min(acts, key=lambda act: price(evaluation, field, act.card))


def _retreats(evaluation: Evaluation, field: Field) -> Iterator[tuple[float, Act]]:
    """Yield Scarecrows that save a strong Mercenary from a battle that is lost, or won without it (R10)."""
    owner = field.seat if field.options.is_1995 else None
    for taken in sorted(MERCENARIES.intersection(field.lines[field.seat])):
        act = Act("scarecrow", taken, owner)
        yield stopping(evaluation, with_card(field, act)) - act_price(evaluation, field, act), act


def _waits(evaluation: Evaluation, field: Field, best: float) -> Iterator[tuple[float, Act]]:
    """Yield cheap cards that keep the seat in the battle while the others may pass.

    After that the cost of winning is known. Those that can't gain more than `best` are left out.
    """
    chance = evaluation.profile.patience**field.others_in
    cheap = sorted(_WAITING.intersection(field.hand), key=lambda card: (price(evaluation, field, card), card))
    for card in cheap[:_WAITS_WEIGHED]:
        after = with_card(field, Act(card))
        stop, cost = stopping(evaluation, after), price(evaluation, field, card)
        if chance * most_gained(evaluation, after) + (1.0 - chance) * stop - cost > best:
            go_on = best_plan(evaluation, after.all_out()).value
            yield chance * go_on + (1.0 - chance) * stop - cost, Act(card)


def _must_open(field: Field, seen: Observation) -> bool:
    """Return whether the seat must play a first card: it chose the region or is in the final battle.

    Otherwise bots could pass forever, which the rules allow (R22).
    """
    opener = seen.chooser == field.seat or field.seat in seen.final_battle
    untouched = not any(field.lines) and not any(seen.face_down)
    return opener and untouched and any(card in FIGHTERS for card in field.hand)


def _cheapest_fighter(evaluation: Evaluation, field: Field) -> str:
    return min(
        [card for card in field.hand if card in FIGHTERS], key=lambda card: price(evaluation, field, card)
    )
