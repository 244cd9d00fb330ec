"""The cost of a seating: repeated meetings, uneven scores and uneven seats."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, permutations

from games.leagues.seating.values import PairingHistory

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

    Each cost combines meetings, scores and first seats. The lower bound is for loads and first seats alone.
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
    """Return the cost of each pair by how often they have met, and then by the distance of their scores."""
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
    """Add a cost of 1 for each pair of players who are both due for the first seat.

    Other costs count more: they are multiplied by `above`, which exceeds the total of these.
    """
    together = [[above * cost for cost in row] for row in weights]
    for one, other in permutations((at for at, is_due in enumerate(due) if is_due), 2):
        together[one][other] += 1
    return together


def least_of_firsts(due: int, tables: int) -> int:
    """Return the cost of firsts if the players due for the first seat are spread evenly over the tables."""
    each, more = divmod(due, tables)
    return tables * each * (each - 1) // 2 + more * each


def first_seat_due(players: Sequence[int], past: PairingHistory) -> list[bool]:
    """Return which of these players have been first Condottiere least often."""
    least = min(map(past.was_first, players))
    return [past.was_first(player) == least for player in players]
