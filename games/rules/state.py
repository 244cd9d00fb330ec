"""Where a game stands: one immutable value, a function of the options and the log alone.

Opaque outside the rules but for options, players, phase, ply, step, shuffles, shuffle_pile and is_over;
whoever shows a game asks `observe`.
"""

from typing import NamedTuple

from .board import ALL_REGIONS
from .cards import Cards, names
from .errors import UnknownOption, quoted
from .options import SEATS, Options
from .outcome import Outcome

SHUFFLE, PLACE, BATTLE, HAND, KEEP, OVER = "shuffle", "place", "battle", "hand", "keep", "over"


class BeforeHands(NamedTuple):
    """What the table knew when the step of R17 began, and goes on knowing until the last has decided."""

    hands: tuple[Cards, ...]
    discards: Cards


class State(NamedTuple):
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
    lines: tuple[Cards, ...]  # in the order played
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


def new_game(options: Options, players: int, first_condottiere: int) -> State:
    """The table before its first shuffle (R2). Raises UnknownOption for a wrong number of players or seat."""
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
        finalists=(),
        result=None,
    )


def controlled(state: State) -> int:
    """All regions with a control marker."""
    mask = 0
    for holding in state.holdings:
        mask |= holding
    return mask


def regions_to_place(state: State) -> int:
    """Where the holder of the Condottiere may fight: no control marker, and not the Pope's (R3)."""
    free = ALL_REGIONS & ~controlled(state)
    return free if state.pope is None else free & ~(1 << state.pope)


def regions_for_pope(state: State) -> int:
    """Where a Bishop may send the Pope: no control marker, and not the region being fought for (R9). In a
    final battle nowhere (R21)."""
    if state.battle is None:
        return 0
    return ALL_REGIONS & ~controlled(state) & ~(1 << state.battle)


def next_in_battle(state: State, seat: int, out: int) -> int | None:
    """The next seat clockwise that is still in, perhaps the same one again (R1, R4); None if all are out."""
    for step in range(1, state.players + 1):
        following = (seat + step) % state.players
        if not out >> following & 1:
            return following
    return None


def clockwise(state: State, first: int) -> list[int]:
    """All seats from the first one on (R1)."""
    return [(first + step) % state.players for step in range(state.players)]


def seats_in(mask: int) -> tuple[int, ...]:
    """The seats in a bit mask, ascending."""
    return tuple([seat for seat in range(mask.bit_length()) if mask >> seat & 1])
