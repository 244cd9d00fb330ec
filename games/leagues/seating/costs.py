"""What a seating costs: the one place that says it. The search (`searching`) looks for the cheapest tables.

A table costs the sum over every two who sit at it, and a round the sum over its tables. Two cost

1. by whom they have met: nothing if they have not met, 1 for a second meeting, 4 for a third, 9 for a fourth:
   the square of how often they have met, so that a third meeting is worse than three second ones;
2. in a round that gathers equal scores, also by how far apart they stand: the square of the distance of their
   places, where equals share the middle of their places. There a second meeting costs as much as a distance
   of `REACH` tables' breadths, so that neighbours are mixed to spare a repeat, and people far apart hardly;
3. only where all this is equal: 1 if both are among those who have been first Condottiere least often, so
   that each table gets one of them and the counts stay within one of each other.

A season planned ahead costs the sum of its rounds. Where it has rounds enough for everybody to meet
everybody, a plan is looked for in which they do: then two who never meet cost `MISSED`.

Only whole numbers are used. Places are counted in halves, since the middle of places may lie between two.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, permutations

from .values import Past

Weights = list[list[int]]  # what each two cost if they share a table; 0 for each with himself

REACH = 3
MISSED = 10


def repeat_cost(met: int) -> int:
    """What it costs that two meet who have met so often."""
    return met * met


def meetings_cost(times: int) -> int:
    """What all meetings of two have cost when they have met so often: 0, 0, 1, 5, 14 ..."""
    return sum(map(repeat_cost, range(times)))


def round_costs(
    players: Sequence[int], size: int, past: Past, scores: Mapping[int, Fraction] | None
) -> tuple[Weights, int]:
    """What each two of these cost in a round of tables of this size, all three counts in one number; and
    what no seating undercuts, for the third count alone."""
    weights = by_meetings_and_scores(players, size, past, scores)
    due = due_first(players, past)
    if all(due):
        return weights, 0
    return with_firsts(weights, due, above=len(players) * size), least_of_firsts(
        sum(due), len(players) // size
    )


def by_meetings_and_scores(
    players: Sequence[int], size: int, past: Past, scores: Mapping[int, Fraction] | None
) -> Weights:
    """The first two counts."""
    met = meetings_table(players, past)
    if scores is None:
        return weights_of(met)
    again = (2 * REACH * size) ** 2
    standing = half_places(players, scores)
    return [
        [again * repeat_cost(times) + (here - there) ** 2 for times, there in zip(row, standing, strict=True)]
        for row, here in zip(met, standing, strict=True)
    ]


def meetings_table(players: Sequence[int], past: Past) -> list[list[int]]:
    """How often each two have met."""
    number = {player: at for at, player in enumerate(players)}
    table = [[0] * len(players) for _player in players]
    for pair, times in past.meetings.items():
        if len(pair) == 2 and pair <= number.keys():
            one, other = (number[player] for player in pair)
            table[one][other] = table[other][one] = times
    return table


def weights_of(met: Sequence[list[int]], missed: int = 0) -> Weights:
    """What each two cost who have met so often, less what even the cheapest two cost: every seating costs
    that, and a search does better to see nothing there. That two meet who else miss each other spares
    `missed`."""
    cost = [repeat_cost(times) + missed * bool(times) for times in range(1 + max(map(max, met)))]
    least = cost[min(min(row[:at] + row[at + 1 :]) for at, row in enumerate(met))]
    weights = [[cost[times] - least for times in row] for row in met]
    for at, row in enumerate(weights):
        row[at] = 0
    return weights


def half_places(players: Sequence[int], scores: Mapping[int, Fraction]) -> list[int]:
    """Twice the place of each by score, the best first; equals share the middle of theirs. No score is 0."""
    own = [scores.get(player, Fraction(0)) for player in players]
    places: dict[Fraction, int] = {}
    before = 0
    for score, equals in groupby(sorted(own, reverse=True)):
        count = len(list(equals))
        places[score] = 2 * before + count + 1
        before += count
    return [places[score] for score in own]


def with_firsts(weights: Weights, due: Sequence[bool], *, above: int) -> Weights:
    """The third count, below the others: `above` is more than all of it together, and so is 1 of theirs."""
    together = [[above * cost for cost in row] for row in weights]
    for one, other in permutations((at for at, is_due in enumerate(due) if is_due), 2):
        together[one][other] += 1
    return together


def least_of_firsts(due: int, tables: int) -> int:
    """What the third count comes to if those who are due are spread evenly over the tables."""
    each, more = divmod(due, tables)
    return tables * each * (each - 1) // 2 + more * each


def due_first(players: Sequence[int], past: Past) -> list[bool]:
    """Who of these has been first Condottiere least often."""
    least = min(map(past.was_first, players))
    return [past.was_first(player) == least for player in players]
