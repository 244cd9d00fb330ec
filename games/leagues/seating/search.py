"""Search for the cheapest seating of a round or a whole plan."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

from games.leagues.seating import pairing_cost
from games.leagues.seating.pairing_cost import (
    MISSED,
    Round,
    Weights,
    design,
    fewest_rounds,
    least_cost,
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
    byes_of_plan,
    byes_of_round,
    history_of,
    require_seatable,
)

STAYS = range(2, 8)  # for how many steps who has changed his place may stay
_FAR = 1 << 50  # no change costs so much
_LOOKS_TO_BEGIN = 16  # what it takes to look at anybody, beside a look at each other


class Arrangement:
    """Who is at which table, and what each player would cost at each.

    Players are numbered from 0 and sit down in that order. `cost_at[t][p]` is what p costs with those of
    table t (but himself), `own[p]` that of his own table.
    """

    def __init__(self, weights: Weights, size: int) -> None:
        self.weights = weights
        self.doubled = [[2 * cost for cost in row] for row in weights]
        self.table_of = [player // size for player in range(len(weights))]
        self.cost_at: list[list[int]] = [
            [sum(costs) for costs in zip(*weights[start : start + size], strict=True)]
            for start in range(0, len(weights), size)
        ]
        self.own = [self.cost_at[table][player] for player, table in enumerate(self.table_of)]

    @property
    def cost(self) -> int:
        """What all tables cost together: each two are counted with both of them."""
        return sum(self.own) // 2

    def best_change(self, player: int, held: Sequence[int]) -> tuple[int, int]:
        """By how much things get dearer when he changes with the best other, and who that is; `held` is
        added to what a change with each costs."""
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
        """These two change places."""
        here, there = self.table_of[one], self.table_of[other]
        dearer = [new - old for old, new in zip(self.weights[one], self.weights[other], strict=True)]
        self.cost_at[here] = [cost + more for cost, more in zip(self.cost_at[here], dearer, strict=True)]
        self.cost_at[there] = [cost - more for cost, more in zip(self.cost_at[there], dearer, strict=True)]
        self.table_of[one], self.table_of[other] = there, here
        for player, table in enumerate(self.table_of):
            if table in (here, there):
                self.own[player] = self.cost_at[table][player]


def cheapest(weights: Weights, size: int, lots: Lots, *, looks: int, least: int = 0) -> list[list[int]]:
    """Tables of the players of these weights, no dearer than if they sat down in the order of their numbers;
    no tables cost less than `least`."""
    search = _Search(Arrangement(weights, size), lots, looks, least)
    if len(weights) > size:
        search.descend()
        search.wander()
    tables: list[list[int]] = [[] for _table in range(len(weights) // size)]
    for player, table in enumerate(search.best):
        tables[table].append(player)
    return tables


class _Search:
    """One search: where it stands, the best it saw, and how many looks it has left."""

    def __init__(self, arrangement: Arrangement, lots: Lots, looks: int, least: int) -> None:
        self.now, self.lots, self.looks, self.least = arrangement, lots, looks, least
        self.cost = self.best_cost = arrangement.cost
        self.best = list(arrangement.table_of)
        self.held = [0] * len(self.best)
        self.freed: dict[int, list[int]] = {}  # who may change again at which step

    @property
    def is_over(self) -> bool:
        return self.cost <= self.least or self.looks <= 0

    def descend(self) -> None:
        """Each in turn changes with whom that helps most, until nobody's change helps."""
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
        """Takes the best change of all, step by step, and remembers the cheapest tables on the way."""
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
        """The cheapest change of anybody who costs something where he is; a lot among equals."""
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
        """The latest of the cheapest: among equals a plan does well to drift."""
        if self.cost <= self.best_cost:
            self.best_cost, self.best = self.cost, list(self.now.table_of)


# The draft of a season: its rounds for players numbered from 0, who are named later.
#
# A draft depends on three numbers alone: how many players, seats at a table and rounds. So every season of
# these numbers is as good as every other, and the seed of a season only draws who is which number.


LOOKS = 2_000_000  # of a whole draft
SWEEPS = 24  # how often each of its rounds is seated again

Seats = tuple[tuple[tuple[int, ...], ...], ...]  # rounds of tables of players in the order of their seats


@lru_cache(maxsize=128)
def drafted(players: int, size: int, rounds: int) -> Seats:
    """A draft of so many rounds. Where everybody can meet everybody in so many, a draft in which they do is
    looked for beside the cheapest."""
    draft = Draft(players, size, rounds)
    if not draft.has_met_all and rounds >= fewest_rounds(players, size):
        together = Draft(players, size, rounds, missed=MISSED)
        draft = together if together.has_met_all else draft
    return whole_plan(draft.rounds, size)


class Draft:
    """Rounds, and how often each two meet in all of them; `missed` is what it costs that two never meet."""

    def __init__(self, players: int, size: int, rounds: int, *, missed: int = 0) -> None:
        self.players, self.size, self.missed = players, size, missed
        self.lots = Lots(b"", f"draft of {rounds} rounds of {players} in tables of {size}")
        self.looks = LOOKS // (1 + SWEEPS) // max(1, rounds)
        self.met = [[0] * players for _player in range(players)]
        self.rounds: list[Round] = []
        self._begin(rounds)
        self._improve()

    @property
    def has_met_all(self) -> bool:
        """Everybody meets everybody."""
        return sum(row.count(0) for row in self.met) == self.players  # nobody meets himself

    def _begin(self, rounds: int) -> None:
        """The rounds of a known design, again and again if everybody meets everybody in it; then, or
        without one, each by what was before it."""
        known = design(self.players, self.size)
        if meets_everybody(known, self.players):
            known = [known[at % len(known)] for at in range(rounds)]
        byes = byes_of_plan(range(self.players), self.players % self.size, rounds)
        for at in range(rounds):
            self.rounds.append(known[at] if at < len(known) else self._next(byes[at]))
            self._count(self.rounds[at], 1)

    def _improve(self) -> None:
        """Seats each round again in the light of all others, a few times over, while it may help."""
        least = least_cost(map(sum, self.met), self.size, len(self.rounds))
        for _sweep in range(SWEEPS):
            for at, tables in enumerate(self.rounds):
                if self._cost() <= least:
                    return
                self._count(tables, -1)
                self.rounds[at] = self._seated([player for table in tables for player in table])
                self._count(self.rounds[at], 1)

    def _next(self, byes: Sequence[int]) -> Round:
        return self._seated(self.lots.shuffled(sorted(set(range(self.players)).difference(byes))))

    def _seated(self, order: Sequence[int]) -> Round:
        """A round of these, no dearer than this order, by how often they meet in the other rounds."""
        met = [[self.met[one][other] for other in order] for one in order]
        tables = cheapest(weights_of(met, self.missed), self.size, self.lots, looks=self.looks)
        return [[order[at] for at in table] for table in tables]

    def _count(self, tables: Round, times: int) -> None:
        for table in tables:
            for one, other in permutations(table, 2):
                self.met[one][other] += times

    def _cost(self) -> int:
        """What all meetings of the season cost, and those that there are not."""
        unmet = sum(row.count(0) for row in self.met) - self.players
        return (sum(meetings_cost(times) for row in self.met for times in row) + self.missed * unmet) // 2


def meets_everybody(rounds: Sequence[Round], players: int) -> bool:
    """If no two meet twice: whether all have met."""
    return bool(rounds) and sum(pairs(len(table)) for tables in rounds for table in tables) == pairs(players)


# A season seated ahead: every round at once, so that late rounds need not mend what early ones spoilt.


# How many rounds more than the fewest a draft needs for everybody to meet, by seats at a table: the first
# figure is for as many players as seats, each next for one more.
# `python -m tests.benchmarks.seating --everybody 40` finds them again.
_MORE_ROUNDS = {
    3: "00102000111001111021111001121121122020",
    4: "0003012302110112012122122122223233323",
    5: "000155123112222121220123322342123433",
    6: "000017012232023323223343233",
}


def plan_rounds(players: Collection[int], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """So many rounds of tables of this size: known designs where there are, else found by search.

    Costs are those of `costs`, summed over the season, which nobody enters with a past or a score. Seats are
    shared evenly: nobody has one a second time, the first Condottiere's included, before he has had every
    other once. Byes go round in the same way. In `rounds_for_everybody` everybody meets everybody. The order
    in which players are given does not matter. BadSeating where nobody can be seated.
    """
    require_seatable(players, size)
    if rounds < 0:
        raise BadSeating(f"{rounds} rounds cannot be planned.")
    named = Lots(seed, "names of a plan").shuffled(sorted(players))
    return tuple(_named(tables, named) for tables in drafted(len(named), size, rounds))


def _named(tables: Collection[Collection[int]], named: list[int]) -> Seated:
    seated = tuple(tuple(named[number] for number in table) for table in tables)
    return Seated(seated, tuple(sorted(set(named).difference(*seated))))


def rounds_for_everybody(players: int, size: int) -> int:
    """In how many rounds `plan_rounds` brings everybody together with everybody.

    Beyond the players for whom that has been tried (forty, and thirty-two in sixes; duels any number), the
    fewest rounds in which it could be done, whoever plans them.
    """
    require_seatable(range(players), size)
    tried = _MORE_ROUNDS.get(size, "")[players - size :]
    return fewest_rounds(players, size) + int(tried[:1] or 0)


# One round, seated by what was before it and by nothing that comes after.


MOST_LOOKS = 600_000
LOOKS_AT_EACH_PAIR = 1_000


def seat_round(
    players: Collection[int],
    size: int,
    past: PairingHistory,
    seed: bytes,
    *,
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """Everybody at a table of this size, or with a bye where numbers do not divide.

    With scores, tables gather those who stand together; without, opponents are balanced alone. How much each
    counts is said in `costs`. The order in which players are given does not matter. A season may use one
    seed for all its rounds: what was before is part of every lot. BadSeating where nobody can be seated.
    """
    require_seatable(players, size)
    lots = Lots(seed, f"round after {sum(past.meetings.values())} meetings")
    byes = byes_of_round(list(players), len(players) % size, past, lots, scores)
    drawn = lots.shuffled(sorted(set(players).difference(byes)))
    if scores is not None:
        drawn.sort(key=lambda player: scores.get(player, Fraction(0)), reverse=True)
    weights, least = round_costs(drawn, size, past, scores)
    tables = cheapest(weights, size, lots, looks=looks_for(len(drawn)), least=least)
    return Seated(pairing_cost.one_round([[drawn[at] for at in table] for table in tables], past, lots), byes)


def looks_for(players: int) -> int:
    """How long to search for tables of so many: few players have been tried in every way soon."""
    return min(MOST_LOOKS, LOOKS_AT_EACH_PAIR * players * players)


# The next round of a season: which way of seating is asked, and for tables of which size.


LEAST_AT_TABLE = 3  # but for duels


def seat_next(
    players: Collection[int],
    size: int,
    rounds: int,
    seed: bytes,
    *,
    before: Sequence[Seated],
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """The round after these of a season of so many rounds.

    Too few for a table of this size sit at a smaller one, and too few for any sit out. With scores, tables
    gather those who stand together. Without, the rounds follow one plan as long as the same players play;
    from the first change on each round is seated by those before it.
    """
    least = min(size, LEAST_AT_TABLE)
    size = min(size, len(players))
    if size < least:
        return Seated((), tuple(sorted(players)))
    if scores is None and all(set(seated.players) == set(players) for seated in before):
        return _plan(tuple(sorted(players)), size, rounds, seed)[len(before)]
    return seat_round(players, size, history_of(before), seed, scores=scores)


@lru_cache(maxsize=1)
def _plan(players: tuple[int, ...], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Kept for the next round, which is of the same plan more often than not."""
    return plan_rounds(players, size, rounds, seed)
