"""A battle in a world where all cards are known, from any of its turns to the settled region.

It does what the rules do, only faster: no events, no refusals, and one world that changes. What follows a
battle is left to `position_value.py`. A test plays every battle both here and by the rules.
"""

from functools import lru_cache
from typing import NamedTuple

from games.bots.regions import largest_group
from games.rules import SPRING_BONUS, Options

from .card_numbers import (
    ALL_REGIONS,
    BISHOP,
    COURTESAN,
    DRUMMER,
    FIRST_SPECIAL,
    GOES_FACE_DOWN,
    SCARECROW,
    SPRING,
    STRENGTHS,
    SURRENDER,
    WINTER,
    Cards,
)

NONE = -1  # no card, no region, no seat


class Action(NamedTuple):
    """A card to play, with what a Scarecrow takes from which line and where a Bishop sends the Pope.

    Without a card it is a pass.
    """

    card: int = NONE
    taken: int = NONE
    owner: int = NONE
    pope: int = NONE
    reveals: bool = False


PASS = Action()


@lru_cache(maxsize=1 << 16)
def strength(line: Cards, season: int, highest: int) -> int:
    """Return the strength of a line (R6); `highest` matters only in Spring."""
    mercenaries = [card for card in line if card < FIRST_SPECIAL]
    total = len(mercenaries) if season == WINTER else sum([STRENGTHS[card] for card in mercenaries])
    if DRUMMER in line:
        total *= 2
    if season == SPRING:
        total += SPRING_BONUS * mercenaries.count(highest)
    return total + sum([STRENGTHS[card] for card in line if card >= FIRST_SPECIAL])


def highest_mercenary(lines: list[Cards]) -> int:
    """Return the Mercenary of the highest printed value in all lines (R6, R8), or NONE."""
    return max([card for line in lines for card in line if card < FIRST_SPECIAL], default=NONE)


def totals_of(lines: list[Cards], season: int) -> list[int]:
    """Return the strength of each line under this season (R6)."""
    highest = highest_mercenary(lines) if season == SPRING else NONE
    return [strength(line, season, highest) for line in lines]


class World:
    """A position in which every hand is known."""

    __slots__ = (
        "battle",
        "down",
        "finalists",
        "hands",
        "holdings",
        "lines",
        "options",
        "out",
        "played",
        "players",
        "pope",
        "season",
        "settled",
        "token",
        "totals",
        "turn",
        "winners",
    )

    def __init__(self, options: Options, players: int) -> None:
        """Make a world without cards, between two battles."""
        self.options, self.players = options, players
        self.hands: list[Cards] = [()] * players
        self.lines: list[Cards] = [()] * players  # face up
        self.down: list[Cards] = [()] * players  # per seat, its one face-down card, or none (R37)
        self.totals = [0] * players  # of the face-up cards
        self.season = NONE
        self.holdings = [0] * players
        self.battle, self.pope, self.token = NONE, NONE, 0
        self.out = self.played = 0  # bit masks of seats
        self.turn = NONE
        self.finalists: tuple[int, ...] = ()
        self.winners: tuple[int, ...] = ()  # of the game, once it is over
        self.settled = False  # whether the battle is over

    def copy(self) -> "World":
        """Return a world that changes apart from this one."""
        twin = _NEW(World)
        twin.options, twin.players, twin.finalists = self.options, self.players, self.finalists
        twin.hands, twin.lines, twin.down = self.hands[:], self.lines[:], self.down[:]
        twin.totals, twin.holdings, twin.season = self.totals[:], self.holdings[:], self.season
        twin.battle, twin.pope, twin.token = self.battle, self.pope, self.token
        twin.out, twin.played, twin.turn = self.out, self.played, self.turn
        twin.winners, twin.settled = self.winners, self.settled
        return twin

    def begin(self, region: int) -> None:
        """Start a battle for this region, with the token holder or the next seat that has cards (R4, R5)."""
        self.battle, self.played, self.settled, self.season = region, 0, False, NONE
        self.lines, self.totals = [()] * self.players, [0] * self.players
        self.out = sum([1 << seat for seat, hand in enumerate(self.hands) if not hand])
        self.turn = self._next(self.token - 1, self.out)

    def act(self, action: Action) -> None:
        """Play the card or pass for the seat whose turn it is."""
        if action.card == NONE:
            self._leave(action.reveals)
        else:
            self._play(action)

    def holds_back(self, seat: int) -> bool:
        """Return whether a pass leaves this seat in the battle (R33)."""
        return (
            not (self.played | self.out) >> seat & 1
            and seat == self.defender()
            and self._next(seat, self.out) != seat
        )

    def defender(self) -> int:
        """Return the seat that holds the region fought for (R33, R42), or NONE."""
        if self.battle != NONE and (self.options.captures_regions or self.options.is_1995):
            for seat, held in enumerate(self.holdings):
                if held >> self.battle & 1:
                    return seat
        return NONE

    def _play(self, action: Action) -> None:
        """Play, resolve and count one card (R4, R6); then take a seat with an empty hand out (R5)."""
        seat, card, options = self.turn, action.card, self.options
        hand = self.hands[seat]
        at = hand.index(card)
        self.hands[seat] = hand[:at] + hand[at + 1 :]
        covered = options.hides_cards and GOES_FACE_DOWN[card]
        if card == SCARECROW:
            self._take_back(seat, action)
        elif card == BISHOP:
            if not options.is_1995:
                self._remove_highest(action.pope)
        elif not covered:
            self._lay(seat, card)
        if options.hides_cards:
            self._turn_up(seat)
            self.down[seat] = (card,) if covered else ()
        self.played |= 1 << seat
        if card == SURRENDER:
            self._compare()
        elif card == BISHOP and options.is_1995:
            self._settle(NONE)
        else:
            if not self.hands[seat]:
                self.out |= 1 << seat
            self._pass_turn(seat)

    def _leave(self, reveals: bool) -> None:
        """Pass, which is final except for a defender who may still wait (R4, R33, R38)."""
        seat = self.turn
        if not self.holds_back(seat):
            self.out |= 1 << seat
        if reveals:
            self._turn_up(seat)
        self._pass_turn(seat)

    def _pass_turn(self, seat: int) -> None:
        """Pass the turn to the next seat; compare the lines if none is in."""
        self.turn = self._next(seat, self.out)
        if self.turn == NONE:
            self._compare()

    def _next(self, seat: int, out: int) -> int:
        """Return the next seat clockwise still in, perhaps the same one again; NONE if all are out."""
        for _ in range(self.players):
            seat = (seat + 1) % self.players
            if not out >> seat & 1:
                return seat
        return NONE

    def _lay(self, seat: int, card: int) -> None:
        """Add a card to the seat's line; a season discards the other season (R7)."""
        if card in (WINTER, SPRING):
            swept = SPRING if card == WINTER else WINTER
            self.lines = [_cleared(line, swept) for line in self.lines]
            self.season = card
        self.lines[seat] += (card,)
        if card in (WINTER, SPRING) or self.season == SPRING:
            self.totals = totals_of(self.lines, self.season)
        else:
            self.totals[seat] = strength(self.lines[seat], self.season, NONE)

    def _turn_up(self, seat: int) -> None:
        """Add the seat's face-down card to its line (R37, R38)."""
        for card in self.down[seat]:
            self._lay(seat, card)
        self.down[seat] = ()

    def _take_back(self, seat: int, action: Action) -> None:
        """Take a Mercenary back from a line into the seat's hand, or nothing (R10, R45)."""
        if action.taken != NONE:
            owner = seat if action.owner == NONE else action.owner
            line = self.lines[owner]
            at = line.index(action.taken)
            self.lines[owner] = line[:at] + line[at + 1 :]
            self.hands[seat] = tuple(sorted((*self.hands[seat], action.taken)))
            self.totals = totals_of(self.lines, self.season)

    def _remove_highest(self, pope: int) -> None:
        """Remove every Mercenary of the highest value; the Pope moves, but not in a final battle (R8, R9)."""
        highest = highest_mercenary(self.lines)
        self.lines = [_cleared(line, highest) for line in self.lines]
        self.totals = totals_of(self.lines, self.season)
        if not self.finalists:
            self.pope = pope

    def _compare(self) -> None:
        """Turn up all cards, then give the region to the only highest strength (R13, R21, R39)."""
        for seat in range(self.players):
            self._turn_up(seat)
        most = max(self.totals)
        if self.finalists:
            self.settled, self.turn = True, NONE
            most = max([self.totals[seat] for seat in self.finalists])
            self.winners = tuple([seat for seat in self.finalists if self.totals[seat] == most])
        else:
            self._settle(self.totals.index(most) if self.totals.count(most) == 1 else NONE)

    def _settle(self, winner: int) -> None:
        """Hand over region and token, and look whether the winner has reached a goal (R13 to R16)."""
        owner, one = self.defender(), 1 << self.battle
        if winner not in (NONE, owner):
            self.holdings[winner] |= one
            if owner != NONE:
                self.holdings[owner] &= ~one
        self.token = self._next_holder(winner, owner)
        self.battle, self.turn, self.settled = NONE, NONE, True
        goals = self.options.goals(self.players)
        if winner != NONE:
            held = self.holdings[winner]
            if largest_group(held) >= goals.connected or held.bit_count() >= (goals.total or 99):
                self.winners = (winner,)
        if not self.winners and not self.may_be_chosen():
            self.winners = self._with_most_regions()

    def _next_holder(self, winner: int, owner: int) -> int:
        """Return who gets the token after a battle (R14, R34, R44)."""
        counts = [line.count(COURTESAN) for line in self.lines]
        most = max(counts)
        if counts.count(most) == 1:
            return counts.index(most)
        if winner != NONE:
            return winner
        if owner != NONE:
            return owner
        return self.token if self.options.is_1995 else (self.token + 1) % self.players

    def may_be_chosen(self) -> int:
        """Return the regions that the token holder may fight for (R3, R32, R41)."""
        if self.options.is_1995:
            return ALL_REGIONS
        taken = self.holdings[self.token] if self.options.captures_regions else sum(self.holdings)
        return ALL_REGIONS & ~taken & ~(0 if self.pope == NONE else 1 << self.pope)

    def _with_most_regions(self) -> tuple[int, ...]:
        """Return the seats that hold most regions once the map is full (R20); a tie counts as shared."""
        counts = [held.bit_count() for held in self.holdings]
        return tuple([seat for seat, count in enumerate(counts) if count == max(counts)])


_NEW = object.__new__


def _cleared(line: Cards, card: int) -> Cards:
    return tuple([other for other in line if other != card]) if card in line else line
