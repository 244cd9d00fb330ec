"""Which moves are legal now: whose decision it is, all legal moves, and why any other move is refused.

`legal_moves` lists exactly the moves that `refusal` accepts. A test compares them in every position it
reaches.
"""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from .board import REGIONS, regions_in
from .cards import BISHOP, CARDS, FIRST_SPECIAL, SCARECROW, Cards, names
from .errors import Reason
from .moves import BISHOP_ALONE, DISCARD_HAND, INTERNED, KEEP_HAND, PLACES, Move
from .state import (
    BATTLE,
    HAND,
    OVER,
    PLACE,
    SHUFFLE,
    Phase,
    State,
    regions_for_pope,
    regions_to_place,
    seats_in,
)

KEPT_AT_MOST = 2


class Decision(NamedTuple):
    """A pending decision, identified by (seat, decision_step).

    `decision_step` is the state's step when the decision became due.
    """

    seat: int
    kind: Phase
    decision_step: int


def pending(state: State) -> tuple[Decision, ...]:
    """Return the decisions that are due now, in seat order.

    It is () while a shuffle is due and when the game is over. Forced moves need no decision (R5).
    """
    # No decision outlasts a step: an answer that everyone sees ends the step; R17's answers are not steps.
    return tuple([Decision(seat, state.phase, state.step) for seat in asked_seats(state)])


def asked_seats(state: State) -> tuple[int, ...]:
    """Return the seats that must decide now, ascending."""
    if state.phase == HAND:
        return seats_in(state.deciding)
    return () if state.turn is None else (state.turn,)


def legal_moves(state: State, seat: int) -> tuple[Move, ...]:
    """Return all moves this seat may make now, sorted by text in code point order; () if there are none."""
    if seat not in asked_seats(state):
        return ()
    hand = state.hands[seat]
    if state.phase == BATTLE:
        kinds = frozenset(hand)
        takes = _takes(state, seat) if SCARECROW in kinds else _NOTHING
        pope = regions_for_pope(state) if BISHOP in kinds and not state.options.is_1995 else None
        return _battle_moves(kinds, takes, pope, bool(state.face_down[seat]))
    if state.phase == PLACE:
        return _place_moves(regions_to_place(state))
    return _HAND_MOVES if state.phase == HAND else _keep_moves(hand)


def _sorted(moves: list[Move]) -> tuple[Move, ...]:
    return tuple(sorted(moves, key=str))


_HAND_MOVES = _sorted([DISCARD_HAND, KEEP_HAND])


@lru_cache(maxsize=1 << 12)
def _place_moves(free: int) -> tuple[Move, ...]:
    """Return the moves for the regions that may be fought for (R3, R32, R41)."""
    return _sorted([PLACES[region] for region in regions_in(free)])


_NOTHING: frozenset[str] = frozenset()


def _takes(state: State, seat: int) -> frozenset[str]:
    """Return what a Scarecrow may take: your own face-up Mercenaries (R10), in 1995 any line's (R45)."""
    if not state.options.is_1995:
        return frozenset([CARDS[card] for card in state.lines[seat] if card < FIRST_SPECIAL])
    return frozenset(
        [
            f"{CARDS[card]} from {owner}"
            for owner, line in enumerate(state.lines)
            for card in line
            if card < FIRST_SPECIAL
        ]
    )


@lru_cache(maxsize=1 << 16)
def _battle_moves(
    kinds: frozenset[int], takes: frozenset[str], pope: int | None, is_one_down: bool
) -> tuple[Move, ...]:
    """Return the moves in a battle: a pass, or one card (R4).

    A pass may turn your own card up (R38). A Bishop comes with each place for the Pope (R9) or, where there
    is no Pope, alone (R43). A Scarecrow comes with each Mercenary it may take, or nothing (R10).
    """
    texts = ["pass", "pass reveal"] if is_one_down else ["pass"]
    for card in kinds:
        play = f"play {CARDS[card]}"
        if card == BISHOP and pope is not None:
            texts += [f"{play} off", *(f"{play} {REGIONS[region]}" for region in regions_in(pope))]
        elif card == SCARECROW:
            texts += [f"{play} nothing", *(f"{play} {taken}" for taken in takes)]
        else:
            texts.append(play)
    return _sorted([INTERNED[text] for text in texts])


def _keep_moves(hand: Cards) -> tuple[Move, ...]:
    """Return the moves that keep none, any one or any two of the cards in the hand (R18)."""
    kept = {cards for count in range(KEPT_AT_MOST + 1) for cards in combinations(hand, count)}
    return _sorted([INTERNED[" ".join(("keep", *(names(cards) or ("nothing",))))] for cards in kept])


def refusal(state: State, seat: int | None, move: Move) -> Reason | None:
    """Return why this seat (None: the site) may not make this move now; None if it may."""
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
    """Return why this is not the shuffle that is due: only the site shuffles, and always the whole pile."""
    if seat is not None or move.kind != "shuffle":
        return Reason.SHUFFLE_OWED
    return None if tuple(sorted(move.card_nos)) == state.owed else Reason.NOT_THE_PILE


def _battle_refusal(state: State, seat: int, move: Move) -> Reason | None:
    if move.kind == "pass":
        return Reason.NOTHING_FACE_DOWN if move.reveals and not state.face_down[seat] else None
    if move.kind != "play":
        return Reason.NOT_THE_QUESTION
    if move.card_no not in state.hands[seat]:
        return Reason.CARD_NOT_IN_HAND
    if move.card_no == BISHOP:
        return _bishop_refusal(state, move)
    return None if move.taken_no is None else _scarecrow_refusal(state, seat, move)


def _scarecrow_refusal(state: State, seat: int, move: Move) -> Reason | None:
    """Return why this Mercenary may not be taken (R10, R45)."""
    if state.options.is_1995:
        if move.from_seat is None:
            return Reason.SCARECROW_WITHOUT_SEAT
        lines: tuple[Cards, ...] = state.lines[move.from_seat : move.from_seat + 1]
    elif move.from_seat is not None:
        return Reason.SCARECROW_OWN_LINE
    else:
        lines = (state.lines[seat],)
    return None if any(move.taken_no in line for line in lines) else Reason.NO_SUCH_MERCENARY


def _bishop_refusal(state: State, move: Move) -> Reason | None:
    """Return why a Bishop may not be played like this.

    Checks whether the move names a place for the Pope (R9, R43), and whether he may go there (R9, R21, R36).
    """
    if state.options.is_1995:
        return None if move == BISHOP_ALONE else Reason.NO_POPE
    if move == BISHOP_ALONE:
        return Reason.BISHOP_WITHOUT_POPE
    region = move.region_no
    if region is None:
        return None
    if regions_for_pope(state) >> region & 1:
        return None
    if state.finalists:
        return Reason.POPE_STAYS
    return Reason.POPE_REGION_FOUGHT_FOR if region == state.battle else Reason.POPE_REGION_CONTROLLED


def _place_refusal(state: State, move: Move) -> Reason | None:
    """Return why the holder may not fight there (R3, R32)."""
    if move.kind != "place" or move.region_no is None:
        return Reason.NOT_THE_QUESTION
    if regions_to_place(state) >> move.region_no & 1:
        return None
    if move.region_no == state.pope:
        return Reason.REGION_UNDER_POPE
    return Reason.REGION_OWN if state.options.captures_regions else Reason.REGION_CONTROLLED


def _hand_refusal(move: Move) -> Reason | None:
    return None if move.kind in ("discard hand", "keep hand") else Reason.NOT_THE_QUESTION


def _keep_refusal(hand: Cards, move: Move) -> Reason | None:
    if move.kind != "keep":
        return Reason.NOT_THE_QUESTION
    held = all(hand.count(card) >= move.card_nos.count(card) for card in move.card_nos)
    return None if held else Reason.CARDS_NOT_IN_HAND
