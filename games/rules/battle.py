"""A battle from its first turn to its last: who acts, playing a card, passing.

How a battle is decided is in conquest.py. The answers here and in rounds.py count themselves (ply and step),
which spares the commonest moves a second copy of the state.
"""

from .cards import CARDS, SURRENDER
from .conquest import conclude
from .effects import resolve
from .events import CardPlayed, Event, Passed, RanOutOfCards
from .moves import Move
from .state import BATTLE, State, next_in_battle
from .strength import totals


def begin(state: State, starter: int) -> State:
    """The starter acts first, or the next seat that has cards (R4, R5); in a final battle only the tied
    have."""
    out = sum([1 << seat for seat, hand in enumerate(state.hands) if not hand])
    turn = next_in_battle(state, starter - 1, out)
    return state._replace(phase=BATTLE, turn=turn, out=out, played=0)


def play(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """One card is played, resolved and announced (R4, R6); then an empty hand is looked at (R5)."""
    card = move.card_no
    assert card is not None
    hand, lines, discards, pope, effects = resolve(state, seat, move)
    announced = totals(lines)
    told.append(CardPlayed(seat, CARDS[card], announced))
    told.extend(effects)
    surrendered_by = seat if card == SURRENDER else None
    out = state.out
    if not hand and surrendered_by is None:
        told.append(RanOutOfCards(seat))
        out |= 1 << seat
    after = state._replace(
        ply=state.ply + 1,
        step=state.step + 1,
        hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        lines=lines,
        totals=announced,
        discards=discards,
        pope=pope,
        out=out,
        played=state.played | 1 << seat,
        turn=next_in_battle(state, seat, out),
    )
    return _concluded_if_all_out(after, surrendered_by, told)


def leave(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """A pass is final for this battle (R4)."""
    told.append(Passed(seat))
    out = state.out | 1 << seat
    after = state._replace(
        ply=state.ply + 1, step=state.step + 1, out=out, turn=next_in_battle(state, seat, out)
    )
    return _concluded_if_all_out(after, None, told)


def _concluded_if_all_out(state: State, surrendered_by: int | None, told: list[Event]) -> State:
    """The battle is over when nobody is left in it, or at once by Surrender (R4, R12)."""
    if state.turn is None or surrendered_by is not None:
        return conclude(state, surrendered_by, told)
    return state
