"""What happens between two battles (R16 to R19, R22, R25, R46).

Drawing cards, choosing the region, discarding lines and hands, the end of a round and the start of the next
battle.
"""

from .board import REGIONS
from .cards import FIRST_SPECIAL, Cards, merged, names
from .dealing import dealt, lines_discarded, owe_deal, shares_of_a_draw, shuffled
from .endings import choose_or_end
from .events import (
    CardsKept,
    Event,
    HandDecided,
    HandsDropped,
    HandsOpened,
    HandsShown,
    RegionChosen,
    RoundEnded,
    SeatCards,
)
from .moves import Move
from .state import BATTLE, HAND, KEEP, PLACE, BeforeHands, State, final_starter, next_in_battle


def after_battle(state: State, events: list[Event]) -> State:
    """Continue after a battle: with the discards (1995), a draw, or the next choice.

    In 1995 lines and hands are discarded and the end of the round is checked before the next choice (R46).
    With Draw After Battle cards are drawn before it (R25). Otherwise the holder chooses at once (R16).
    """
    if state.options.is_1995:
        return _hands_step(lines_discarded(state, events), events)
    if state.options.draws_after_battle:
        if _stands_still(state):
            state = _hands_dropped(state, events)
        return _dealt_and_on(state.replace(shares=shares_of_a_draw(state)), events)
    return choose_or_end(state, events)


def place(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Choose a region; lines are discarded, hands may be, then the end of the round is checked (R3, R16).

    The first battle of a game starts right after the choice, and so does each battle in 1995 (R46). With Draw
    After Battle there are no hand discards and no rounds (R25).
    """
    region = move.region_no
    assert region is not None
    events.append(RegionChosen(seat, REGIONS[region]))
    state = state.replace(ply=state.ply + 1, step=state.step + 1, battle=region)
    if not state.battles or state.options.is_1995:
        return begin(state, state.condottiere)
    state = lines_discarded(state, events)
    if state.options.draws_after_battle:
        return begin(state, state.condottiere)
    return _hands_step(state, events)


def begin(state: State, starter: int) -> State:
    """Start the battle with the starter, or the next seat that has cards (R4, R5).

    In a final battle only the tied seats have cards.
    """
    out = sum([1 << seat for seat, hand in enumerate(state.hands) if not hand])
    turn = next_in_battle(state, starter - 1, out)
    return state.replace(phase=BATTLE, turn=turn, out=out, played=0)


def _hands_step(state: State, events: list[Event]) -> State:
    """Open the step for discarding hands (R17), then check for the end of the round (R18).

    When R22 applies, all hands are discarded and no one has a choice.
    """
    if _stands_still(state):
        return _after_hands(_hands_dropped(state, events), events)
    entitled = sum([1 << owner for owner, hand in enumerate(state.hands) if may_discard(hand)])
    return _hands_opened(state, entitled, events) if entitled else _after_hands(state, events)


def _stands_still(state: State) -> bool:
    """Return whether as many battles in a row as there are seats saw no card played (R22)."""
    return state.idle >= state.players


def _hands_dropped(state: State, events: list[Event]) -> State:
    """Discard and show all hands, and start counting again (R22)."""
    events.append(HandsDropped(_shown(state.hands, [seat for seat, hand in enumerate(state.hands) if hand])))
    discards = merged(state.discards, *state.hands)
    return state.replace(hands=((),) * state.players, discards=discards, idle=0)


def may_discard(hand: Cards) -> bool:
    """Return whether a hand may be discarded: it is not empty and has no Mercenary (R17)."""
    return bool(hand) and hand[0] >= FIRST_SPECIAL


def _hands_opened(state: State, entitled: int, events: list[Event]) -> State:
    """Let the entitled players decide independently, in any order (R17).

    Until the last has decided, the others see what they saw before.
    """
    events.append(HandsOpened())
    return state.replace(
        phase=HAND, turn=None, deciding=entitled, before=BeforeHands(state.hands, state.discards)
    )


def discard_hand(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Discard the whole hand (R17)."""
    hand = state.hands[seat]
    events.append(HandDecided(seat, True, names(hand)))
    hands = (*state.hands[:seat], (), *state.hands[seat + 1 :])
    return _decided(state.replace(hands=hands, discards=merged(state.discards, hand)), seat, events)


def keep_hand(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Keep the hand. No one learns that its holder had the choice (R17)."""
    events.append(HandDecided(seat, False, names(state.hands[seat])))
    return _decided(state, seat, events)


def _decided(state: State, seat: int, events: list[Event]) -> State:
    """Count a decision; when the last player has decided, show the discards together in seat order (R17).

    Until then no step is counted: the others must not see how many players decide.
    """
    deciding = state.deciding & ~(1 << seat)
    if deciding:
        return state.replace(ply=state.ply + 1, deciding=deciding)
    before = state.before
    assert before is not None
    gone = [owner for owner, hand in enumerate(before.hands) if hand and not state.hands[owner]]
    events.append(HandsShown(_shown(before.hands, gone)))
    state = state.replace(ply=state.ply + 1, step=state.step + 1, deciding=0, before=None)
    return _after_hands(state, events)


def _shown(hands: tuple[Cards, ...], seats: list[int]) -> SeatCards:
    return tuple([(seat, names(hands[seat])) for seat in seats])


def _after_hands(state: State, events: list[Event]) -> State:
    """End the round when at most one seat has cards; otherwise continue the game (R16, R18)."""
    holders = [seat for seat, hand in enumerate(state.hands) if hand]
    if len(holders) > 1:
        return _begin_battle_or_choice(state)
    keeper = holders[0] if holders else None
    events.append(RoundEnded(keeper))
    if state.options.is_1995:  # no one keeps any cards (R46)
        events.extend([CardsKept(seat, 0, ()) for seat in holders])
        return owe_deal(state.replace(hands=((),) * state.players))
    if keeper is None:
        return owe_deal(state)
    return state.replace(phase=KEEP, turn=keeper)


def _begin_battle_or_choice(state: State) -> State:
    """Continue with the battle at the chosen region, or with the choice of a region (R16, R46)."""
    if state.battle is None:
        return state.replace(phase=PLACE, turn=state.condottiere)
    return begin(state, state.condottiere)


def keep(state: State, seat: int, move: Move, events: list[Event]) -> State:
    """Keep none, one or two cards of the only hand left; the rest is shuffled in unseen (R18)."""
    events.append(CardsKept(seat, len(move.card_nos), move.cards))
    hands = (*state.hands[:seat], move.card_nos, *state.hands[seat + 1 :])
    return owe_deal(state.replace(ply=state.ply + 1, step=state.step + 1, hands=hands))


def shuffle(state: State, move: Move, events: list[Event]) -> State:
    """Shuffle, then deal the cards the shuffle was made for (R2, R19, R21, R26)."""
    return _dealt_and_on(shuffled(state, move, events), events)


def _dealt_and_on(state: State, events: list[Event]) -> State:
    """Deal the cards, after another shuffle if needed (R26), then continue the game.

    What comes next is the final battle, the choice of a region, or the battle at the region chosen earlier.
    """
    state = dealt(state, events)
    if state.owed:
        return state
    if state.finalists:
        return begin(state, final_starter(state))
    if state.options.draws_after_battle and state.battles:
        return choose_or_end(state, events)
    return _begin_battle_or_choice(state)
