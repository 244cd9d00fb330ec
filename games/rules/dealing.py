"""Shuffling and dealing: what the table owes, and who gets how many cards in which order."""

from collections import Counter

from .cards import Cards, merged, names
from .events import CardsDealt, CardsShuffled, Event
from .moves import Move
from .state import SHUFFLE, State, clockwise


def owe_shuffle(state: State) -> State:
    """Every card that is in no hand must be shuffled (R18, R19, R21)."""
    left = Counter(state.options.deck)
    for hand in state.hands:
        left.subtract(hand)
    return state._replace(phase=SHUFFLE, turn=None, discards=(), pile=(), owed=tuple(sorted(left.elements())))


def shuffled_and_dealt(state: State, move: Move, first: int, told: list[Event]) -> State:
    """The table's shuffle and the deal that follows it; the first seat is dealt to first."""
    told.append(CardsShuffled(len(state.owed)))
    state = state._replace(pile=move.card_nos, owed=(), shuffles=state.shuffles + 1)
    return _dealt(state, clockwise(state, first), told)


def _dealt(state: State, order: list[int], told: list[Event]) -> State:
    """Clockwise each seat is filled up to 10, kept cards counting; then, again in that order, each gets 1 per
    region it controls (R2, R19). In a final battle only the tied seats are dealt to (R21)."""
    seats = [seat for seat in order if not state.finalists or seat in state.finalists]
    shares = [(seat, state.options.hand_size - len(state.hands[seat])) for seat in seats]
    shares += [(seat, state.options.cards_per_region * state.holdings[seat].bit_count()) for seat in seats]
    dealt: dict[int, Cards] = dict.fromkeys(seats, ())
    pile = state.pile
    for seat, count in shares:
        dealt[seat] += pile[:count]
        pile = pile[count:]
    told.extend([CardsDealt(seat, len(cards), names(sorted(cards))) for seat, cards in dealt.items()])
    hands = tuple([merged(hand, dealt.get(seat, ())) for seat, hand in enumerate(state.hands)])
    return state._replace(hands=hands, pile=pile)
