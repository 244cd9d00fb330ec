"""Where a game stands: one immutable value, a function of the options and the log alone.

Opaque outside the rules but for options, players, phase, ply, step, shuffles, shuffle_pile and is_over;
whoever shows a game asks `observe`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .board import ALL_REGIONS
from .cards import Cards, names
from .errors import UnknownOption, quoted
from .options import SEATS, Options
from .outcome import Outcome

SHUFFLE, PLACE, BATTLE, HAND, KEEP, OVER = "shuffle", "place", "battle", "hand", "keep", "over"

Share = tuple[int, int]  # a seat, and how many cards it gets


class BeforeHands(NamedTuple):
    """What the table knew when the step of R17 began, and goes on knowing until the last has decided."""

    hands: tuple[Cards, ...]
    discards: Cards


@dataclass(frozen=True)
class State:
    """A position. Seats, cards and regions are numbers; sets of seats and of regions are bit masks."""

    options: Options
    players: int
    phase: str
    ply: int  # log entries applied
    step: int  # what the whole table has seen happen: R17's decisions count once, when the last is in
    shuffles: int  # made so far
    condottiere: int
    battle: int | None  # the region chosen to be fought for
    pope: int | None
    holdings: tuple[int, ...]  # per seat the regions it controls
    hands: tuple[Cards, ...]  # in canonical order
    lines: tuple[Cards, ...]  # face up, in the order they came to lie so
    face_down: tuple[Cards, ...]  # per seat the one card that lies face down, or none (R37)
    totals: tuple[int, ...]  # announced, of `lines`
    turn: int | None  # who is asked, in the phases that ask one seat
    out: int  # seats that will not act again in this battle
    played: int  # seats that have played a card in this battle
    battles: int  # fought to their end so far
    idle: int  # battles in a row, up to now, that saw no card played (R22)
    deciding: int  # seats that still owe their decision of R17
    before: BeforeHands | None
    discards: Cards  # of this round, in canonical order
    pile: Cards  # from the top
    owed: Cards  # what must be shuffled, in canonical order
    shares: tuple[Share, ...]  # who gets how many cards, in this order, once that is done
    finalists: tuple[int, ...]  # who fights the final battle, ascending
    result: Outcome | None

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return self.phase == OVER

    @property
    def shuffle_pile(self) -> tuple[str, ...]:
        """The cards the table owes a shuffle of, in canonical order; () if it owes none."""
        return names(self.owed)

    def replace(self, **changes: Any) -> "State":
        """The same position but for these fields."""
        # Copying the dictionary takes a third of the time of a named tuple's or a dataclass's `replace`, and
        # each move makes one or two states.
        state = _NEW(State)
        _SET(state, "__dict__", self.__dict__ | changes)
        return state


_NEW, _SET = object.__new__, object.__setattr__


def new_game(options: Options, players: int, first_condottiere: int) -> State:
    """The table before its first shuffle (R2, R25). Raises UnknownOption for a wrong number of players or
    seat."""
    if players not in SEATS:
        raise UnknownOption(f"unknown number of players {quoted(players)}: two to six can play")
    if first_condottiere not in range(players):
        raise UnknownOption(f"the first Condottiere {quoted(first_condottiere)} is no seat of this game")
    nobody: tuple[Cards, ...] = ((),) * players
    return State(
        options=options,
        players=players,
        phase=SHUFFLE,
        ply=0,
        step=0,
        shuffles=0,
        condottiere=first_condottiere,
        battle=None,
        pope=None,
        holdings=(0,) * players,
        hands=nobody,
        lines=nobody,
        face_down=nobody,
        totals=(0,) * players,
        turn=None,
        out=0,
        played=0,
        battles=0,
        idle=0,
        deciding=0,
        before=None,
        discards=(),
        pile=(),
        owed=options.deck,
        shares=tuple([(seat, options.first_hand_size) for seat in _from(first_condottiere, players)]),
        finalists=(),
        result=None,
    )


def new_final_battle(options: Options, regions: Sequence[int | None], first: int) -> State:
    """The final battle of a match among its tied seats, who held so many regions each in the last game; None
    for a seat that only looks on (R28). Raises UnknownOption as `new_game` does, and for no match."""
    state = new_game(options, len(regions), first)
    if not options.plays_for_points:
        raise UnknownOption("a final battle of its own belongs to 'playing-for-points'")
    if regions[first] is None:
        raise UnknownOption(f"the seat {first} that starts is not in the final battle")
    order = _from(first, len(regions))
    more = [(seat, options.cards_per_region * (regions[seat] or 0)) for seat in order]
    return state.replace(
        finalists=tuple([seat for seat, held in enumerate(regions) if held is not None]),
        shares=tuple(
            [(seat, options.hand_size) for seat in order if regions[seat] is not None]
            + [(seat, count) for seat, count in more if count]
        ),
    )


def controlled(state: State) -> int:
    """All regions with a control marker."""
    mask = 0
    for holding in state.holdings:
        mask |= holding
    return mask


def regions_to_place(state: State) -> int:
    """Where the holder of the Condottiere may fight: no control marker, and not the Pope's (R3); any region
    but his own and the Pope's (R32); in 1995 any at all (R41)."""
    if state.options.is_1995:
        return ALL_REGIONS
    taken = state.holdings[state.condottiere] if state.options.captures_regions else controlled(state)
    return ALL_REGIONS & ~taken & ~_bit(state.pope)


def regions_for_pope(state: State) -> int:
    """Where a Bishop may send the Pope: no control marker, and not the region being fought for (R9); held
    ones too where regions are captured (R36). In a final battle nowhere (R21)."""
    if state.battle is None:
        return 0
    taken = 0 if state.options.captures_regions else controlled(state)
    return ALL_REGIONS & ~taken & ~_bit(state.battle)


def defender(state: State) -> int | None:
    """Who holds the region that is fought for (R33, R42), or None."""
    if state.battle is None or not (state.options.captures_regions or state.options.is_1995):
        return None
    return next((seat for seat, held in enumerate(state.holdings) if held >> state.battle & 1), None)


def holds_back(state: State, seat: int) -> bool:
    """Whether a pass leaves this seat in the battle: the defender's, unless his hand is empty, before his
    first card and while any other seat is still in (R33)."""
    return (
        not (state.played | state.out) >> seat & 1
        and seat == defender(state)
        and next_in_battle(state, seat, state.out) != seat
    )


def next_in_battle(state: State, seat: int, out: int) -> int | None:
    """The next seat clockwise that is still in, perhaps the same one again (R1, R4); None if all are out."""
    for step in range(1, state.players + 1):
        following = (seat + step) % state.players
        if not out >> following & 1:
            return following
    return None


def clockwise(state: State, first: int) -> list[int]:
    """All seats from the first one on (R1)."""
    return _from(first, state.players)


def final_starter(state: State) -> int:
    """The token holder starts the final battle, or else the tied seat nearest to his left (R21)."""
    return next(seat for seat in clockwise(state, state.condottiere) if seat in state.finalists)


def seats_in(mask: int) -> tuple[int, ...]:
    """The seats in a bit mask, ascending."""
    return tuple([seat for seat in range(mask.bit_length()) if mask >> seat & 1])


def _from(first: int, players: int) -> list[int]:
    return [(first + step) % players for step in range(players)]


def _bit(region: int | None) -> int:
    return 0 if region is None else 1 << region
