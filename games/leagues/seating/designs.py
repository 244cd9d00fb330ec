"""Known perfect plans, in which no two players meet twice. Players are numbered from 0.

`design` returns one for these numbers, if it has one. Lots, byes and seats are handled elsewhere.
"""

from collections.abc import Callable

Round = list[list[int]]  # tables of players; those at none have a bye
Reckoning = Callable[[int, int], int]
# Kirkman's fifteen: the first day. Two rings of seven turn about player 14, a step for each other day.
_KIRKMAN = ((14, 0, 7), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))
# Multiplication in the field of four; its addition is exclusive or.
_FOUR = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))


def design(players: int, size: int) -> list[Round]:
    """Return as many rounds as are known in which no two players meet twice; empty if no plan is known."""
    if size == 2:
        return circle_rounds(players)
    if (players, size) == (15, 3):
        return [_turn_rings(day) for day in range(7)]
    if (players, size) == (16, 4):
        return lattice(4, 4, lambda one, other: one ^ other, lambda one, other: _FOUR[one][other])
    if players % size == 0 and _least_factor(players // size) >= size:
        tables = players // size
        return lattice(
            tables, size, lambda one, other: (one + other) % tables, lambda one, other: one * other % tables
        )
    return []


def circle_rounds(players: int) -> list[Round]:
    """Return two-player rounds of everyone against everyone, by the circle method.

    One player sits in the middle, the others on a ring that turns.
    With an odd number no one sits in the middle, and the player who would be opposite has a bye.
    """
    ring = players + players % 2 - 1
    rounds = []
    for step in range(ring):
        pairs = [[(step + at) % ring, (step - at) % ring] for at in range(1, (ring + 1) // 2)]
        rounds.append(pairs if ring == players else [[ring, step], *pairs])
    return rounds


def lattice(tables: int, size: int, plus: Reckoning, times: Reckoning) -> list[Round]:
    """Return rounds of tables with one member of each group.

    There are as many groups as a table has seats, each with as many members as there are tables.
    In round r, member i of group g sits at table i + g * r. Two players of different groups share a table in
    one round only, if the differences of groups are invertible.
    At the end the groups themselves are cut into tables, if they divide evenly. If a group fills exactly one
    table, everyone has then met everyone.
    """
    rounds = []
    for step in range(tables):
        seated: Round = [[] for _table in range(tables)]
        for group in range(size):
            for member in range(tables):
                seated[plus(member, times(group, step))].append(group * tables + member)
        rounds.append(seated)
    if tables % size == 0:
        rounds.append([list(range(start, start + size)) for start in range(0, tables * size, size)])
    return rounds


def _turn_rings(day: int) -> Round:
    return [[_on_ring(player, day) for player in table] for table in _KIRKMAN]


def _on_ring(player: int, steps: int) -> int:
    """Return where this player of the first round sits after this many steps; the middle does not turn."""
    ring, at = divmod(player, 7)
    return player if ring == 2 else 7 * ring + (at + steps) % 7


def _least_factor(number: int) -> int:
    """Return the least prime factor of this number; for 1, 1 itself."""
    return next((factor for factor in range(2, number + 1) if number % factor == 0), number)
