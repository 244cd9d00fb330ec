"""Measured games between players of several kinds, played from a seed.

This is not part of choosing moves. Here cards are shuffled, the random player picks moves, and moves are
timed. Timing uses processor time with the garbage collector off, like `timeit`. So neither other work on the
machine nor the size of this process's heap counts as a bot's time.
"""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from time import process_time

from games.orders import Order, Stop, answer
from games.rules import (
    Event,
    FinalBattleBegun,
    Move,
    Observation,
    Options,
    Outcome,
    RegionChosen,
    State,
    apply,
    legal_moves,
    new_game,
    observe,
    parse_move,
    pending,
    redact,
)

from . import STRENGTHS, choose
from .ordering import aside_from, fight_after, hold_after
from .strategist import Budget, KnownCards, choose_move

RANDOM = "random"
STRATEGIST = "strategist"
KINDS: tuple[str, ...] = (*STRENGTHS, STRATEGIST, RANDOM)
PLAYOUTS_A_SECOND = 6000  # about what one core of a small server manages
WITH_ORDERS = " with orders"  # ends the name of a kind that gives standing orders
_NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Thought:
    """How long Strategist thinks about a move: a number of playouts, cut off after some processor time."""

    playouts: int = 300
    seconds: float | None = None

    @classmethod
    def lasting(cls, seconds: float) -> "Thought":
        """Return as much thought as fits into this time."""
        return cls(int(seconds * PLAYOUTS_A_SECOND), seconds)

    def budget(self) -> Budget:
        """Return the budget of a move that begins now."""
        if self.seconds is None:
            return Budget(self.playouts)
        end = process_time() + self.seconds
        return Budget(self.playouts, lambda: process_time() >= end)


@dataclass
class Score:
    """The results of all seats of one kind in a duel."""

    seats: int = 0  # seats taken, counted once per game and seat
    games: int = 0
    won: float = 0.0  # a victory shared by n seats counts 1/n for each
    points: int | None = None  # scored by all its seats in Playing for Points (R27)
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def rate(self) -> float:
        """Return the share of games won."""
        return self.won / self.games if self.games else 0.0

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the rate."""
        return wilson(self.won, self.games)


@dataclass
class Duel:
    """The results of the games played so far."""

    scores: dict[str, Score] = field(default_factory=dict)
    longest: int = 0  # log entries of the longest game


def wilson(won: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval for `won` out of `games`."""
    if not games:
        return 0.0, 1.0
    rate, square = won / games, _NORMAL_95**2
    middle = (rate + square / (2 * games)) / (1 + square / games)
    half = _NORMAL_95 * sqrt(rate * (1 - rate) / games + square / (4 * games**2)) / (1 + square / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def duel(
    kinds: Sequence[str],
    games: int,
    seed: str,
    options: Options | None = None,
    thought: Thought | None = None,
) -> Duel:
    """Play `games` games, of the base game if no options are given."""
    played = duel_of(kinds)
    for number in range(games):
        play_game(played, kinds, number, seed, options or Options(), thought or Thought())
    return played


def duel_of(kinds: Sequence[str]) -> Duel:
    """Return a duel of these kinds before its first game."""
    return Duel({kind: Score() for kind in dict.fromkeys(kinds)})


def play_game(
    played: Duel, kinds: Sequence[str], number: int, seed: str, options: Options, thought: Thought
) -> Outcome:
    """Play game `number` and count it.

    In game n the kinds move n seats to the left, and each seat starts in turn. So no one has the better seat
    more often.
    """
    seated = rotated(kinds, number)
    rng = Random(f"{seed}/{number}")  # noqa: S311 - measured games need repeatable randomness
    first = number // len(kinds) % len(kinds)
    outcome = _game(played, options, _Table(seated, f"{seed}/{number}", thought), first, rng)
    _count(played, seated, outcome)
    return outcome


def rotated(kinds: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the kind of player in each seat of game `number`."""
    shift = number % len(kinds)
    return (*kinds[shift:], *kinds[:shift])


class _Table:
    """The players of one game, with what those remember who need more than an observation."""

    def __init__(self, seated: Sequence[str], seed: str, thought: Thought) -> None:
        self.seated = seated
        self._seed, self._thought = seed, thought
        self._known = {
            seat: KnownCards.none(len(seated)) for seat, kind in enumerate(seated) if kind == STRATEGIST
        }

    def choose(self, seen: Observation, seat: int, ply: int) -> Move:
        """Return the move of a bot."""
        if seat in self._known:
            seed = f"{self._seed}/{ply}"
            return choose_move(seen, self._known[seat], seed, self._thought.budget())
        return choose(self.seated[seat].removesuffix(WITH_ORDERS), seen)

    def follow(self, told: Sequence[Event]) -> None:
        """Let the players remember what happened."""
        for seat, known in self._known.items():
            self._known[seat] = known.after(redact(told, seat))


def _game(played: Duel, options: Options, table: _Table, first: int, rng: Random) -> Outcome:
    """Play one game to its end."""
    state, length = new_game(options, len(table.seated), first), 0
    orders = _Orders(table.seated)
    while not state.is_over:
        if state.shuffle_pile:
            state, told = apply(state, None, _shuffle(state, rng))
            orders.follow(state, told)
        else:
            seat = pending(state)[0].seat
            ordered = orders.answer(state, seat)
            move = ordered or _answer(played.scores[table.seated[seat]], table, state, seat, rng)
            state, told = apply(state, seat, move)
            orders.follow(state, told)
            if ordered is None:
                orders.give(state, seat, move)
        table.follow(told)
        length += 1
    played.longest = max(played.longest, length)
    outcome = observe(state, None).outcome
    assert outcome is not None
    return outcome


class _Orders:
    """The standing orders of the seats that give them, with what has happened since each was given."""

    def __init__(self, seated: Sequence[str]) -> None:
        self._kinds = {
            seat: kind.removesuffix(WITH_ORDERS)
            for seat, kind in enumerate(seated)
            if kind.endswith(WITH_ORDERS)
        }
        self._given: dict[int, tuple[Order, list[Event]]] = {}

    def answer(self, state: State, seat: int) -> Move | None:
        """Return what the seat's order answers; None if it has none, or the order ends here and asks."""
        if seat not in self._given:
            return None
        order, since = self._given[seat]
        found = answer(order, observe(state, seat), redact(since, seat))
        if isinstance(found, Stop):
            del self._given[seat]
            return None
        return found

    def give(self, after: State, seat: int, move: Move) -> None:
        """Let the seat that has just made this move fight on or hold; what the move did comes before."""
        if seat not in self._kinds:
            return
        order = fight_after(self._kinds[seat], move, after, seat) or hold_after(move, after, seat)
        if order is not None:
            self._given[seat] = (order, [])

    def follow(self, state: State, told: Sequence[Event]) -> None:
        """Tell every order what happened, and let seats stand aside from a battle that begins."""
        for _order, since in self._given.values():
            since.extend(told)
        if any(isinstance(event, RegionChosen | FinalBattleBegun) for event in told):
            for seat, kind in self._kinds.items():
                order = aside_from(kind, state, seat)
                if order is not None:
                    self._given[seat] = (order, [])


def _shuffle(state: State, rng: Random) -> Move:
    pile = list(state.shuffle_pile)
    rng.shuffle(pile)
    return parse_move(" ".join(("shuffle", *pile)))


def _answer(score: Score, table: _Table, state: State, seat: int, rng: Random) -> Move:
    if table.seated[seat] == RANDOM:
        return rng.choice(legal_moves(state, seat))
    seen = observe(state, seat)
    gc.disable()
    start = process_time()
    move = table.choose(seen, seat, state.ply)
    taken = process_time() - start
    gc.enable()
    score.moves += 1
    score.seconds += taken
    score.slowest = max(score.slowest, taken)
    return move


def _count(played: Duel, seated: Sequence[str], outcome: Outcome) -> None:
    for kind in dict.fromkeys(seated):
        score = played.scores[kind]
        score.games += 1
        score.seats += list(seated).count(kind)
        score.won += sum([1 for seat in outcome.winners if seated[seat] == kind]) / len(outcome.winners)
    for kind, points in zip(seated, outcome.points or (), strict=False):
        played.scores[kind].points = (played.scores[kind].points or 0) + points


def described(played: Duel) -> Iterator[str]:
    """Yield the result as lines of text."""
    for kind, score in played.scores.items():
        low, high = score.interval()
        line = (
            f"{kind}: won {score.won:g} of {score.games} games, {score.rate():.1%} ({low:.1%} to {high:.1%})"
        )
        if score.points is not None:
            line += f", {score.points / score.seats:.1f} points a seat"
        if score.moves:
            mean = score.seconds / score.moves
            line += f", {mean * 1000:.2f} ms a move, {score.slowest * 1000:.1f} ms the slowest"
        yield line
