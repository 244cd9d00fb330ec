"""What a seating costs: repeated meetings, uneven scores and seats; and known good designs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise, permutations

from games.leagues.seating.values import Lots, PairingHistory, Seated, history_of

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
    players: Sequence[int], size: int, past: PairingHistory, scores: Mapping[int, Fraction] | None
) -> tuple[Weights, int]:
    """What each two of these cost in a round of tables of this size, all three counts in one number; and
    what no seating undercuts, for the third count alone."""
    weights = by_meetings_and_scores(players, size, past, scores)
    due = first_seat_due(players, past)
    if all(due):
        return weights, 0
    return with_firsts(weights, due, above=len(players) * size), least_of_firsts(
        sum(due), len(players) // size
    )


def by_meetings_and_scores(
    players: Sequence[int], size: int, past: PairingHistory, scores: Mapping[int, Fraction] | None
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


def meetings_table(players: Sequence[int], past: PairingHistory) -> list[list[int]]:
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


def first_seat_due(players: Sequence[int], past: PairingHistory) -> list[bool]:
    """Who of these has been first Condottiere least often."""
    least = min(map(past.was_first, players))
    return [past.was_first(player) == least for player in players]


# What no seating can undercut, by counting alone.


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


# How even a season's seating came out, in a few numbers that a page can show.


@dataclass(frozen=True, slots=True)
class Balance:
    """Of all pairs of players so many have met; `repeats` counts every meeting of two after their first.

    The rest is the least and the most that any one player had: of firsts, of any one seat, of byes.
    """

    pairs: int
    met: int
    repeats: int
    most_meetings: int
    firsts: tuple[int, int]
    places: tuple[int, int]
    byes: tuple[int, int]


def balance_of(rounds: Iterable[Seated]) -> Balance:
    """The balance of these rounds, over everybody who is in one of them."""
    rounds = tuple(rounds)
    past = history_of(rounds)
    players = sorted({player for seated in rounds for player in seated.players})
    seats = {place for held in past.places.values() for place in held}
    return Balance(
        pairs=len(players) * (len(players) - 1) // 2,
        met=len(past.meetings),
        repeats=sum(past.meetings.values()) - len(past.meetings),
        most_meetings=max(past.meetings.values(), default=0),
        firsts=_least_and_most(past.was_first(player) for player in players),
        places=_least_and_most(past.sat_at(player, seat) for player in players for seat in seats),
        byes=_least_and_most(past.had_byes(player) for player in players),
    )


def _least_and_most(counts: Iterable[int]) -> tuple[int, int]:
    counts = tuple(counts)
    return min(counts, default=0), max(counts, default=0)


# Who sits where at a table: first Condottiere who was that least often, then seats held least often.
#
# `one_round` orders the tables of one round by what was before. `whole_plan` orders those of a whole season
# at once, which can always be done evenly: nobody holds a seat a second time before he has held every other
# once.


Tables = Sequence[Sequence[int]]  # of one round


def one_round(tables: Tables, past: PairingHistory, lots: Lots) -> tuple[tuple[int, ...], ...]:
    """These tables, each in the order of its seats."""
    return tuple(_seated(lots.shuffled(sorted(table)), past) for table in tables)


def _seated(table: Sequence[int], past: PairingHistory) -> tuple[int, ...]:
    """The best order of a table; among equals the one that its lots come to first."""
    least = min(map(past.was_first, table))
    orders = (order for order in permutations(table) if past.was_first(order[0]) == least)
    return min(orders, key=lambda order: _held_before(order, past))


def _held_before(order: Sequence[int], past: PairingHistory) -> int:
    """What it costs that each holds this seat again, the first Condottiere's aside: the square of how often
    he has held it."""
    return sum(past.sat_at(player, place) ** 2 for place, player in enumerate(order) if place)


def whole_plan(rounds: Sequence[Tables], size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The tables of all rounds, each in the order of its seats, everybody's seats shared evenly.

    A player's games are cut into stretches of as many games as a table has seats. Each stretch meets each
    seat at most once: the seats are colours of the lines that join tables and stretches, and lines that meet
    need no more colours than meet at one point (König).
    """
    colours = _Colours(size)
    games: dict[int, int] = {}
    for at, tables in enumerate(rounds):
        for number, table in enumerate(tables):
            for player in table:
                stretch = games.get(player, 0) // size
                games[player] = games.get(player, 0) + 1
                colours.join(("table", at, number), ("player", player, stretch))
    return tuple(
        tuple(colours.order_of(("table", at, number)) for number in range(len(tables)))
        for at, tables in enumerate(rounds)
    )


Point = tuple[str, int, int]  # a table by its round and number, or a player by his number and the stretch


class _Colours:
    """Lines between tables and players' stretches, coloured so that no two of one colour meet."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ends: dict[Point, dict[int, Point]] = {}  # by point and colour where the line leads

    def join(self, table: Point, stretch: Point) -> None:
        """A line more. Where the two have no colour left in common, the lines of two colours, one left
        here and one left there, are turned over on the way that leads away from the stretch."""
        here, there = self._free(table), self._free(stretch)
        common = [colour for colour in here if colour in there]
        colour = common[0] if common else here[0]
        if not common:
            self._turn_over(stretch, colour, there[0])
        self._paint(table, stretch, colour)

    def order_of(self, table: Point) -> tuple[int, ...]:
        """The players of a table by colour."""
        return tuple(player for _colour, (_kind, player, _at) in sorted(self.ends[table].items()))

    def _free(self, point: Point) -> list[int]:
        used = self.ends.setdefault(point, {})
        return [colour for colour in range(self.count) if colour not in used]

    def _turn_over(self, point: Point, one: int, other: int) -> None:
        """From this point on, along lines of these two colours in turn, each gets the other colour."""
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


# Plans that are known to be perfect: nobody meets anybody twice. Players are numbered from 0.
#
# `design` finds one for these numbers, if there is one here; it says nothing of chance, of byes or of seats.


Round = list[list[int]]  # tables of players; who is at none has a bye
Reckoning = Callable[[int, int], int]

# Kirkman's fifteen: the first day. Two rings of seven turn about player 14, a step for each other day.
_KIRKMAN = ((14, 0, 7), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))
# The product in the field of four; its sum is exclusive or.
_FOUR = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))


def design(players: int, size: int) -> list[Round]:
    """As many rounds as are known in which no two meet twice; none: no such plan is known here."""
    if size == 2:
        return channel(players)
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


def channel(players: int) -> list[Round]:
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
