"""How good and how fast a league's seating is.

    python -m tests.benchmarks.seating [--seeds 50] [--everybody 40]

Seasons are planned ahead, and seated round after round without knowing how many follow, with many seeds. It
prints the worst of all seeds, and the processor time of a whole season. Of each seed that is the lightest of
three runs, because other work on the machine only adds to it. Exit status 1 if a limit is missed. With
--everybody it searches again in how many rounds a plan brings everyone together, for up to so many players.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from time import process_time

from games.leagues.seating import Seated, history_of, plan_rounds, seat_round, table_sizes
from games.leagues.seating.drafts import drafted
from games.leagues.seating.lower_bounds import fewest_rounds
from tests.leagues.seating_by_hand import Balance, balance_of

Way = Callable[[int, int, int, bytes], tuple[Seated, ...]]
RUNS = 3
MOST_ROUNDS = 20  # of a season


@dataclass(frozen=True)
class Limit:
    """A season and its limits; `repeats` are the most of a plan, and of rounds seated one by one."""

    players: int
    size: int
    rounds: int
    repeats: tuple[int, int] | None = None
    seconds: float = 1.0


LIMITS = [
    Limit(24, 4, 5, repeats=(0, 1)),
    Limit(100, 5, 6, repeats=(0, 0)),
    Limit(36, 6, 5, repeats=(12, 20)),
    Limit(60, 4, 6, repeats=(0, 0)),
    Limit(23, 4, 4, repeats=(0, 5)),
    Limit(19, 4, 4),
    Limit(12, 4, 5),
    Limit(30, 6, 5),
    Limit(11, 2, 11),
]


def planned(players: int, size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Plan a whole season, with the cache emptied first."""
    drafted.cache_clear()
    return plan_rounds(range(players), size, rounds, seed)


def one_by_one(players: int, size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Pair a season round by round, each round knowing only those before it."""
    seated: list[Seated] = []
    for _round in range(rounds):
        seated.append(seat_round(range(players), size, history_of(seated), seed))
    return tuple(seated)


def measured(way: Way, limit: Limit, seed: bytes) -> tuple[Balance, float]:
    """A season's result, and the seconds of its fastest run."""
    took = []
    for _run in range(RUNS):
        began = process_time()
        seated = way(limit.players, limit.size, limit.rounds, seed)
        took.append(process_time() - began)
    return balance_of(seated), min(took)


def row(name: str, way: Way, limit: Limit, seeds: int) -> tuple[str, bool]:
    """Return the report of a season, and whether any seed misses a limit."""
    results = [measured(way, limit, b"seed %d" % number) for number in range(seeds)]
    repeats = max(balance.repeats for balance, _took in results)
    met = min(balance.met for balance, _took in results)
    uneven = max(balance.firsts[1] - balance.firsts[0] for balance, _took in results)
    seconds = max(took for _balance, took in results)
    most = limit.repeats[way is one_by_one] if limit.repeats else repeats
    misses = seconds > limit.seconds or repeats > most
    told = (
        f"{limit.players:4} in {limit.size}s, {limit.rounds:2} rounds, {name:12}{repeats:8}{met:7}{uneven:8}"
    )
    return f"{told}{seconds * 1000:9.0f} ms{' MISSED' if misses else ''}", misses


def more_rounds(players: int, size: int) -> int:
    """How many rounds more than the fewest it takes for everyone to meet, in them and in every longer season
    up to four rounds longer."""
    fewest = fewest_rounds(players, table_sizes(players, size))
    return next(
        more for more in count() if all(meet(players, size, fewest + more + longer) for longer in range(4))
    )


def meet(players: int, size: int, rounds: int) -> bool:
    """Return whether everyone meets everyone in a plan of this many rounds."""
    if rounds > MOST_ROUNDS:
        return True
    balance = balance_of(plan_rounds(range(players), size, rounds, b""))
    return balance.met == balance.pairs


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.seating", description=__doc__)
    reader.add_argument("--seeds", type=int, default=50)
    reader.add_argument("--everybody", type=int, metavar="PLAYERS")
    asked = reader.parse_args()
    if asked.everybody:
        for size in range(3, 7):
            figures = (str(more_rounds(players, size)) for players in range(size, asked.everybody + 1))
            print(f'{size}: "{"".join(figures)}",', flush=True)
        return 0
    print(f"{'worst of the seeds':39}{'repeats':>8}{'met':>7}{'firsts':>8}{'heaviest':>12}")
    missed = False
    for limit in LIMITS:
        for name, way in (("planned", planned), ("one by one", one_by_one)):
            told, misses = row(name, way, limit, asked.seeds)
            print(told, flush=True)
            missed = missed or misses
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
