"""How a game ends when no battle decides it: the full map, the final battle, the points."""

from .dealing import owe_deal
from .events import Event, FinalBattleBegun, GameEnded
from .outcome import EndReason, Outcome, points_scored, with_most_regions
from .state import OVER, PLACE, State, final_starter, regions_to_place


def choose_or_end(state: State, events: list[Event]) -> State:
    """Let the holder choose the next region; with none left, end the game at once (R16, R20)."""
    if regions_to_place(state):
        return state.replace(phase=PLACE, turn=state.condottiere)
    return _board_full(state, events)


def _board_full(state: State, events: list[Event]) -> State:
    """End the game with no region left to choose: most regions wins, and a tie is a final battle (R20).

    In Playing for Points the tied seats are all winners (R27).
    """
    leaders = with_most_regions(state.holdings)
    if len(leaders) == 1 or state.options.plays_for_points:
        return ended(state, leaders, EndReason.MOST_REGIONS, events)
    state = state.replace(finalists=leaders)
    events.append(FinalBattleBegun(leaders, final_starter(state)))
    nothing = ((),) * state.players
    return owe_deal(state.replace(hands=nothing, lines=nothing, totals=(0,) * state.players))


def final_battle_decided(state: State, events: list[Event]) -> State:
    """End the game after a final battle: highest strength wins, and tied seats share the victory (R21)."""
    highest = max([state.totals[seat] for seat in state.finalists])
    winners = tuple([seat for seat in state.finalists if state.totals[seat] == highest])
    return ended(state.replace(out=0, played=0), winners, EndReason.FINAL_BATTLE, events)


def ended(state: State, winners: tuple[int, ...], reason: EndReason, events: list[Event]) -> State:
    """End the game. In Playing for Points it scores, except for a match's final battle (R27, R28)."""
    scores = state.options.plays_for_points and not state.finalists
    points = points_scored(state.holdings, winners, reason) if scores else None
    events.append(GameEnded(winners, reason, points))
    return state.replace(phase=OVER, turn=None, result=Outcome(winners, reason, points))
