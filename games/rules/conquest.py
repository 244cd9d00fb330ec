"""How a battle is decided and what follows at once: taking the region, the token, victory."""

from .board import REGIONS
from .cards import COURTESAN, Cards
from .endings import ended, final_battle_decided
from .events import (
    BattleCompared,
    BattleStopped,
    CardsTurnedUp,
    CondottiereHanded,
    Event,
    NobodyConquered,
    RegionConquered,
    RegionDefended,
)
from .outcome import goal_reached
from .rounds import after_battle
from .state import State, defender
from .strength import sole_highest, totals


def compare(state: State, surrendered_by: int | None, events: list[Event]) -> State:
    """Turn up all cards (R39), then compare: the only highest strength wins (R13).

    On any tie for the highest, no one wins (R13).
    """
    if any(state.face_down):
        state = all_turned_up(state, events)
    region = None if state.battle is None else REGIONS[state.battle]
    events.append(BattleCompared(region, state.totals, surrendered_by))
    if state.finalists:
        return final_battle_decided(state, events)
    return _decided(state, sole_highest(state.totals), events)


def stop(state: State, bishop_by: int, events: list[Event]) -> State:
    """End the battle at once by a Bishop in 1995, without a comparison and without a winner (R43)."""
    assert state.battle is not None
    events.append(BattleStopped(bishop_by, REGIONS[state.battle]))
    return _decided(state, None, events)


def all_turned_up(state: State, events: list[Event]) -> State:
    """Turn up every card that is still face down (R39)."""
    cards = [(seat, card) for seat, down in enumerate(state.face_down) for card in down]
    nobody: tuple[Cards, ...] = ((),) * state.players
    lines = tuple([line + down for line, down in zip(state.lines, state.face_down, strict=True)])
    state = state.replace(lines=lines, face_down=nobody, totals=totals(lines))
    events.append(CardsTurnedUp.of(cards, state.totals))
    return state


def _decided(state: State, winner: int | None, events: list[Event]) -> State:
    """Settle the region, the token and victory, in this order (R16)."""
    owner = defender(state)
    state = _conquered(state, winner, owner, events)
    state = _token_handed_over(state, winner, owner, events)
    state = _battle_put_away(state)
    goals = state.options.goals(state.players)
    reason = None if winner is None else goal_reached(goals, state.holdings[winner])
    if winner is not None and reason is not None:
        return ended(state, (winner,), reason, events)
    return after_battle(state, events)


def _conquered(state: State, winner: int | None, owner: int | None, events: list[Event]) -> State:
    """Give the region to the winner, taking it from its defender if it has one.

    Without a winner it stays as it was (R13, R34, R44).
    """
    assert state.battle is not None
    region = REGIONS[state.battle]
    if winner is None or winner == owner:
        events.append(NobodyConquered(region) if owner is None else RegionDefended(owner, region))
        return state
    events.append(RegionConquered(winner, region, owner))
    holdings = list(state.holdings)
    holdings[winner] |= 1 << state.battle
    if owner is not None:
        holdings[owner] &= ~(1 << state.battle)
    return state.replace(holdings=tuple(holdings))


def _token_handed_over(state: State, winner: int | None, owner: int | None, events: list[Event]) -> State:
    """Hand over the token after a battle (R14, R34, R44).

    It goes to the only player with most Courtesans, else to the winner, else to the defender (R14, R34). Else
    it goes to the left of the player who chose this battle's region (R14); in 1995 that player keeps it
    (R44). That player is still the holder here, because the token moves only in this function.
    """
    courtesans = sole_highest(tuple([line.count(COURTESAN) for line in state.lines]))
    if courtesans is not None:
        holder, why = courtesans, "courtesans"
    elif winner is not None:
        holder, why = winner, "winner"
    elif owner is not None:
        holder, why = owner, "defender"
    elif state.options.is_1995:
        holder, why = state.condottiere, "chooser"
    else:
        holder, why = (state.condottiere + 1) % state.players, "left"
    events.append(CondottiereHanded(holder, why))
    return state.replace(condottiere=holder)


def _battle_put_away(state: State) -> State:
    """Count the battle, and how many in a row saw no card played (R22).

    The lines stay on the table until they are discarded (R16).
    """
    idle = 0 if state.played else state.idle + 1
    return state.replace(battle=None, out=0, played=0, battles=state.battles + 1, idle=idle)
