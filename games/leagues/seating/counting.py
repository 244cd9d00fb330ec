"""What no seating can undercut, by counting alone."""

from collections.abc import Iterable

from .costs import meetings_cost


def pairs(players: int) -> int:
    """How many pairs so many players make."""
    return players * (players - 1) // 2


def fewest_rounds(players: int, size: int) -> int:
    """In fewer rounds not everybody can meet everybody, whoever plans them.

    Each needs as many games as it takes to meet all others, and a round has only so many seats. And where
    any two rounds have pairs in common, R rounds of p pairs, any two of which have c in common, bring at
    least c * (R - 1) pairs together again, and at most R * p - c * (R - 1) that had not met.
    """
    tables = players // size
    games = -(-(players - 1) // (size - 1))
    by_seats = -(-players * games // (tables * size))
    common = common_pairs(players, size)
    new = tables * pairs(size) - common
    return max(by_seats, -(-(pairs(players) - common) // new)) if new else by_seats


def common_pairs(players: int, size: int) -> int:
    """How many pairs sit together in both of any two rounds, at least, if all play in both: who sits at one
    table comes from the tables of the other round, and with few tables some come from the same."""
    tables = players // size
    if players % size:
        return 0
    each, more = divmod(size, tables)
    return tables * (more * pairs(each + 1) + (tables - more) * pairs(each))


def least_cost(opponents: Iterable[int], size: int, rounds: int) -> int:
    """What all meetings of a season cost at least where these are how many opponents each player has in it:
    each one's are spread evenly over all others, and any two rounds have pairs in common.

    The second count is a bound because a pair that meets m times is in common to pairs(m) pairs of rounds,
    and its meetings cost no less than that.
    """
    opponents = tuple(opponents)
    players = len(opponents)
    spread = sum(_least_cost_of_one(count, players - 1) for count in opponents)
    return max(-(-spread // 2), pairs(rounds) * common_pairs(players, size))


def _least_cost_of_one(opponents: int, others: int) -> int:
    often, more = divmod(opponents, others)
    return more * meetings_cost(often + 1) + (others - more) * meetings_cost(often)
