"""How a battle is decided and what follows at once: conquest, the token, victory, the full board, the final
battle."""

from .board import REGIONS
from .cards import COURTESAN
from .dealing import owe_shuffle
from .events import (
    BattleCompared,
    CondottiereHanded,
    Event,
    FinalBattleBegun,
    GameEnded,
    NobodyConquered,
    RegionConquered,
)
from .outcome import FINAL_BATTLE, MOST_REGIONS, Outcome, goal_reached, with_most_regions
from .state import OVER, PLACE, State, clockwise, regions_to_place
from .strength import sole_highest


def conclude(state: State, surrendered_by: int | None, told: list[Event]) -> State:
    """Compare and hand over the token; victory; then the holder chooses the next region, or the board is full
    (R16)."""
    region = None if state.battle is None else REGIONS[state.battle]
    told.append(BattleCompared(region, state.totals, surrendered_by))
    if state.finalists:
        return _final_battle_decided(state, told)
    winner = sole_highest(state.totals)
    state = _token_handed_over(_conquered(state, winner, told), winner, told)
    state = _battle_put_away(state)
    reason = None if winner is None else goal_reached(state.options, state.players, state.holdings[winner])
    if winner is not None and reason is not None:
        return _ended(state, (winner,), reason, told)
    if not regions_to_place(state):
        return _board_full(state, told)
    return state._replace(phase=PLACE, turn=state.condottiere)


def _conquered(state: State, winner: int | None, told: list[Event]) -> State:
    """The sole highest strength takes the region; any tie for it conquers nothing (R13)."""
    assert state.battle is not None
    region = REGIONS[state.battle]
    if winner is None:
        told.append(NobodyConquered(region))
        return state
    told.append(RegionConquered(winner, region))
    holding = state.holdings[winner] | 1 << state.battle
    return state._replace(holdings=(*state.holdings[:winner], holding, *state.holdings[winner + 1 :]))


def _token_handed_over(state: State, winner: int | None, told: list[Event]) -> State:
    """The token goes to the sole player with most Courtesans, else to the winner, else to the left of the
    player who chose this battle's region (R14). He is the holder until now: the token moves only here."""
    courtesans = tuple([line.count(COURTESAN) for line in state.lines])
    holder, why = sole_highest(courtesans), "courtesans"
    if holder is None:
        holder, why = winner, "winner"
    if holder is None:
        holder, why = (state.condottiere + 1) % state.players, "left"
    told.append(CondottiereHanded(holder, why))
    return state._replace(condottiere=holder)


def _battle_put_away(state: State) -> State:
    """Counts the battle, and how many in a row saw no card played (R22). The lines lie until R16 discards
    them."""
    idle = 0 if state.played else state.idle + 1
    return state._replace(battle=None, turn=None, out=0, played=0, battles=state.battles + 1, idle=idle)


def _board_full(state: State, told: list[Event]) -> State:
    """With no region left to choose, most regions wins; a tie is a final battle (R20)."""
    leaders = with_most_regions(state.holdings)
    if len(leaders) == 1:
        return _ended(state, leaders, MOST_REGIONS, told)
    state = state._replace(finalists=leaders)
    told.append(FinalBattleBegun(leaders, final_starter(state)))
    nothing = ((),) * state.players
    return owe_shuffle(state._replace(hands=nothing, lines=nothing, totals=(0,) * state.players))


def final_starter(state: State) -> int:
    """The token holder starts the final battle, or else the tied seat nearest to his left (R21)."""
    return next(seat for seat in clockwise(state, state.condottiere) if seat in state.finalists)


def _final_battle_decided(state: State, told: list[Event]) -> State:
    """The highest strength wins the game; those tied for it share it (R21)."""
    highest = max([state.totals[seat] for seat in state.finalists])
    winners = tuple([seat for seat in state.finalists if state.totals[seat] == highest])
    return _ended(state._replace(turn=None, out=0, played=0), winners, FINAL_BATTLE, told)


def _ended(state: State, winners: tuple[int, ...], reason: str, told: list[Event]) -> State:
    told.append(GameEnded(winners, reason))
    return state._replace(phase=OVER, result=Outcome(winners, reason))
