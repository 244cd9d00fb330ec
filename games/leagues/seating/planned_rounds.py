"""The plan of a whole season: all rounds are seated at once, which is fairer than one after the other."""

from collections.abc import Collection

from games.leagues.seating.drafts import drafted
from games.leagues.seating.lots import Lots
from games.leagues.seating.lower_bounds import fewest_rounds
from games.leagues.seating.table_sizes import ONE_SEAT_FEWER, has_smaller_tables, require_sizes
from games.leagues.seating.values import BadSeating, Seated

# How many rounds above the lower bound a draft needs for everyone to meet, by seats at a table. The first
# digit is for as many players as seats, each next digit for one more player.
# `python -m tests.benchmarks.seating --everybody 40` recomputes them.
_MORE_ROUNDS = {
    3: "00000000010001111221111201121222221222",
    4: "0000005000110001011022222232222332323",
    5: "000005000113001111110212222223133333",
    6: "000050001130011111202122222",
}


def plan_rounds(
    players: Collection[int], size: int, rounds: int, seed: bytes, *, sized_for: int = 1
) -> tuple[Seated, ...]:
    """Plan this many rounds of a season of this size, by a known design if there is one, else by search.

    Tables have the sizes of `table_sizes`.

    Costs are those of `pairing_cost`, summed over the season, which starts without a history or scores.
    Seats are shared evenly: all players hold every seat once, the first included, before any seat twice.
    Byes in duels rotate in the same way. In `rounds_for_everybody` rounds, everyone meets everyone.
    The order in which players are given does not matter. Raises BadSeating if they cannot be seated.
    """
    sizes = require_sizes(players, size, sized_for)
    if rounds < 0:
        raise BadSeating(f"{rounds} rounds cannot be planned.")
    named = Lots(seed, "names of a plan").shuffled(sorted(players))
    evenly = has_smaller_tables(len(named), size, sized_for)
    return tuple(_with_names(tables, named) for tables in drafted(len(named), sizes, rounds, evenly=evenly))


def _with_names(tables: Collection[Collection[int]], named: list[int]) -> Seated:
    seated = tuple(tuple(named[number] for number in table) for table in tables)
    return Seated(seated, tuple(sorted(set(named).difference(*seated))))


def rounds_for_everybody(players: int, size: int) -> int:
    """Return the number of rounds in which a plan with tables sized for them lets everyone meet everyone.

    This was tried for up to forty players (32 in sixes), and any number of players in pairs.
    Beyond that, return the lower bound for any plan.
    """
    sizes = require_sizes(range(players), size)
    tried = _MORE_ROUNDS.get(size, "")[max(players - size, 0) :]
    needed = fewest_rounds(players, sizes) + int(tried[:1] or 0)
    start, everybody = ONE_SEAT_FEWER.get(size, {}).get(players, (needed + 1, needed))
    return needed if needed < start else everybody
