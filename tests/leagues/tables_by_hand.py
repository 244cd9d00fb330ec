"""Tables written by hand: a season of three rounds for eight players at tables of four."""

from collections.abc import Sequence
from fractions import Fraction

from games.leagues.scoring.table_facts import Holder, SeatFacts, TableEnding, TableFacts

ANNA, BRUNO, CARLA, DARIO, ELSA, FABIO, GINA, HUGO = EIGHT = range(1, 9)


def seat(
    player: int | None,
    regions: int = 0,
    place: int = 1,
    *,
    bonus: int = 0,
    won: bool | None = None,
    turns: int = 10,
    then: Sequence[tuple[int | None, int]] = (),
) -> SeatFacts:
    """A seat; the first place has won unless said otherwise. `then` held it later, for so many turns."""
    holders = (Holder(player, turns), *[Holder(*later) for later in then])
    return SeatFacts(holders, regions, bonus, place == 1 if won is None else won, place)


def table(
    number: int,
    in_round: int,
    *seats: SeatFacts,
    how: TableEnding = TableEnding.RULES,
    awarded: Sequence[int | None] | None = None,
) -> TableFacts:
    points = None if awarded is None else tuple([None if one is None else Fraction(one) for one in awarded])
    return TableFacts(number, in_round, seats, how, awarded=points)


SEASON = (
    table(
        11, 1, seat(ANNA, 5, 1, bonus=5), seat(BRUNO, 4, 2), seat(CARLA, 4, 2), seat(DARIO, 1, 4)
    ),  # connected regions
    table(12, 1, seat(ELSA, 3, 3), seat(FABIO, 6, 1), seat(GINA, 4, 2), seat(HUGO, 1, 4)),  # most regions
    table(21, 2, seat(ANNA, 2, 4), seat(BRUNO, 5, 1, bonus=5), seat(ELSA, 3, 3), seat(FABIO, 4, 2)),
    table(22, 2, seat(CARLA, 5, 1), seat(DARIO, 3, 3), seat(GINA, 5, 1), seat(HUGO, 1, 4)),  # shared
    table(31, 3, seat(ANNA, 4, 2), seat(CARLA, 3, 3), seat(ELSA, 4, 1, bonus=5), seat(GINA, 2, 4)),
    table(32, 3, seat(BRUNO, 2, 4), seat(DARIO, 6, 1), seat(FABIO, 3, 3), seat(HUGO, 4, 2)),
)
