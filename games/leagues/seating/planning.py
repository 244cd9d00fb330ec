"""A season seated ahead: every round at once, so that late rounds need not mend what early ones spoilt."""

from collections.abc import Collection

from .chance import Lots
from .counting import fewest_rounds
from .drafting import drafted
from .values import BadSeating, Seated, require_seatable

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
