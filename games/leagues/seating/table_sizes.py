"""The sizes of a round's tables.

Tables of other sizes than the season's seat the rest of a division, so that everyone plays.
"""

from collections.abc import Collection
from functools import lru_cache

from games.leagues.seating.values import BadSeating

SIZES = range(2, 7)
LEAST_AT_TABLE = 3  # except for two-player tables
_ONE_MORE, _ONE_FEWER, _BEYOND = 2, 7, 40


def require_sizes(players: Collection[int], size: int) -> tuple[int, ...]:
    """Return the sizes of these players' tables. Raises BadSeating if they make no table."""
    if size not in SIZES:
        raise BadSeating(f"A table has {SIZES[0]} to {SIZES[-1]} seats, not {size}.")
    if len(set(players)) < len(players):
        raise BadSeating("A player is named twice.")
    sizes = table_sizes(len(players), size)
    if not sizes:
        raise BadSeating(f"{len(players)} players do not fill a table.")
    return sizes


@lru_cache(maxsize=256)
def table_sizes(players: int, size: int) -> tuple[int, ...]:
    """Return the sizes of the tables that this many players make, the largest first.

    The cheapest sizes are those with the least total of `_odd_cost`, in a season of this size.
    Duels are always pairs, and one of an odd number has a bye. Otherwise, fewer than three make no table.
    """
    if size == SIZES[0]:
        return (size,) * (players // size)
    cheapest: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for seated in range(LEAST_AT_TABLE, players + 1):
        cheapest[seated] = min(
            _with_table(cheapest[seated - table], table, size)
            for table in range(LEAST_AT_TABLE, SIZES.stop)
            if seated - table in cheapest
        )
    return cheapest.get(players, cheapest[0])[1]


def _with_table(way: tuple[int, tuple[int, ...]], table: int, size: int) -> tuple[int, tuple[int, ...]]:
    cost, sizes = way
    return cost + _odd_cost(table, size), tuple(sorted((*sizes, table), reverse=True))


def _odd_cost(table: int, size: int) -> int:
    """Return what a table costs that is not of the season's size: one more seat is better than one fewer."""
    if table in (size, size + 1):
        return _ONE_MORE * (table - size)
    return _ONE_FEWER if table == size - 1 else _BEYOND * (abs(table - size) - 1)
