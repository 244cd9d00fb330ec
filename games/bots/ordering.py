"""How a player who thinks like a bot uses standing orders: for measurements, not part of choosing moves."""

from games.orders import Aside, Fight, suggested
from games.rules import MERCENARIES, Move, State, observe, pending

from . import choose


def fight_after(move: Move, after: State, seat: int) -> Fight | None:
    """Return the order that goes with playing a Mercenary: the suggested one, if the battle goes on."""
    seen = observe(after, seat)
    if move.card not in MERCENARIES or after.phase != "battle" or seen.passed[seat]:
        return None
    order = suggested(seen)
    return order if order.cards else None


def aside_from(strength: str, state: State, seat: int) -> Aside | None:
    """Return the order of a seat that would pass if it were asked now, and isn't yet."""
    seen = observe(state, seat)
    if state.phase != "battle" or seen.passed[seat] or pending(state)[0].seat == seat:
        return None
    move = choose(strength, observe(state.replace(turn=seat), seat))
    return Aside() if move.kind == "pass" else None
