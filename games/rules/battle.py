"""Playing a card and passing, from the first turn of a battle to its last.

How a battle is decided is in conquest.py. The handlers here and in rounds.py raise ply and step themselves.
This saves the commonest moves a second copy of the state.
"""

from .cards import BISHOP, CARDS, SURRENDER, Cards
from .conquest import compare, stop
from .effects import goes_face_down, resolve
from .events import CardPlayed, CardsTurnedUp, Event, HeldBack, Passed, RanOutOfCards
from .moves import Move
from .state import State, holds_back, next_in_battle
from .strength import totals


def play(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Play, resolve and announce one card (R4, R6); then take a seat with an empty hand out (R5)."""
    card = move.card_no
    assert card is not None
    hand, lines, discards, pope, effects = resolve(state, seat, move)
    announced = totals(lines)
    covered = goes_face_down(state.options, card)
    events.append(CardPlayed(seat, CARDS[card], announced, covered))
    events.extend(effects)
    face_down = state.face_down
    if state.options.hides_cards:
        lines, announced = _turned_up(state, seat, lines, announced, events)
        face_down = (*face_down[:seat], (card,) if covered else (), *face_down[seat + 1 :])
    ends_at_once = card == SURRENDER or (card == BISHOP and state.options.is_1995)
    out = state.out
    if not hand and not ends_at_once:
        events.append(RanOutOfCards(seat))
        out |= 1 << seat
    after = state.replace(
        ply=state.ply + 1,
        step=state.step + 1,
        hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        lines=lines,
        face_down=face_down,
        totals=announced,
        discards=discards,
        pope=pope,
        out=out,
        played=state.played | 1 << seat,
        turn=next_in_battle(state, seat, out),
    )
    if ends_at_once:
        return compare(after, seat, events) if card == SURRENDER else stop(after, seat, events)
    return compare(after, None, events) if after.turn is None else after


def leave(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Pass, which is final for this battle (R4), except for a defender who may still wait (R33).

    A player who passes may turn their card up (R38).
    """
    out = state.out
    if holds_back(state, seat):
        events.append(HeldBack(seat))
    else:
        events.append(Passed(seat))
        out |= 1 << seat
    after = state.replace(
        ply=state.ply + 1, step=state.step + 1, out=out, turn=next_in_battle(state, seat, out)
    )
    if move.reveals:
        lines, announced = _turned_up(state, seat, state.lines, state.totals, events)
        face_down = (*state.face_down[:seat], (), *state.face_down[seat + 1 :])
        after = after.replace(lines=lines, totals=announced, face_down=face_down)
    return compare(after, None, events) if after.turn is None else after


def _turned_up(
    state: State, seat: int, lines: tuple[Cards, ...], announced: tuple[int, ...], events: list[Event]
) -> tuple[tuple[Cards, ...], tuple[int, ...]]:
    """Add a seat's face-down card to its line, after the effect of the card it plays now (R37)."""
    down = state.face_down[seat]
    if not down:
        return lines, announced
    lines = (*lines[:seat], lines[seat] + down, *lines[seat + 1 :])
    announced = totals(lines)
    events.append(CardsTurnedUp.of([(seat, card) for card in down], announced))
    return lines, announced
