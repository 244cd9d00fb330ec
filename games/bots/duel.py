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
    Options,
    Outcome,
    RegionChosen,
    State,
    apply,
    new_game,
    observe,
    parse_move,
    pending,
    redact,
)

from .ordering import aside_from, fight_after, hold_after
from .seated_players import RANDOM, WITH_ORDERS, SeatedPlayers, Thought

_NORMAL_95 = 1.959964


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
    outcome = _game(played, options, SeatedPlayers(seated, f"{seed}/{number}", thought, rng), first, rng)
    _count(played, seated, outcome)
    return outcome


def rotated(kinds: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the kind of player in each seat of game `number`."""
    shift = number % len(kinds)
    return (*kinds[shift:], *kinds[:shift])


def _game(played: Duel, options: Options, table: SeatedPlayers, first: int, rng: Random) -> Outcome:
    """Play one game to its end."""
    state, length = new_game(options, len(table.kinds), first), 0
    orders = _Orders(table.kinds)
    while not state.is_over:
        if state.shuffle_pile:
            state, told = apply(state, None, _shuffle(state, rng))
            orders.follow(state, told)
        else:
            seat = pending(state)[0].seat
            ordered = orders.answer(state, seat)
            move = ordered or _answer(played.scores[table.kinds[seat]], table, state, seat)
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


def _answer(score: Score, table: SeatedPlayers, state: State, seat: int) -> Move:
    if table.kinds[seat] == RANDOM:
        return table.choose(state, seat)
    gc.disable()
    start = process_time()
    move = table.choose(state, seat)
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
