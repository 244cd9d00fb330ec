"""Which moves may be made now: who is asked, all moves that answer, and why any other is refused.

`legal_moves` lists exactly what `refusal` lets through; a test compares them in every position it meets.
"""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from .board import REGIONS, regions_in
from .cards import BISHOP, CARDS, COURTESAN, SCARECROW, Cards, names
from .errors import Reason
from .moves import DISCARD_HAND, INTERNED, KEEP_HAND, PLACES, Move
from .state import (
    BATTLE,
    HAND,
    OVER,
    PLACE,
    SHUFFLE,
    State,
    controlled,
    regions_for_pope,
    regions_to_place,
    seats_in,
)

KEPT_AT_MOST = 2


class Decision(NamedTuple):
    """An open question: (seat, asked_at) names it; `asked_at` is the state's step when it was put."""

    seat: int
    kind: str
    asked_at: int


def pending(state: State) -> tuple[Decision, ...]:
    """Who is asked what now, in seat order; () while the table owes a shuffle and when the game is over.
    Forced moves ask nobody (R5)."""
    # No question outlives a step: each answer that the table sees ends it, and those of R17 are no steps.
    return tuple([Decision(seat, state.phase, state.step) for seat in asked_seats(state)])


def asked_seats(state: State) -> tuple[int, ...]:
    """The seats that owe a decision, ascending."""
    if state.phase == HAND:
        return seats_in(state.deciding)
    return () if state.turn is None else (state.turn,)


def legal_moves(state: State, seat: int) -> tuple[Move, ...]:
    """All moves this seat may make now, sorted by text in code point order; () if it owes nothing."""
    if seat not in asked_seats(state):
        return ()
    hand = state.hands[seat]
    if state.phase == BATTLE:
        kinds = frozenset(hand)
        own = frozenset(state.lines[seat]) if SCARECROW in kinds else frozenset()
        return _battle_moves(kinds, own, regions_for_pope(state) if BISHOP in kinds else 0)
    if state.phase == PLACE:
        return _place_moves(regions_to_place(state))
    return _HAND_MOVES if state.phase == HAND else _keep_moves(hand)


def _sorted(moves: list[Move]) -> tuple[Move, ...]:
    return tuple(sorted(moves, key=str))


_HAND_MOVES = _sorted([DISCARD_HAND, KEEP_HAND])


@lru_cache(maxsize=1 << 12)
def _place_moves(free: int) -> tuple[Move, ...]:
    """Any region with no control marker and without the Pope (R3)."""
    return _sorted([PLACES[region] for region in regions_in(free)])


@lru_cache(maxsize=1 << 16)
def _battle_moves(kinds: frozenset[int], own: frozenset[int], pope: int) -> tuple[Move, ...]:
    """A pass or one card (R4), a Bishop with each place for the Pope (R9), a Scarecrow with each Mercenary it
    may take back, or nothing (R10)."""
    texts = ["pass"]
    for card in kinds:
        play = f"play {CARDS[card]}"
        if card == BISHOP:
            texts += [f"{play} off", *(f"{play} {REGIONS[region]}" for region in regions_in(pope))]
        elif card == SCARECROW:
            texts += [f"{play} nothing", *(f"{play} {CARDS[taken]}" for taken in own if taken < COURTESAN)]
        else:
            texts.append(play)
    return _sorted([INTERNED[text] for text in texts])


def _keep_moves(hand: Cards) -> tuple[Move, ...]:
    """None, one or two of the cards in the hand, whichever (R18)."""
    kept = {cards for count in range(KEPT_AT_MOST + 1) for cards in combinations(hand, count)}
    return _sorted([INTERNED[" ".join(("keep", *(names(cards) or ("nothing",))))] for cards in kept])


def refusal(state: State, seat: int | None, move: Move) -> Reason | None:
    """Why this seat (None: the table) may not make this move now; None if it may."""
    if state.phase == SHUFFLE:
        return _shuffle_refusal(state, seat, move)
    if state.phase == OVER:
        return Reason.GAME_OVER
    if move.kind == "shuffle":
        return Reason.NO_SHUFFLE_OWED
    if seat is None or (seat != state.turn if state.phase != HAND else seat not in seats_in(state.deciding)):
        return Reason.NOT_ASKED
    if state.phase == BATTLE:
        return _battle_refusal(state, seat, move)
    if state.phase == PLACE:
        return _place_refusal(state, move)
    return _hand_refusal(move) if state.phase == HAND else _keep_refusal(state.hands[seat], move)


def _shuffle_refusal(state: State, seat: int | None, move: Move) -> Reason | None:
    """Only the table shuffles, and it shuffles the whole pile."""
    if seat is not None or move.kind != "shuffle":
        return Reason.SHUFFLE_OWED
    return None if tuple(sorted(move.card_nos)) == state.owed else Reason.NOT_THE_PILE


def _battle_refusal(state: State, seat: int, move: Move) -> Reason | None:
    if move.kind == "pass":
        return None
    if move.kind != "play":
        return Reason.NOT_THE_QUESTION
    if move.card_no not in state.hands[seat]:
        return Reason.CARD_NOT_IN_HAND
    if move.region_no is not None:
        return _pope_refusal(state, move.region_no)
    if move.taken_no is not None and move.taken_no not in state.lines[seat]:
        return Reason.NO_SUCH_MERCENARY
    return None


def _pope_refusal(state: State, region: int) -> Reason | None:
    """Why the Pope may not go there (R9, R21)."""
    if regions_for_pope(state) >> region & 1:
        return None
    if state.finalists:
        return Reason.POPE_STAYS
    return Reason.POPE_REGION_FOUGHT_FOR if region == state.battle else Reason.POPE_REGION_CONTROLLED


def _place_refusal(state: State, move: Move) -> Reason | None:
    """Why the holder may not fight there (R3)."""
    if move.kind != "place" or move.region_no is None:
        return Reason.NOT_THE_QUESTION
    if controlled(state) >> move.region_no & 1:
        return Reason.REGION_CONTROLLED
    return Reason.REGION_UNDER_POPE if move.region_no == state.pope else None


def _hand_refusal(move: Move) -> Reason | None:
    return None if move.kind in ("discard hand", "keep hand") else Reason.NOT_THE_QUESTION


def _keep_refusal(hand: Cards, move: Move) -> Reason | None:
    if move.kind != "keep":
        return Reason.NOT_THE_QUESTION
    held = all(hand.count(card) >= move.card_nos.count(card) for card in move.card_nos)
    return None if held else Reason.CARDS_NOT_IN_HAND
