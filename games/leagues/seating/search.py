"""Search for the cheapest seating of a round or a whole plan."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, permutations

from games.leagues.seating import pairing_cost
from games.leagues.seating.pairing_cost import (
    MISSED,
    REPEATED,
    Round,
    Weights,
    design,
    fewest_rounds,
    least_cost,
    least_of_loads,
    loads_of,
    meetings_cost,
    pairs,
    round_costs,
    weights_of,
    whole_plan,
)
from games.leagues.seating.values import (
    BadSeating,
    Lots,
    PairingHistory,
    Seated,
    byes_of_round,
    history_of,
    require_sizes,
    table_sizes,
)

STAYS = range(2, 8)  # for how many steps a player who was swapped may not be swapped again
_FAR = 1 << 50  # more than any swap costs
_LOOKS_TO_BEGIN = 16  # the fixed cost of examining one player, besides one look at each other player


class Arrangement:
    """The assignment of players to tables, and what each player would cost at each.

    Players are numbered from 0 and are seated in that order at first.
    `cost_at[t][p]` is the cost of p with the players of table t (except p), and of its seats to p's load.
    `own[p]` is the cost at p's own table.
    """

    def __init__(self, weights: Weights, sizes: Sequence[int], loads: Sequence[int]) -> None:
        self.weights = weights
        self.doubled = [[2 * cost for cost in row] for row in weights]
        self.table_of = [table for table, size in enumerate(sizes) for _seat in range(size)]
        self.cost_at: list[list[int]] = [
            [sum(costs) for costs in zip(*weights[end - size : end], strict=True)]
            for size, end in zip(sizes, accumulate(sizes), strict=True)
        ]
        pairs_twice = sum(self.cost_at[table][player] for player, table in enumerate(self.table_of))
        for costs, size in zip(self.cost_at, sizes, strict=True):
            costs[:] = [cost + load * (size - min(sizes)) for cost, load in zip(costs, loads, strict=True)]
        self.own = [self.cost_at[table][player] for player, table in enumerate(self.table_of)]
        self.cost = sum(self.own) - pairs_twice // 2  # of these tables at first

    def best_change(self, player: int, held: Sequence[int]) -> tuple[int, int]:
        """Return the cost change of the player's best swap, and the other player in it.

        `held` is added to the cost of a swap with each player.
        """
        here = self.table_of[player]
        there = [costs[player] for costs in self.cost_at]
        there[here] = _FAR
        changes = [
            there[table] + back - own - both + hold
            for table, back, own, both, hold in zip(
                self.table_of, self.cost_at[here], self.own, self.doubled[player], held, strict=True
            )
        ]
        least = min(changes)
        return least - self.own[player], changes.index(least)

    def change(self, one: int, other: int) -> None:
        """Swap the tables of these two players."""
        here, there = self.table_of[one], self.table_of[other]
        dearer = [new - old for old, new in zip(self.weights[one], self.weights[other], strict=True)]
        self.cost_at[here] = [cost + more for cost, more in zip(self.cost_at[here], dearer, strict=True)]
        self.cost_at[there] = [cost - more for cost, more in zip(self.cost_at[there], dearer, strict=True)]
        self.table_of[one], self.table_of[other] = there, here
        for player, table in enumerate(self.table_of):
            if table in (here, there):
                self.own[player] = self.cost_at[table][player]


def cheapest(
    weights: Weights, loads: Sequence[int], sizes: Sequence[int], lots: Lots, *, looks: int, least: int
) -> list[list[int]]:
    """Return tables of these players, no dearer than seating them in the order of their numbers.

    No tables cost less than `least`.
    """
    search = _Search(Arrangement(weights, sizes, loads), lots, looks, least)
    if len(sizes) > 1:
        search.descend()
        search.wander()
    tables: list[list[int]] = [[] for _size in sizes]
    for player, table in enumerate(search.best):
        tables[table].append(player)
    return tables


class _Search:
    """A search: its current position, the best one seen, and the number of looks left."""

    def __init__(self, arrangement: Arrangement, lots: Lots, looks: int, least: int) -> None:
        self.now, self.lots, self.looks, self.least = arrangement, lots, looks, least
        self.cost = self.best_cost = arrangement.cost
        self.best = list(arrangement.table_of)
        self.held = [0] * len(self.best)
        self.freed: dict[int, list[int]] = {}  # by step: the players who may be swapped again

    @property
    def is_over(self) -> bool:
        return self.cost <= self.least or self.looks <= 0

    def descend(self) -> None:
        """Give each player in turn their best swap, until no swap helps."""
        changed = True
        while changed and not self.is_over:
            changed = False
            for player, own in enumerate(self.now.own):
                dearer, other = self._best_change(player) if own else (0, player)
                if dearer < 0:
                    self._change(player, other, dearer)
                    changed = True
        self._remember()

    def wander(self) -> None:
        """Take the best swap of all, step by step, remembering the cheapest tables (tabu search)."""
        step = 0
        while not self.is_over:
            step += 1
            for player in self.freed.pop(step, ()):
                self.held[player] = 0
            dearer, one, other = self._best_of_all()
            if dearer < _FAR // 2:
                self._change(one, other, dearer)
                self._hold(step, one, other)
                self._remember()

    def _best_of_all(self) -> tuple[int, int, int]:
        """Return the cheapest swap of any player with a cost at their table; equals are decided by lot."""
        best = (_FAR, 0, 0)
        self.looks -= 1
        for player, own in enumerate(self.now.own):
            if own and not self.held[player]:
                dearer, other = self._best_change(player)
                if dearer < best[0] or (dearer == best[0] and self.lots.below(2)):
                    best = (dearer, player, other)
        return best

    def _best_change(self, player: int) -> tuple[int, int]:
        self.looks -= _LOOKS_TO_BEGIN + len(self.held)
        return self.now.best_change(player, self.held)

    def _change(self, one: int, other: int, dearer: int) -> None:
        self.now.change(one, other)
        self.cost += dearer

    def _hold(self, step: int, *players: int) -> None:
        for player in players:
            self.held[player] = _FAR
            until = step + STAYS[self.lots.below(len(STAYS))]
            self.freed.setdefault(until, []).append(player)

    def _remember(self) -> None:
        """Remember the latest of the cheapest positions: drifting among equals improves a plan."""
        if self.cost <= self.best_cost:
            self.best_cost, self.best = self.cost, list(self.now.table_of)


# The draft of a season: its rounds for players numbered from 0, who are named later.
#
# A draft depends only on the numbers of players, seats at a table and rounds. So all seasons of these numbers
# are equally good, and the seed of a season only draws which player has which number.


LOOKS = 2_000_000  # of a whole draft
SWEEPS = 24  # how often each of its rounds is seated again
ODD_LOOKS = 40  # at most, at each pair and round, where tables differ in size: few players are soon tried

Seats = tuple[tuple[tuple[int, ...], ...], ...]  # rounds of tables of players in seat order


@lru_cache(maxsize=128)
def drafted(players: int, sizes: tuple[int, ...], rounds: int) -> Seats:
    """Return a draft of this many rounds.

    If there are enough rounds for everyone to meet, a draft in which they do is preferred to the cheapest.
    """
    draft = Draft(players, sizes, rounds)
    if not draft.has_met_all and rounds >= fewest_rounds(players, sizes):
        together = Draft(players, sizes, rounds, missed=MISSED)
        draft = together if together.has_met_all else draft
    return whole_plan(draft.rounds, sizes[-1])


class Draft:
    """Rounds, and how often each pair meets in them; `missed` is the cost of a pair that never meets."""

    def __init__(self, players: int, sizes: Sequence[int], rounds: int, *, missed: int = 0) -> None:
        self.players, self.sizes, self.missed = players, sizes, missed
        seats = " and ".join(map(str, dict.fromkeys(sizes)))
        self.lots = Lots(b"", f"draft of {rounds} rounds of {players} in tables of {seats}")
        self.looks = LOOKS // (1 + SWEEPS) // max(1, rounds)
        if sizes[0] > sizes[-1]:
            self.looks = min(self.looks, ODD_LOOKS * players * players)
        self.met = [[0] * players for _player in range(players)]
        self.rounds: list[Round] = []
        self._begin(rounds)
        self._improve()

    @property
    def has_met_all(self) -> bool:
        """Whether everyone meets everyone."""
        return sum(row.count(0) for row in self.met) == self.players  # no one meets themselves

    def _begin(self, rounds: int) -> None:
        """Start with the rounds of a known design, repeated if everyone meets everyone in it.

        Any further rounds are each seated by those before them.
        """
        known = design(self.players, self.sizes[0]) if self.sizes[0] == self.sizes[-1] else []
        if meets_everybody(known, self.players):
            known = [known[at % len(known)] for at in range(rounds)]
        for at in range(rounds):
            self.rounds.append(known[at] if at < len(known) else self._next())
            self._count(self.rounds[at], 1)

    def _improve(self) -> None:
        """Seat each round again given all others, several times over, while it may help."""
        least = least_cost(self.players, self.sizes, len(self.rounds))
        for _sweep in range(SWEEPS):
            for at, tables in enumerate(self.rounds):
                if self._cost() <= least:
                    return
                self._count(tables, -1)
                self.rounds[at] = self._seated([player for table in tables for player in table])
                self._count(self.rounds[at], 1)

    def _next(self) -> Round:
        return self._seated(self.lots.shuffled(range(self.players)))

    def _seated(self, order: Sequence[int]) -> Round:
        """Seat these players by how often they meet in other rounds, at no more cost than in this order."""
        met = [[self.met[one][other] for other in order] for one in order]
        loads = loads_of(map(sum, met))
        least = least_of_loads(loads, self.sizes)
        weights = weights_of(met, self.missed)
        tables = cheapest(weights, loads, self.sizes, self.lots, looks=self.looks, least=least)
        return [[order[at] for at in table] for table in tables]

    def _count(self, tables: Round, times: int) -> None:
        for table in tables:
            for one, other in permutations(table, 2):
                self.met[one][other] += times

    def _cost(self) -> int:
        """Return the cost of all meetings, of the pairs that never meet, and of uneven tables."""
        unmet = sum(row.count(0) for row in self.met) - self.players
        met = sum(meetings_cost(times) for row in self.met for times in row) + self.missed * unmet
        return REPEATED * met // 2 + sum(pairs(sum(row)) for row in self.met)


def meets_everybody(rounds: Sequence[Round], players: int) -> bool:
    """Return whether all have met, given that no two meet twice."""
    return bool(rounds) and sum(pairs(len(table)) for tables in rounds for table in tables) == pairs(players)


# A season seated ahead: every round at once, so that late rounds need not repair what early ones spoilt.


# How many rounds above the lower bound a draft needs for everyone to meet, by seats at a table. The first
# digit is for as many players as seats, each next digit for one more player.
# `python -m tests.benchmarks.seating --everybody 40` recomputes them.
_MORE_ROUNDS = {
    3: "00000000010001111221111201121222221222",
    4: "0000005000110001011022222232222332323",
    5: "000005000113001111110212222223133333",
    6: "000050001130011111202122222",
}


def plan_rounds(players: Collection[int], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Plan this many rounds of a season of this size, by a known design if there is one, else by search.

    Costs are those of `pairing_cost`, summed over the season, which starts without a history or scores.
    Seats are shared evenly: all players hold every seat once, the first included, before any seat twice.
    Byes in duels rotate in the same way. In `rounds_for_everybody` rounds, everyone meets everyone.
    The order in which players are given does not matter. Raises BadSeating if they cannot be seated.
    """
    sizes = require_sizes(players, size)
    if rounds < 0:
        raise BadSeating(f"{rounds} rounds cannot be planned.")
    named = Lots(seed, "names of a plan").shuffled(sorted(players))
    return tuple(_named(tables, named) for tables in drafted(len(named), sizes, rounds))


def _named(tables: Collection[Collection[int]], named: list[int]) -> Seated:
    seated = tuple(tuple(named[number] for number in table) for table in tables)
    return Seated(seated, tuple(sorted(set(named).difference(*seated))))


def rounds_for_everybody(players: int, size: int) -> int:
    """Return the number of rounds in which `plan_rounds` lets everyone meet everyone.

    This was tried for up to forty players (32 in sixes), and any number of players in pairs.
    Beyond that, return the lower bound for any plan.
    """
    sizes = require_sizes(range(players), size)
    tried = _MORE_ROUNDS.get(size, "")[max(players - size, 0) :]
    return fewest_rounds(players, sizes) + int(tried[:1] or 0)


# One round, seated only by the rounds before it


MOST_LOOKS = 600_000
LOOKS_AT_EACH_PAIR = 1_000
ORDERS = 32  # of larger and smaller tables, from the best scores down, that are tried


def seat_round(
    players: Collection[int],
    size: int,
    past: PairingHistory,
    seed: bytes,
    *,
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """Seat everyone at tables of about this size; one of an odd number of duellists has a bye.

    With scores, tables gather players with similar scores; without, only opponents are balanced.
    `pairing_cost` defines the weights. The order in which players are given does not matter.
    A season may use one seed for all its rounds, as the history is part of every lot.
    Raises BadSeating if they cannot be seated.
    """
    sizes = require_sizes(players, size)
    lots = Lots(seed, f"round after {sum(past.meetings.values())} meetings")
    byes = byes_of_round(list(players), len(players) - sum(sizes), past, lots, scores)
    drawn = lots.shuffled(sorted(set(players).difference(byes)))
    if scores is not None:
        drawn.sort(key=lambda player: scores.get(player, Fraction(0)), reverse=True)
    weights, loads, least = round_costs(drawn, sizes, past, scores)
    if scores is not None and sizes[0] > sizes[-1]:
        orders = [tuple(lots.shuffled(sizes)) for _draw in range(ORDERS)]
        sizes = min(orders, key=lambda order: Arrangement(weights, order, loads).cost)
    tables = cheapest(weights, loads, sizes, lots, looks=looks_for(len(drawn)), least=least)
    return Seated(pairing_cost.one_round([[drawn[at] for at in table] for table in tables], past, lots), byes)


def looks_for(players: int) -> int:
    """Return how long to search for this many players: with few, every seating is soon tried."""
    return min(MOST_LOOKS, LOOKS_AT_EACH_PAIR * players * players)


# The next round of a season: which method to use


def seat_next(
    players: Collection[int],
    size: int,
    rounds: int,
    seed: bytes,
    *,
    before: Sequence[Seated],
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """Return the round that follows these, in a season of this many rounds.

    Too few players for any table sit out.
    With scores, tables gather players with similar scores.
    Without, the rounds follow one plan as long as the same players play.
    After the first change, each round is seated by those before it.
    """
    if not table_sizes(len(players), size):
        return Seated((), tuple(sorted(players)))
    if scores is None and all(set(seated.players) == set(players) for seated in before):
        return _plan(tuple(sorted(players)), size, rounds, seed)[len(before)]
    return seat_round(players, size, history_of(before), seed, scores=scores)


@lru_cache(maxsize=1)
def _plan(players: tuple[int, ...], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Return the plan, cached because the next round usually follows the same one."""
    return plan_rounds(players, size, rounds, seed)
