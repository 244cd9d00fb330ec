"""Between two battles: choosing the region, discarding lines and hands, the end of a round (R16 to R19,
R22)."""

from .battle import begin
from .board import REGIONS
from .cards import COURTESAN, Cards, merged, names
from .conquest import final_starter
from .dealing import owe_shuffle, shuffled_and_dealt
from .events import (
    CardsKept,
    Event,
    HandDecided,
    HandsDropped,
    HandsOpened,
    HandsShown,
    LinesDiscarded,
    RegionChosen,
    RoundEnded,
    SeatCards,
)
from .moves import Move
from .state import HAND, KEEP, PLACE, BeforeHands, State


def place(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """The holder chooses a region; lines are discarded, hands may be, then the end of the round is looked at.
    The first battle of a game starts right after the choice (R3, R16)."""
    region = move.region_no
    assert region is not None
    told.append(RegionChosen(seat, REGIONS[region]))
    state = state._replace(ply=state.ply + 1, step=state.step + 1, battle=region)
    if not state.battles:
        return begin(state, state.condottiere)
    state = _lines_discarded(state, told)
    if state.idle >= state.players:
        return _after_hands(_hands_dropped(state, told), told)
    entitled = sum([1 << owner for owner, hand in enumerate(state.hands) if may_discard(hand)])
    return _hands_opened(state, entitled, told) if entitled else _after_hands(state, told)


def _lines_discarded(state: State, told: list[Event]) -> State:
    """All lines go to the discard pile; this is not a choice (R16)."""
    told.append(LinesDiscarded())
    discards = merged(state.discards, *state.lines)
    return state._replace(lines=((),) * state.players, totals=(0,) * state.players, discards=discards)


def _hands_dropped(state: State, told: list[Event]) -> State:
    """When as many battles in a row as there are seats saw no card played, all hands are discarded and shown,
    and counting starts anew (R22)."""
    told.append(HandsDropped(_shown(state.hands, [seat for seat, hand in enumerate(state.hands) if hand])))
    discards = merged(state.discards, *state.hands)
    return state._replace(hands=((),) * state.players, discards=discards, idle=0)


def may_discard(hand: Cards) -> bool:
    """Only a hand that is not empty and has no Mercenary may be discarded (R17)."""
    return bool(hand) and hand[0] >= COURTESAN


def _hands_opened(state: State, entitled: int, told: list[Event]) -> State:
    """Those entitled decide independently, in any order; until the last has, the table knows what it knew
    (R17)."""
    told.append(HandsOpened())
    return state._replace(
        phase=HAND, turn=None, deciding=entitled, before=BeforeHands(state.hands, state.discards)
    )


def discard_hand(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """The whole hand is discarded (R17)."""
    hand = state.hands[seat]
    told.append(HandDecided(seat, True, names(hand)))
    hands = (*state.hands[:seat], (), *state.hands[seat + 1 :])
    return _decided(state._replace(hands=hands, discards=merged(state.discards, hand)), seat, told)


def keep_hand(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """The hand is kept, and nobody learns that its holder was asked (R17)."""
    told.append(HandDecided(seat, False, names(state.hands[seat])))
    return _decided(state, seat, told)


def _decided(state: State, seat: int, told: list[Event]) -> State:
    """When the last has decided, the discards are shown together in seat order. Until then no step is
    counted: the table must not see how many were asked (R17)."""
    deciding = state.deciding & ~(1 << seat)
    if deciding:
        return state._replace(ply=state.ply + 1, deciding=deciding)
    before = state.before
    assert before is not None
    gone = [owner for owner, hand in enumerate(before.hands) if hand and not state.hands[owner]]
    told.append(HandsShown(_shown(before.hands, gone)))
    state = state._replace(ply=state.ply + 1, step=state.step + 1, deciding=0, before=None)
    return _after_hands(state, told)


def _shown(hands: tuple[Cards, ...], seats: list[int]) -> SeatCards:
    return tuple([(seat, names(hands[seat])) for seat in seats])


def _after_hands(state: State, told: list[Event]) -> State:
    """The round ends when at most one seat has cards; else the battle at the chosen region starts (R16,
    R18)."""
    holders = [seat for seat, hand in enumerate(state.hands) if hand]
    if len(holders) > 1:
        return begin(state, state.condottiere)
    keeper = holders[0] if holders else None
    told.append(RoundEnded(keeper))
    if keeper is None:
        return owe_shuffle(state)
    return state._replace(phase=KEEP, turn=keeper)


def keep(state: State, seat: int, move: Move, told: list[Event]) -> State:
    """A single seat with cards keeps none, one or two of them; the rest is shuffled in unseen (R18)."""
    told.append(CardsKept(seat, len(move.card_nos), move.cards))
    hands = (*state.hands[:seat], move.card_nos, *state.hands[seat + 1 :])
    return owe_shuffle(state._replace(ply=state.ply + 1, step=state.step + 1, hands=hands))


def shuffle(state: State, move: Move, told: list[Event]) -> State:
    """After the shuffle and its deal the game goes on where it was: the final battle, the first choice of a
    region, or the battle at the region chosen before the round ended (R2, R19, R21)."""
    first = final_starter(state) if state.finalists else state.condottiere
    state = state._replace(ply=state.ply + 1, step=state.step + 1)
    state = shuffled_and_dealt(state, move, first, told)
    if state.battle is None and not state.finalists:
        return state._replace(phase=PLACE, turn=state.condottiere)
    return begin(state, first)
