"""The next round of a season, seated by the rounds before it or by the season's plan."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from games.leagues.seating.gathering import gathered
from games.leagues.seating.lots import Lots
from games.leagues.seating.pairing_cost import round_costs
from games.leagues.seating.planned_rounds import plan_rounds
from games.leagues.seating.seat_order import one_round
from games.leagues.seating.table_search import Arrangement, cheapest
from games.leagues.seating.table_sizes import require_sizes, table_sizes
from games.leagues.seating.values import PairingHistory, Seated, history_of

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
    sized_for: int = 1,
) -> Seated:
    """Seat everyone at tables of about this size; one of an odd number of duellists has a bye.

    With scores, tables gather players with similar scores; without, only opponents are balanced.
    `pairing_cost` defines the weights. The order in which players are given does not matter.
    A season may use one seed for all its rounds, as the history is part of every lot.
    Raises BadSeating if they cannot be seated.
    """
    sizes = require_sizes(players, size, sized_for)
    lots = Lots(seed, f"round after {sum(past.meetings.values())} meetings")
    byes = _byes_of_round(list(players), len(players) - sum(sizes), past, lots, scores)
    drawn = lots.shuffled(sorted(set(players).difference(byes)))
    if scores is not None:
        drawn.sort(key=lambda player: scores.get(player, Fraction(0)), reverse=True)
    weights, loads, least = round_costs(drawn, sizes, past, scores)
    if scores is not None and sizes[0] > sizes[-1]:
        orders = [tuple(lots.shuffled(sizes)) for _draw in range(ORDERS)]
        sizes = min(orders, key=lambda order: Arrangement(weights, order, loads).cost)
    tables = cheapest(weights, loads, sizes, lots, looks=looks_for(len(drawn)), least=least)
    return Seated(one_round([[drawn[at] for at in table] for table in tables], past, lots), byes)


def _byes_of_round(
    players: Sequence[int],
    count: int,
    past: PairingHistory,
    lots: Lots,
    scores: Mapping[int, Fraction] | None,
) -> tuple[int, ...]:
    """Return who sits out: those with the fewest byes; then, if scores count, the lowest scores; then by lot.

    Everyone has a bye before anyone has two.
    """
    scores = scores or {}
    drawn = lots.shuffled(sorted(players))
    drawn.sort(key=lambda player: (past.had_byes(player), scores.get(player, Fraction(0))))
    return tuple(sorted(drawn[:count]))


def looks_for(players: int) -> int:
    """Return how long to search for this many players: with few, every seating is soon tried."""
    return min(MOST_LOOKS, LOOKS_AT_EACH_PAIR * players * players)


def seat_next(
    players: Collection[int],
    size: int,
    rounds: int,
    seed: bytes,
    *,
    before: Sequence[Seated],
    scores: Mapping[int, Fraction] | None = None,
    away: Collection[int] = (),
    at_once: int = 1,
    sized_for: int = 1,
) -> Seated:
    """Return the round that follows these, in a season of this many rounds.

    Too few players for any table sit out.
    With scores, tables gather players with similar scores.
    Without, the rounds follow one plan as long as the same players play.
    After the first change, each round is seated by those before it.
    `sized_for` is the number of rounds that the sizes of tables are chosen for.
    Those who are `away` as the first `at_once` rounds begin sit together there, as far as possible.
    """
    if not table_sizes(len(players), size):
        return Seated((), tuple(sorted(players)))
    if scores is None and all(set(seated.players) == set(players) for seated in before):
        plan = _plan_of_season(tuple(sorted(players)), size, rounds, seed, sized_for)
        return gathered(plan, away, size, at_once)[len(before)]
    seated = seat_round(players, size, history_of(before), seed, scores=scores, sized_for=sized_for)
    return seated if before else gathered([seated], away, size, at_once)[0]


@lru_cache(maxsize=1)
def _plan_of_season(
    players: tuple[int, ...], size: int, rounds: int, seed: bytes, sized_for: int
) -> tuple[Seated, ...]:
    """Return the plan, cached because the next round usually follows the same one."""
    return plan_rounds(players, size, rounds, seed, sized_for=sized_for)
