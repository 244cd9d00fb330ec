"""The cost of a seating (repeated meetings, uneven scores and seats), and known good designs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise, permutations

from games.leagues.seating.values import Lots, PairingHistory

Weights = list[list[int]]  # cost of each pair sharing a table; 0 on the diagonal

REACH = 3
MISSED = 10
REPEATED = 8  # what a second meeting costs, in opponents that one player has more than another


def repeat_cost(met: int) -> int:
    """Return the cost of a meeting of two players who have met this often before."""
    return met * met


def meetings_cost(times: int) -> int:
    """Return the total cost of this many meetings of two players: 0, 0, 1, 5, 14 ..."""
    return sum(map(repeat_cost, range(times)))


def round_costs(
    players: Sequence[int], sizes: Sequence[int], past: PairingHistory, scores: Mapping[int, Fraction] | None
) -> tuple[Weights, list[int], int]:
    """Return the cost of each pair in a round of tables of these sizes, everyone's load, and a lower bound.

    All counts are combined in one number. The lower bound is for loads and firsts alone.
    """
    weights = by_meetings_and_scores(players, sizes[0], past, scores)
    loads = loads_of(map(sum, meetings_table(players, past)))
    due = first_seat_due(players, past)
    if all(due):
        return weights, loads, least_of_loads(loads, sizes)
    above = len(players) * sizes[0]
    least = above * least_of_loads(loads, sizes) + least_of_firsts(sum(due), len(sizes))
    return with_firsts(weights, due, above=above), [above * load for load in loads], least


def loads_of(opponents: Iterable[int]) -> list[int]:
    """Return how many opponents more than the least each player has had.

    A player's load is the cost of each seat that their table has more than the smallest.
    """
    opponents = tuple(opponents)
    return [count - min(opponents) for count in opponents]


def least_of_loads(loads: Iterable[int], sizes: Sequence[int]) -> int:
    """Return the cost of all loads if the players with the least sit at the largest tables."""
    seats = [size - sizes[-1] for size in sizes for _seat in range(size)]
    return sum(load * more for load, more in zip(sorted(loads), seats, strict=True))


def by_meetings_and_scores(
    players: Sequence[int], size: int, past: PairingHistory, scores: Mapping[int, Fraction] | None
) -> Weights:
    """Return the cost of each pair by the first two counts: meetings and scores."""
    met = meetings_table(players, past)
    if scores is None:
        return weights_of(met)
    again = (2 * REACH * size) ** 2
    standing = half_places(players, scores)
    return [
        [again * repeat_cost(times) + (here - there) ** 2 for times, there in zip(row, standing, strict=True)]
        for row, here in zip(met, standing, strict=True)
    ]


def meetings_table(players: Sequence[int], past: PairingHistory) -> list[list[int]]:
    """Return how often each pair has met."""
    number = {player: at for at, player in enumerate(players)}
    table = [[0] * len(players) for _player in players]
    for pair, times in past.meetings.items():
        if len(pair) == 2 and pair <= number.keys():
            one, other = (number[player] for player in pair)
            table[one][other] = table[other][one] = times
    return table


def weights_of(met: Sequence[list[int]], missed: int = 0) -> Weights:
    """Return the cost of each pair by past meetings, minus that of the cheapest pair.

    Every seating costs that minimum, so a search does better without it.
    `missed` is saved when two players meet who would otherwise never meet.
    """
    cost = [REPEATED * (repeat_cost(times) + missed * bool(times)) for times in range(1 + max(map(max, met)))]
    least = cost[min(min(row[:at] + row[at + 1 :]) for at, row in enumerate(met))]
    weights = [[cost[times] - least for times in row] for row in met]
    for at, row in enumerate(weights):
        row[at] = 0
    return weights


def half_places(players: Sequence[int], scores: Mapping[int, Fraction]) -> list[int]:
    """Return twice each player's place by score, the best first.

    Equal players share the middle of their places. A missing score counts as 0.
    """
    own = [scores.get(player, Fraction(0)) for player in players]
    places: dict[Fraction, int] = {}
    before = 0
    for score, equals in groupby(sorted(own, reverse=True)):
        count = len(list(equals))
        places[score] = 2 * before + count + 1
        before += count
    return [places[score] for score in own]


def with_firsts(weights: Weights, due: Sequence[bool], *, above: int) -> Weights:
    """Add the third count below the others: `above`, its weight, exceeds the third count's total."""
    together = [[above * cost for cost in row] for row in weights]
    for one, other in permutations((at for at, is_due in enumerate(due) if is_due), 2):
        together[one][other] += 1
    return together


def least_of_firsts(due: int, tables: int) -> int:
    """Return the third count if the players due for the first seat are spread evenly over the tables."""
    each, more = divmod(due, tables)
    return tables * each * (each - 1) // 2 + more * each


def first_seat_due(players: Sequence[int], past: PairingHistory) -> list[bool]:
    """Return which of these players have been first Condottiere least often."""
    least = min(map(past.was_first, players))
    return [past.was_first(player) == least for player in players]


# Lower bounds for any seating, by counting alone


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


# Seat order at a table: the first Condottiere is a player who was that least often, then seats held least.
#
# `one_round` orders the tables of one round by the rounds before it. `whole_plan` orders those of a whole
# season at once. That can always be done evenly: all players hold every seat once before any seat twice.


Tables = Sequence[Sequence[int]]  # of one round


def one_round(tables: Tables, past: PairingHistory, lots: Lots) -> tuple[tuple[int, ...], ...]:
    """Return these tables, each in seat order."""
    return tuple(_seated(lots.shuffled(sorted(table)), past) for table in tables)


def _seated(table: Sequence[int], past: PairingHistory) -> tuple[int, ...]:
    """Return the best order of a table; among equals, the first in the order the lots give."""
    least = min(map(past.was_first, table))
    orders = (order for order in permutations(table) if past.was_first(order[0]) == least)
    return min(orders, key=lambda order: _held_before(order, past))


def _held_before(order: Sequence[int], past: PairingHistory) -> int:
    """Return the cost of holding seats again: the squares of past counts, without the first Condottiere's."""
    return sum(past.sat_at(player, place) ** 2 for place, player in enumerate(order) if place)


def whole_plan(rounds: Sequence[Tables], least: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the tables of all rounds in seat order, with everyone's seats shared evenly.

    Tables with more than the `least` seats have last seats, for the players who had the fewest of those.
    A player's other games are cut into stretches of as many games as the smallest table has seats.
    Each stretch meets each seat at most once.
    The seats are colours of the edges that join tables and stretches.
    Such edges need no more colours than the largest number of them at one vertex (König).
    """
    colours = _Colours(least)
    games, last_seats = Counter[int](), Counter[int]()
    ends: dict[tuple[int, int], list[int]] = {}  # by round and table: the players in its last seats
    for at, tables in enumerate(rounds):
        for number, table in enumerate(tables):
            ends[at, number] = sorted(table, key=lambda player: last_seats[player])[: len(table) - least]
            last_seats.update(ends[at, number])
            for player in table:
                if player not in ends[at, number]:
                    colours.join(("table", at, number), ("player", player, games[player] // least))
                    games[player] += 1
    return tuple(
        tuple((*colours.order_of(("table", at, number)), *ends[at, number]) for number in range(len(tables)))
        for at, tables in enumerate(rounds)
    )


Point = tuple[str, int, int]  # a table by its round and number, or a player by number and stretch


class _Colours:
    """Edges between tables and players' stretches, coloured so that no two of one colour meet."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ends: dict[Point, dict[int, Point]] = {}  # by point and colour: the other end of the edge

    def join(self, table: Point, stretch: Point) -> None:
        """Add an edge.

        If its ends have no free colour in common, take one colour free at each end.
        Swap these two colours along the path that leads away from the stretch.
        """
        here, there = self._free(table), self._free(stretch)
        common = [colour for colour in here if colour in there]
        colour = common[0] if common else here[0]
        if not common:
            self._turn_over(stretch, colour, there[0])
        self._paint(table, stretch, colour)

    def order_of(self, table: Point) -> tuple[int, ...]:
        """Return the players of a table by colour."""
        return tuple(player for _colour, (_kind, player, _at) in sorted(self.ends[table].items()))

    def _free(self, point: Point) -> list[int]:
        used = self.ends.setdefault(point, {})
        return [colour for colour in range(self.count) if colour not in used]

    def _turn_over(self, point: Point, one: int, other: int) -> None:
        """Swap these two colours along the alternating path from this point."""
        way = [point]
        while (following := self.ends[way[-1]].get((one, other)[len(way) % 2 == 0])) is not None:
            way.append(following)
        lines = list(pairwise(way))
        for at, (here, there) in enumerate(lines):
            colour = (one, other)[at % 2]
            del self.ends[here][colour], self.ends[there][colour]
        for at, (here, there) in enumerate(lines):
            self._paint(here, there, (other, one)[at % 2])

    def _paint(self, here: Point, there: Point, colour: int) -> None:
        self.ends[here][colour], self.ends[there][colour] = there, here


# Known perfect plans, in which no two players meet twice. Players are numbered from 0.
#
# `design` returns one for these numbers, if it has one. Lots, byes and seats are handled elsewhere.


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
        return [_turned(day) for day in range(7)]
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


def _turned(day: int) -> Round:
    return [[_on_ring(player, day) for player in table] for table in _KIRKMAN]


def _on_ring(player: int, steps: int) -> int:
    """Return where this player of the first day sits after this many steps; the middle does not turn."""
    ring, at = divmod(player, 7)
    return player if ring == 2 else 7 * ring + (at + steps) % 7


def _least_factor(number: int) -> int:
    """Return the least prime factor of this number; for 1, 1 itself."""
    return next((factor for factor in range(2, number + 1) if number % factor == 0), number)
