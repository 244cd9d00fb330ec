"""Pairing by brute force: every possible pairing and its cost, without the search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from games.leagues.seating import PairingHistory, Seated, history_of, seat_round

SEED = b"a published seed"
Tables = Sequence[Sequence[int]]


def one_by_one(players: Sequence[int], size: int, rounds: int, seed: bytes = SEED) -> list[Seated]:
    """Pair a season round by round, each round knowing only those before it."""
    seated: list[Seated] = []
    for _round in range(rounds):
        seated.append(seat_round(players, size, history_of(seated), seed))
    return seated


def partitions(players: Sequence[int], size: int) -> Iterator[list[tuple[int, ...]]]:
    """Every way of seating these."""
    if not players:
        yield []
        return
    for others in combinations(players[1:], size - 1):
        rest = [player for player in players[1:] if player not in others]
        for tables in partitions(rest, size):
            yield [(players[0], *others), *tables]


def repeats_weighed(tables: Tables, past: PairingHistory) -> int:
    """A second meeting weighs 1, a third 4, a fourth 9."""
    return sum(
        past.meetings.get(frozenset(pair), 0) ** 2 for table in tables for pair in combinations(table, 2)
    )


def gaps_weighed(tables: Tables, scores: Mapping[int, Fraction]) -> Fraction:
    """The squared distances in places of all who share a table; equals share the middle of their places."""
    in_order = sorted(scores.values(), reverse=True)
    place = {
        player: in_order.index(score) + Fraction(in_order.count(score) - 1, 2)
        for player, score in scores.items()
    }
    return sum(
        ((place[one] - place[other]) ** 2 for table in tables for one, other in combinations(table, 2)),
        Fraction(0),
    )


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of a seating.

    `pairs` counts all pairs of players and `met` those that have met.
    `repeats` counts every meeting of two players after their first.
    The rest is the least and the most that any player had: of firsts, of any one seat, of byes, and of
    opponents, each counted as often as met.
    """

    pairs: int
    met: int
    repeats: int
    most_meetings: int
    firsts: tuple[int, int]
    places: tuple[int, int]
    byes: tuple[int, int]
    opponents: tuple[int, int]


def balance_of(rounds: Iterable[Seated]) -> Balance:
    """Return the balance of these rounds, over everyone who is in one of them."""
    rounds = tuple(rounds)
    past = history_of(rounds)
    players = sorted({player for seated in rounds for player in seated.players})
    seats = {place for held in past.places.values() for place in held}
    return Balance(
        pairs=len(players) * (len(players) - 1) // 2,
        met=len(past.meetings),
        repeats=sum(past.meetings.values()) - len(past.meetings),
        most_meetings=max(past.meetings.values(), default=0),
        firsts=_least_and_most(past.was_first(player) for player in players),
        places=_least_and_most(past.sat_at(player, seat) for player in players for seat in seats),
        byes=_least_and_most(past.had_byes(player) for player in players),
        opponents=_least_and_most(
            sum(times for pair, times in past.meetings.items() if player in pair) for player in players
        ),
    )


def _least_and_most(counts: Iterable[int]) -> tuple[int, int]:
    counts = tuple(counts)
    return min(counts, default=0), max(counts, default=0)
