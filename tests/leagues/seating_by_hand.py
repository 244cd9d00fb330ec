"""Pairing by brute force: every possible pairing and its cost, without the search."""

from collections.abc import Iterator, Mapping, Sequence
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
    return sum(past.met(*pair) ** 2 for table in tables for pair in combinations(table, 2))


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
