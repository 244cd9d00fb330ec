"""What a card changes when it is played: each function returns the state the card leaves.

What cards do to the strength of a line is in strength.py, what ends a battle in battle.py. Nothing here
knows whose turn is next.
"""

from collections.abc import Callable
from typing import NamedTuple

from .board import REGIONS
from .cards import (
    BISHOP,
    CARDS,
    FIRST_SPECIAL,
    GOES_FACE_DOWN,
    SCARECROW,
    SPRING,
    WINTER,
    Cards,
    merged,
    without,
)
from .events import Event, MercenariesRemoved, MercenaryTakenBack, PopePlaced, SeasonSwept
from .moves import Move
from .options import Options
from .state import State
from .strength import NO_MERCENARY, highest_mercenary


class Effect(NamedTuple):
    """The player's hand, all lines, the discard pile and the Pope after a card, with the events."""

    hand: Cards
    lines: tuple[Cards, ...]
    discards: Cards
    pope: int | None
    events: tuple[Event, ...] = ()


def resolve(state: State, seat: int, move: Move) -> Effect:
    """Return the effect of a legal `play` move."""
    card = move.card_no
    assert card is not None
    hand = without(state.hands[seat], card)
    effect = _EFFECTS.get(card)
    if effect is None:
        if goes_face_down(state.options, card):
            return Effect(hand, state.lines, state.discards, state.pope)
        return Effect(hand, _with_card(state.lines, seat, card), state.discards, state.pope)
    return effect(state, seat, move, hand)


def goes_face_down(options: Options, card: int) -> bool:
    """Return whether a card is played face down (R37)."""
    return options.hides_cards and GOES_FACE_DOWN[card]


def _with_card(lines: tuple[Cards, ...], seat: int, card: int) -> tuple[Cards, ...]:
    """Add a card to a line. All but Bishop and Scarecrow stay there until the battle is over (R11)."""
    return (*lines[:seat], (*lines[seat], card), *lines[seat + 1 :])


def _season(state: State, seat: int, move: Move, hand: Cards) -> Effect:
    """Discard every Spring in play for a Winter, and every Winter for a Spring (R7)."""
    card = move.card_no
    assert card is not None
    swept = SPRING if card == WINTER else WINTER
    losers = tuple([owner for owner, line in enumerate(state.lines) if swept in line])
    lines = tuple([_cleared(line, swept) for line in state.lines])
    gone = (swept,) * sum([line.count(swept) for line in state.lines])
    events = (SeasonSwept(CARDS[swept], losers),) if losers else ()
    return Effect(hand, _with_card(lines, seat, card), merged(state.discards, gone), state.pope, events)


def _cleared(line: Cards, card: int) -> Cards:
    return tuple([other for other in line if other != card]) if card in line else line


def _bishop(state: State, seat: int, move: Move, hand: Cards) -> Effect:
    """Resolve a Bishop. In 1995 he only ends the battle (R43)."""
    if state.options.is_1995:
        return Effect(hand, state.lines, merged(state.discards, (BISHOP,)), state.pope)
    return _bishop_with_pope(state, seat, move, hand)


def _bishop_with_pope(state: State, seat: int, move: Move, hand: Cards) -> Effect:
    """Remove every Mercenary of the highest printed value in all lines, and place the Pope (R8, R9).

    This also applies under Winter and to players who have passed. With no Mercenary in play the Bishop still
    brings the Pope (R8). Then he leaves play (R11).
    """
    highest = highest_mercenary(state.lines)
    losses = tuple(
        [(owner, line.count(highest)) for owner, line in enumerate(state.lines) if highest in line]
    )
    gone = (highest,) * sum([count for _, count in losses])
    value = None if highest == NO_MERCENARY else CARDS[highest]
    return Effect(
        hand,
        tuple([_cleared(line, highest) for line in state.lines]),
        merged(state.discards, gone, (BISHOP,)),
        state.pope if state.finalists else move.region_no,
        (MercenariesRemoved(value, losses), *_pope_events(state, seat, move)),
    )


def _pope_events(state: State, seat: int, move: Move) -> tuple[Event, ...]:
    """Return the event for the Pope's move; in a final battle the Pope stays where he is (R21)."""
    if state.finalists:
        return ()
    return (PopePlaced(seat, None if move.region_no is None else REGIONS[move.region_no]),)


def _scarecrow(state: State, seat: int, move: Move, hand: Cards) -> Effect:
    """Take back one of your own face-up Mercenaries of this battle, or nothing (R10).

    In 1995 it may come from any line (R45). The Scarecrow is always discarded (R11).
    """
    discards = merged(state.discards, (SCARECROW,))
    taken = move.taken_no
    if taken is None:
        return Effect(hand, state.lines, discards, state.pope, (MercenaryTakenBack(seat, None),))
    assert taken < FIRST_SPECIAL
    owner = seat if move.from_seat is None else move.from_seat
    line = without(state.lines[owner], taken)
    lines = (*state.lines[:owner], line, *state.lines[owner + 1 :])
    events = (MercenaryTakenBack(seat, CARDS[taken], move.from_seat),)
    return Effect(merged(hand, (taken,)), lines, discards, state.pope, events)


_EFFECTS: dict[int, Callable[[State, int, Move, Cards], Effect]] = {
    WINTER: _season,
    SPRING: _season,
    BISHOP: _bishop,
    SCARECROW: _scarecrow,
}
