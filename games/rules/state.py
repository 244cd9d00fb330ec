"""The position of a game: one immutable value that depends only on the options and the log.

Code outside the rules may read only options, players, phase, ply, step, shuffles, shuffle_pile and is_over.
To show a game, use `observe`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from .board import ALL_REGIONS
from .cards import Cards, names
from .errors import UnknownOption, quoted
from .options import SEATS, Options
from .outcome import Outcome

Share = tuple[int, int]  # a seat, and how many cards it gets


class Phase(StrEnum):
    """What a position waits for; the same words name the kinds of decisions."""

    SHUFFLE = "shuffle"
    PLACE = "place"
    BATTLE = "battle"
    HAND = "hand"
    KEEP = "keep"
    OVER = "over"


# Each position is compared with these several times, and a global is read faster than a member of a class.
SHUFFLE, PLACE, BATTLE, HAND, KEEP, OVER = Phase


class BeforeHands(NamedTuple):
    """What everyone saw when the step of R17 began; the others see this until the last has decided."""

    hands: tuple[Cards, ...]
    discards: Cards


@dataclass(frozen=True)
class State:
    """A position. Seats, cards and regions are numbers; sets of seats and of regions are bit masks."""

    options: Options
    players: int
    phase: Phase
    ply: int  # log entries applied
    step: int  # what everyone has seen happen: R17's decisions count once, when the last is in
    shuffles: int  # made so far
    condottiere: int
    battle: int | None  # the region chosen to be fought for
    pope: int | None
    holdings: tuple[int, ...]  # per seat, the regions it holds
    hands: tuple[Cards, ...]  # in canonical order
    lines: tuple[Cards, ...]  # face up, in the order they were turned up or played
    face_down: tuple[Cards, ...]  # per seat, its one face-down card, or none (R37)
    totals: tuple[int, ...]  # announced strengths of `lines`
    turn: int | None  # whose turn it is, in the phases where one seat decides
    out: int  # seats that will not act again in this battle
    played: int  # seats that have played a card in this battle
    battles: int  # finished so far
    idle: int  # battles in a row, up to now, that saw no card played (R22)
    deciding: int  # seats that still have to make their decision of R17
    before: BeforeHands | None
    discards: Cards  # of this round, in canonical order
    pile: Cards  # from the top
    owed: Cards  # cards to be shuffled, in canonical order
    shares: tuple[Share, ...]  # which seat gets how many cards after the shuffle, in this order
    finalists: tuple[int, ...]  # seats in the final battle, ascending
    result: Outcome | None

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return self.phase == OVER

    @property
    def shuffle_pile(self) -> tuple[str, ...]:
        """The cards that the site must shuffle now, in canonical order; () if there are none."""
        return names(self.owed)

    def replace(self, **changes: Any) -> "State":
        """Return the same position with these fields changed."""
        # Copying the dictionary takes a third of the time of `replace` on a named tuple or a dataclass.
        # Each move makes one or two states.
        state = _NEW(State)
        _SET(state, "__dict__", self.__dict__ | changes)
        return state


_NEW, _SET = object.__new__, object.__setattr__


def new_game(options: Options, players: int, first_condottiere: int) -> State:
    """Return the position before the first shuffle (R2, R25).

    Raises UnknownOption for a wrong number of players or a wrong seat.
    """
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
    """Return the start of a match's final battle among its tied seats (R28).

    `regions` are the regions each seat held in the last game, or None for a seat that only watches. Raises
    UnknownOption like `new_game`, and if the options are not those of a match.
    """
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
    """Return all regions with a control marker."""
    mask = 0
    for holding in state.holdings:
        mask |= holding
    return mask


def regions_to_place(state: State) -> int:
    """Return the regions that the holder may choose: no control marker, and not the Pope's (R3).

    With Capturing Regions any region but their own and the Pope's (R32); in 1995 any at all (R41).
    """
    if state.options.is_1995:
        return ALL_REGIONS
    taken = state.holdings[state.condottiere] if state.options.captures_regions else controlled(state)
    return ALL_REGIONS & ~taken & ~_bit(state.pope)


def regions_for_pope(state: State) -> int:
    """Return where a Bishop may send the Pope: no control marker, and not the region fought for (R9).

    With Capturing Regions also held regions (R36). In a final battle nowhere (R21).
    """
    if state.battle is None:
        return 0
    taken = 0 if state.options.captures_regions else controlled(state)
    return ALL_REGIONS & ~taken & ~_bit(state.battle)


def defender(state: State) -> int | None:
    """Return the seat that holds the region fought for (R33, R42), or None."""
    if state.battle is None or not (state.options.captures_regions or state.options.is_1995):
        return None
    return next((seat for seat, held in enumerate(state.holdings) if held >> state.battle & 1), None)


def holds_back(state: State, seat: int) -> bool:
    """Return whether a pass leaves this seat in the battle (R33).

    It must be the defender, have cards and not have played one yet, and another seat must still be in.
    """
    return (
        not (state.played | state.out) >> seat & 1
        and seat == defender(state)
        and next_in_battle(state, seat, state.out) != seat
    )


def next_in_battle(state: State, seat: int, out: int) -> int | None:
    """Return the next seat clockwise still in, perhaps the same one again (R1, R4); None if all are out."""
    for step in range(1, state.players + 1):
        following = (seat + step) % state.players
        if not out >> following & 1:
            return following
    return None


def clockwise(state: State, first: int) -> list[int]:
    """Return all seats clockwise, starting with `first` (R1)."""
    return _from(first, state.players)


def final_starter(state: State) -> int:
    """Return the seat that starts the final battle (R21).

    It is the token holder or, if they are not tied, the tied seat nearest to their left.
    """
    return next(seat for seat in clockwise(state, state.condottiere) if seat in state.finalists)


def seats_in(mask: int) -> tuple[int, ...]:
    """Return the seats in a bit mask, ascending."""
    return tuple([seat for seat in range(mask.bit_length()) if mask >> seat & 1])


def _from(first: int, players: int) -> list[int]:
    return [(first + step) % players for step in range(players)]


def _bit(region: int | None) -> int:
    return 0 if region is None else 1 << region
