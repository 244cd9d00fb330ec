"""Lower bounds for the cost and the rounds of any seating, found by counting."""

from collections.abc import Callable, Sequence

from games.leagues.seating.pairing_cost import REPEATED, meetings_cost


def pairs(players: int) -> int:
    """Return the number of pairs among this many players."""
    return players * (players - 1) // 2


def fewest_rounds(players: int, sizes: Sequence[int]) -> int:
    """Return a lower bound for the rounds in which everyone can meet everyone, however they are planned.

    Each player needs as many games as it takes to meet all others.
    A round has only so many pairs, and any two may have some in common. Take R rounds of p pairs, any two
    with c in common. They repeat at least c * (R - 1) pairs, and bring at most R * p - c * (R - 1) new ones.
    """
    games = -(-(players - 1) // (sizes[0] - 1))
    common = common_pairs(players, sizes)
    new = sum(map(pairs, sizes)) - common
    return max(games, -(-(pairs(players) - common) // new)) if new else games


def common_pairs(players: int, sizes: Sequence[int]) -> int:
    """Return the least number of pairs that sit together in both of any two rounds, if everyone plays both.

    The players of one table come from the tables of the other round.
    With few tables, some come from the same one.
    """
    if sum(sizes) < players:
        return 0
    return sum(spread_evenly(size, len(sizes), pairs) for size in sizes)


def least_cost(players: int, sizes: Sequence[int], rounds: int) -> int:
    """Return the least cost of a season: of all meetings, and of all players' numbers of opponents.

    First bound of the meetings: each player's are spread evenly over all others.
    Second bound: any two rounds have pairs in common.
    A pair that meets m times is in common to pairs(m) pairs of rounds, and its meetings cost at least that.
    """
    opponents = rounds * sum(size * (size - 1) for size in sizes)
    spread = spread_evenly(opponents, players, lambda own: spread_evenly(own, players - 1, meetings_cost))
    repeats = max(-(-spread // 2), pairs(rounds) * common_pairs(players, sizes))
    return REPEATED * repeats + spread_evenly(opponents, players, pairs)


def spread_evenly(things: int, among: int, cost: Callable[[int], int]) -> int:
    """Return the total cost of things that are spread evenly, given the cost of one share."""
    each, more = divmod(things, among)
    return more * cost(each + 1) + (among - more) * cost(each)
