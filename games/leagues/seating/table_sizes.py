"""The sizes of a round's tables.

Tables of other sizes than the season's seat the rest of a division, so that everyone plays.
"""

from collections.abc import Collection
from functools import lru_cache

from games.leagues.seating.values import BadSeating

SIZES = range(2, 7)
LEAST_AT_TABLE = 3  # except for two-player tables
_ONE_MORE, _ONE_FEWER, _BEYOND = 2, 7, 40
# Where tables have one seat fewer instead of one more, in long seasons of few players: by seats and players,
# from how many rounds on, and in how many everyone then meets everyone. From there on, smaller tables bring
# as many pairs together, and none meets more often. They decide what was drawn, so they may change only
# together with the kind of file (`KIND`). `python -m tests.benchmarks.seating --smaller 24` recomputes them.
ONE_SEAT_FEWER: dict[int, dict[int, tuple[int, int]]] = {
    4: {
        9: (4, 4),
        10: (4, 5),
        13: (6, 6),
        14: (5, 6),
        15: (4, 5),
        17: (8, 8),
        18: (8, 8),
        19: (9, 9),
        21: (15, 15),
        22: (10, 10),
        23: (10, 10),
    },
    5: {12: (6, 6), 16: (5, 5), 17: (6, 6), 18: (7, 7), 21: (8, 8), 22: (8, 8), 23: (6, 7)},
}


def require_sizes(players: Collection[int], size: int, sized_for: int = 1) -> tuple[int, ...]:
    """Return the sizes of these players' tables. Raises BadSeating if they make no table."""
    if size not in SIZES:
        raise BadSeating(f"A table has {SIZES[0]} to {SIZES[-1]} seats, not {size}.")
    if len(set(players)) < len(players):
        raise BadSeating("A player is named twice.")
    sizes = table_sizes(len(players), size, sized_for)
    if not sizes:
        raise BadSeating(f"{len(players)} players do not fill a table.")
    return sizes


@lru_cache(maxsize=256)
def table_sizes(players: int, size: int, sized_for: int = 1) -> tuple[int, ...]:
    """Return the sizes of the tables that this many players make, the largest first.

    The cheapest sizes are those with the least total of `_odd_cost`, in a season of this size.
    If the same players would meet too often at those, in the number of rounds that the sizes are for
    (`sized_for`), tables have one seat fewer. For one round they never have.
    Duels are always pairs, and one of an odd number has a bye. Otherwise, fewer than three make no table.
    """
    if size == SIZES[0]:
        return (size,) * (players // size)
    if has_smaller_tables(players, size, sized_for):
        tables = -(-players // size)
        each, larger = divmod(players, tables)
        return (each + 1,) * larger + (each,) * (tables - larger)
    cheapest: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for seated in range(LEAST_AT_TABLE, players + 1):
        cheapest[seated] = min(
            _with_table(cheapest[seated - table], table, size)
            for table in range(LEAST_AT_TABLE, SIZES.stop)
            if seated - table in cheapest
        )
    return cheapest.get(players, cheapest[0])[1]


@lru_cache(maxsize=256)  # each page with a season's rules asks, and a division of 120 takes 20 ms
def possible_sizes(most: int, size: int, sized_for: int = 1) -> frozenset[int]:
    """Return the sizes of all tables that divisions of one table up to this many players make."""
    divisions = range(size, most + 1)
    return frozenset(table for players in divisions for table in table_sizes(players, size, sized_for))


def has_smaller_tables(players: int, size: int, sized_for: int) -> bool:
    """Return whether tables have one seat fewer instead of one more, in a season of this many rounds."""
    start, _everybody = ONE_SEAT_FEWER.get(size, {}).get(players, (sized_for + 1, 0))
    return sized_for >= start


def _with_table(way: tuple[int, tuple[int, ...]], table: int, size: int) -> tuple[int, tuple[int, ...]]:
    cost, sizes = way
    return cost + _odd_cost(table, size), tuple(sorted((*sizes, table), reverse=True))


def _odd_cost(table: int, size: int) -> int:
    """Return what a table costs that is not of the season's size: one more seat is better than one fewer."""
    if table in (size, size + 1):
        return _ONE_MORE * (table - size)
    return _ONE_FEWER if table == size - 1 else _BEYOND * (abs(table - size) - 1)
