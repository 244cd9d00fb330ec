"""Shuffling and dealing: which shuffle is due, and how many cards each seat gets in which order."""

from .cards import Cards, merged, names
from .events import CardsDealt, CardsShuffled, Event, LinesDiscarded
from .moves import Move
from .state import SHUFFLE, Share, State, clockwise, final_starter

DRAWN_AFTER_BATTLE = 3


def owe_deal(state: State) -> State:
    """Make a shuffle due of every card that is in no hand; then hands are filled up (R18, R19, R46).

    In a final battle only the hands of the tied seats are filled up (R21).
    """
    left = list(state.options.deck)  # stays in canonical order
    for hand in state.hands:
        for card in hand:
            left.remove(card)
    return state.replace(
        phase=SHUFFLE,
        turn=None,
        discards=(),
        pile=(),
        owed=tuple(left),
        shares=_shares_of_a_deal(state),
    )


def _shares_of_a_deal(state: State) -> tuple[Share, ...]:
    """Return how many cards each seat is dealt, in order (R19, R21, R46).

    Clockwise each seat is filled up to 10, and kept cards count towards the 10. Then, again in that order,
    each seat gets its cards for the regions it holds.
    """
    order = clockwise(state, final_starter(state) if state.finalists else state.condottiere)
    seats = [seat for seat in order if not state.finalists or seat in state.finalists]
    filled = [(seat, state.options.hand_size - len(state.hands[seat])) for seat in seats]
    more = [(seat, state.options.cards_per_region * state.holdings[seat].bit_count()) for seat in seats]
    return tuple([(seat, count) for seat, count in filled + more if count])


def shares_of_a_draw(state: State) -> tuple[Share, ...]:
    """Return how many cards each seat draws after a battle, clockwise from the new token holder (R25).

    Each draws 3, or as many as its limit of 10 plus its regions allows; when every hand is empty, 10 (R25). A
    hand over its limit draws none (R26).
    """
    options = state.options
    most = DRAWN_AFTER_BATTLE if any(state.hands) else options.hand_size
    shares = []
    for seat in clockwise(state, state.condottiere):
        limit = options.hand_size + options.cards_per_region * state.holdings[seat].bit_count()
        shares.append((seat, min(most, limit - len(state.hands[seat]))))
    return tuple([(seat, count) for seat, count in shares if count > 0])


def shuffled(state: State, move: Move, events: list[Event]) -> State:
    """Make the site's shuffle the new pile."""
    events.append(CardsShuffled(len(state.owed)))
    return state.replace(
        ply=state.ply + 1, step=state.step + 1, shuffles=state.shuffles + 1, pile=move.card_nos, owed=()
    )


def dealt(state: State, events: list[Event]) -> State:
    """Deal each seat its share from the top of the pile.

    If the pile runs out first, a new pile must be shuffled. The remaining shares wait for it (R26).
    """
    got: dict[int, Cards] = {}
    pile, shares = state.pile, state.shares
    while shares and pile:
        (seat, count), shares = shares[0], shares[1:]
        got[seat] = got.get(seat, ()) + pile[:count]
        if count > len(pile):
            shares = ((seat, count - len(pile)), *shares)
        pile = pile[count:]
    events.extend([CardsDealt(seat, len(cards), names(sorted(cards))) for seat, cards in got.items()])
    hands = tuple([merged(hand, got[seat]) if seat in got else hand for seat, hand in enumerate(state.hands)])
    state = state.replace(hands=hands, pile=pile, shares=shares)
    return _new_pile_owed(state, events) if shares else state


def _new_pile_owed(state: State, events: list[Event]) -> State:
    """Make a shuffle of the discard pile due (R26).

    If it is empty, the lines on the table are discarded first. If there is still nothing, the remaining seats
    draw nothing (R26).
    """
    if not state.discards and any(state.lines):
        state = lines_discarded(state, events)
    if not state.discards:
        return state.replace(shares=())
    return state.replace(phase=SHUFFLE, turn=None, owed=state.discards, discards=())


def lines_discarded(state: State, events: list[Event]) -> State:
    """Move all lines to the discard pile, without a choice (R16, R26, R46)."""
    events.append(LinesDiscarded())
    discards = merged(state.discards, *state.lines)
    return state.replace(lines=((),) * state.players, totals=(0,) * state.players, discards=discards)
