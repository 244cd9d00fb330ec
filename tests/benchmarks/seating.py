"""How good and how fast a league's seating is.

    python -m tests.benchmarks.seating [--seeds 50] [--everybody 40] [--smaller 24]

Seasons are planned ahead, and seated round after round without knowing how many follow, with many seeds. It
prints the worst of all seeds, and the processor time of a whole season. Of each seed that is the lightest of
three runs, because other work on the machine only adds to it. Exit status 1 if a limit is missed. With
--everybody it searches again in how many rounds a plan brings everyone together, for up to so many players.
With --smaller it searches from how many rounds on tables of one seat fewer are as good, and in how many they
bring everyone together.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from time import process_time

from games.leagues.seating import (
    LEAST_AT_TABLE,
    Seated,
    history_of,
    plan_rounds,
    seat_round,
    table_sizes,
)
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


def smaller_tables(players: int, size: int) -> tuple[int, int] | None:
    """Return from how many rounds on tables of one seat fewer are never worse, and all then meet.

    They are worse if fewer pairs meet, if there are more repeats, or if a pair meets more often.
    """
    usual = table_sizes(players, size)
    tables = -(-players // size)
    each, larger = divmod(players, tables)
    smaller = (each + 1,) * larger + (each,) * (tables - larger)
    if max(usual) <= size or each < max(size - 1, LEAST_AT_TABLE):
        return None
    start = together = MOST_ROUNDS + 1
    for rounds in range(MOST_ROUNDS, 1, -1):
        new, old = (
            drafted_balance(players, smaller, rounds, True),
            drafted_balance(players, usual, rounds, False),
        )
        if new.met < old.met or new.repeats > old.repeats or new.most_meetings > old.most_meetings:
            break
        start, together = rounds, rounds if new.met == new.pairs and together == rounds + 1 else together
    return (start, together) if start <= MOST_ROUNDS else None


def drafted_balance(players: int, sizes: tuple[int, ...], rounds: int, evenly: bool) -> Balance:
    return balance_of([Seated(tables) for tables in drafted(players, sizes, rounds, evenly=evenly)])


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.seating", description=__doc__)
    reader.add_argument("--seeds", type=int, default=50)
    reader.add_argument("--everybody", type=int, metavar="PLAYERS")
    reader.add_argument("--smaller", type=int, metavar="PLAYERS")
    asked = reader.parse_args()
    if asked.smaller:
        for size in (4, 5):
            found = {players: smaller_tables(players, size) for players in range(size, asked.smaller + 1)}
            print(
                f"{size}: { ({players: rounds for players, rounds in found.items() if rounds}) },", flush=True
            )
        return 0
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
