"""How a player who thinks like a bot uses standing orders: for measurements, not part of choosing moves."""

from games.orders import Aside, Fight, suggested
from games.rules import MERCENARIES, Move, State, apply, observe, pending

from . import choose


def fight_after(strength: str, move: Move, after: State, seat: int) -> Fight | None:
    """Return the order that goes with playing a Mercenary, if the battle goes on.

    It is the suggested one. In 1995 and where regions can be captured, a whole hand for one battle is too
    much, so it leaves out what the player would rather keep.
    """
    seen = observe(after, seat)
    if move.card not in MERCENARIES or after.phase != "battle" or seen.passed[seat]:
        return None
    order = suggested(seen)
    is_careful = after.options.is_1995 or "capturing-regions" in after.options.variants
    cards = _wanted(strength, after, seat) if is_careful else order.cards
    return Fight(cards, order.limit) if cards else None


def _wanted(strength: str, state: State, seat: int) -> tuple[str, ...]:
    """Return the Mercenaries that it would play now one after the other, if nobody else moved."""
    cards = []
    while state.phase == "battle" and not observe(state, seat).passed[seat]:
        state = state.replace(turn=seat)
        move = choose(strength, observe(state, seat))
        if move.card not in MERCENARIES:
            break
        cards.append(str(move.card))
        state, _events = apply(state, seat, move)
    return tuple(cards)


def aside_from(strength: str, state: State, seat: int) -> Aside | None:
    """Return the order of a seat that would pass if it were asked now, and isn't yet."""
    seen = observe(state, seat)
    if state.phase != "battle" or seen.passed[seat] or pending(state)[0].seat == seat:
        return None
    move = choose(strength, observe(state.replace(turn=seat), seat))
    return Aside() if move.kind == "pass" else None
