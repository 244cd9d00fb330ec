"""The invariants of every position in every game, whatever the options."""

from games.rules import State
from games.rules.cards import COURTESAN, DRUMMER, SPRING, WINTER, merged
from games.rules.state import defender
from games.rules.strength import totals


def must_hold(state: State) -> None:
    """Fail at the first invariant that does not hold."""
    no_card_is_lost(state)
    something_is_owed(state)
    _of_the_lines(state)
    _of_the_hands(state)
    _of_the_map(state)


def no_card_is_lost(state: State) -> None:
    """Check that every card of the deck is in exactly one place."""
    places = (*state.hands, *state.lines, *state.face_down, state.discards, state.pile, state.owed)
    assert merged(*places) == state.options.deck


def something_is_owed(state: State) -> None:
    """Something is always owed until the game is over: a shuffle by the table or an answer by a seat that can
    give it."""
    assert bool(state.owed) == (state.phase == "shuffle")
    assert (state.turn is not None) == (state.phase in ("place", "battle", "keep"))
    assert bool(state.deciding) == (state.before is not None) == (state.phase == "hand")
    assert (state.result is not None) == (state.phase == "over")
    assert (state.shares == ()) == (state.phase != "shuffle")
    if state.phase == "battle":
        assert state.turn is not None
        assert state.hands[state.turn]
        assert not state.out >> state.turn & 1
    if state.phase not in ("battle", "shuffle", "hand", "keep"):
        assert state.battle is None
    if state.phase != "battle":
        assert state.out == state.played == 0


def _of_the_lines(state: State) -> None:
    """R6, R7, R11, R16, R37, R46."""
    assert state.totals == totals(state.lines)
    assert not (any(WINTER in line for line in state.lines) and any(SPRING in line for line in state.lines))
    if any(state.face_down):
        assert state.phase == "battle"
        assert state.options.hides_cards
        assert all(len(down) <= 1 and max(down, default=0) <= DRUMMER for down in state.face_down)
    if state.phase in ("hand", "keep") or (state.options.is_1995 and state.phase not in ("battle", "over")):
        assert not any(state.lines)


def _of_the_hands(state: State) -> None:
    """R17, R18, R25: sorted; what may be discarded has no Mercenary; who keeps is the only one with cards."""
    for seat, hand in enumerate(state.hands):
        assert hand == merged(hand)
        if state.deciding >> seat & 1:
            assert hand
            assert hand[0] >= COURTESAN
    if state.phase == "keep":
        assert [seat for seat, hand in enumerate(state.hands) if hand] == [state.turn]
    if state.options.is_1995 or state.options.draws_after_battle:
        assert state.phase != "keep"
    if state.options.draws_after_battle:
        assert state.phase != "hand"


def _of_the_map(state: State) -> None:
    """R3, R9, R32, R36, R41: no one holds another's region; the Pope stands apart unless regions may be
    captured."""
    held = sum(holding.bit_count() for holding in state.holdings)
    together = 0
    for holding in state.holdings:
        together |= holding
    assert held == together.bit_count()
    if state.pope is not None:
        assert not state.options.is_1995
        assert state.battle != state.pope or state.finalists
        assert state.options.captures_regions or not together >> state.pope & 1
    if not state.options.captures_regions and not state.options.is_1995:
        assert defender(state) is None
        assert state.battle is None or not together >> state.battle & 1
