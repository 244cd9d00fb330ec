"""Plans that are known to be perfect: nobody meets anybody twice. Players are numbered from 0.

`design` finds one for these numbers, if there is one here; it says nothing of chance, of byes or of seats.
"""

from collections.abc import Callable

Round = list[list[int]]  # tables of players; who is at none has a bye
Reckoning = Callable[[int, int], int]

# Kirkman's fifteen: the first day. Two rings of seven turn about player 14, a step for each other day.
_KIRKMAN = ((14, 0, 7), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))
# The product in the field of four; its sum is exclusive or.
_FOUR = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))


def design(players: int, size: int) -> list[Round]:
    """As many rounds as are known in which no two meet twice; none: no such plan is known here."""
    if size == 2:
        return circle(players)
    if (players, size) == (15, 3):
        return [_turned(day) for day in range(7)]
    if (players, size) == (16, 4):
        return lattice(4, 4, lambda one, other: one ^ other, lambda one, other: _FOUR[one][other])
    if players % size == 0 and _least_factor(players // size) >= size:
        tables = players // size
        return lattice(
            tables, size, lambda one, other: (one + other) % tables, lambda one, other: one * other % tables
        )
    return []


def circle(players: int) -> list[Round]:
    """Duels of everybody with everybody: one sits in the middle, the others on a ring that turns. If they are
    odd, nobody sits in the middle, and who would be opposite has a bye."""
    ring = players + players % 2 - 1
    rounds = []
    for step in range(ring):
        pairs = [[(step + at) % ring, (step - at) % ring] for at in range(1, (ring + 1) // 2)]
        rounds.append(pairs if ring == players else [[ring, step], *pairs])
    return rounds


def lattice(tables: int, size: int, plus: Reckoning, times: Reckoning) -> list[Round]:
    """As many groups as a table has seats, of as many as there are tables; one of each group at each table.

    In round r, member i of group g sits at table i + g * r. Two of different groups share a table in one
    round only where the difference of two groups divides every number. At last the groups themselves are
    cut into tables, where that can be done: then everybody has met everybody where a group fills one table.
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


def _turned(day: int) -> Round:
    return [[_on_ring(player, day) for player in table] for table in _KIRKMAN]


def _on_ring(player: int, steps: int) -> int:
    """Where this player of the first day sits after so many steps; the middle does not turn."""
    ring, at = divmod(player, 7)
    return player if ring == 2 else 7 * ring + (at + steps) % 7


def _least_factor(number: int) -> int:
    """The least prime that divides this number; of 1 itself."""
    return next((factor for factor in range(2, number + 1) if number % factor == 0), number)
