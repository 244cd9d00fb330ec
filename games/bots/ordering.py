"""How a player who thinks like a bot uses standing orders: for measurements, not part of choosing moves."""

from games.orders import HOLD, LISTED, Aside, Fight, rivals, suggested
from games.rules import MERCENARIES, Move, Phase, State, apply, observe, pending

from . import choose


def fight_after(strength: str, move: Move, after: State, seat: int) -> Fight | None:
    """Return the order that goes with playing a card, if the page offers one with it.

    After a Mercenary it is the suggested one. After another card it leaves out what the player would rather
    keep.
    """
    if move.card not in LISTED or not _is_in_battle(after, seat):
        return None
    return _fight(strength, after, seat, is_careful=move.card not in MERCENARIES)


def hold_after(move: Move, after: State, seat: int) -> Fight | None:
    """Return the order to hold that the page offers with a card that takes the lead."""
    seen = observe(after, seat)
    if move.kind != "play" or after.phase != Phase.BATTLE or seen.passed[seat]:
        return None
    others = [total for other, total in enumerate(seen.totals) if other != seat]
    return HOLD if seen.totals[seat] > max(others) else None


def aside_from(strength: str, state: State, seat: int) -> Aside | None:
    """Return the order to stand aside, for a seat that isn't asked yet and would pass now."""
    if not _is_in_battle(state, seat) or pending(state)[0].seat == seat:
        return None
    move = choose(strength, observe(state.replace(turn=seat), seat))
    return Aside() if move.kind == "pass" else None


def _is_in_battle(state: State, seat: int) -> bool:
    seen = observe(state, seat)
    return state.phase == Phase.BATTLE and not seen.passed[seat] and bool(rivals(seen))


def _fight(strength: str, state: State, seat: int, *, is_careful: bool = False) -> Fight | None:
    """Return the suggested order; a careful one has only the cards that the player would play now.

    In 1995 and where regions can be captured, a whole hand is too much for one battle.
    """
    order = suggested(observe(state, seat))
    is_careful = is_careful or state.options.is_1995 or "capturing-regions" in state.options.variants
    cards = _wanted(strength, state, seat) if is_careful else order.cards
    return Fight(cards, order.limit) if cards else None


def _wanted(strength: str, state: State, seat: int) -> tuple[str, ...]:
    """Return the cards for a list that it would play now one after the other, if no one else moved."""
    cards = []
    while state.phase == Phase.BATTLE and not observe(state, seat).passed[seat]:
        state = state.replace(turn=seat)
        move = choose(strength, observe(state, seat))
        if move.card not in LISTED:
            break
        cards.append(str(move.card))
        state, _events = apply(state, seat, move)
    return tuple(cards)
