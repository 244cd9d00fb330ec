"""The places within reach: never wrong against every way in which a small division can end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.leagues.scoring.computed_standings import standings
from games.leagues.scoring.possible_places import PlaceRange, ToCome, possible_places
from games.leagues.scoring.scoring_methods import ByeRule, ScoringMethod, ScoringRules, SplitRule, TieBreak
from games.leagues.scoring.table_facts import ByeFacts, Holder, SeatFacts, TableEnding, TableFacts, places_of

pytestmark = pytest.mark.once

MOST_REGIONS = Fraction(8)
SUBSTITUTE = 99

rules = st.builds(
    ScoringRules,
    scoring=st.sampled_from(ScoringMethod),
    placement=st.sampled_from(
        [{}, {2: (Fraction(3), Fraction(-1)), 3: (Fraction(4), Fraction(2), Fraction(1))}]
    ),
    tie_breaks=st.permutations(TieBreak).map(tuple),
    split=st.sampled_from(SplitRule),
    bye=st.sampled_from(ByeRule),
    lot_seed=st.binary(max_size=2),
)


def endings(number: int, in_round: int, players: Sequence[int]) -> Iterator[TableFacts]:
    """Yield each order with its ties; no winner; an abandoned table; a seat that changed hands."""
    seats = range(len(players))
    for winners in chain.from_iterable(combinations(seats, n) for n in range(len(players) + 1)):
        for regions in product((0, 3), repeat=len(players)):
            held = [3 if seat in winners else regions[seat] for seat in seats]
            bonus = 5 if len(winners) == 1 else 0
            yield _ended(number, in_round, players, winners, held, bonus)
    yield _ended(number, in_round, players, (0,), [3] * len(players), 5, how=TableEnding.ABANDONED)
    yield _ended(number, in_round, players, (0,), [3] * len(players), 5, is_left=True)


def _ended(
    number: int,
    in_round: int,
    players: Sequence[int],
    winners: Sequence[int],
    held: Sequence[int],
    bonus: int,
    *,
    how: TableEnding = TableEnding.RULES,
    is_left: bool = False,
) -> TableFacts:
    places = places_of(held, winners)
    later = (Holder(SUBSTITUTE, 3),) if is_left else ()
    return TableFacts(
        number,
        in_round,
        tuple(
            [
                SeatFacts(
                    (Holder(player, 4), *(later if not seat else ())),
                    held[seat],
                    bonus if seat in winners else 0,
                    seat in winners,
                    places[seat],
                )
                for seat, player in enumerate(players)
            ]
        ),
        how,
    )


# The tables of each round: duels for three, with a bye; duels for four; threes; threes with duels.
DIVISIONS: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...] = (
    (((1, 2), (3,)), ((1, 3), (2,)), ((2, 3), (1,)), ((1, 2), (3,)), ((1, 3), (2,))),
    (((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3)), ((1, 2), (3, 4))),
    (((1, 2, 3),), ((1, 2, 3),), ((1, 2, 3),)),
    (((1, 2, 3), (4, 5)), ((1, 4, 5), (2, 3)), ((2, 4, 5), (1, 3))),
)


@pytest.mark.parametrize(("most", "to_play"), [(10, 1), pytest.param(100, 2, marks=pytest.mark.long)])
def test_no_ending_leaves_the_places_that_were_within_reach(most: int, to_play: int) -> None:
    some = st.sampled_from(DIVISIONS), st.integers(0, to_play), st.sets(st.sampled_from([1, 2]), max_size=1)
    settings(max_examples=most)(given(st.data(), rules, *some)(_holds_whatever_follows))()


def _holds_whatever_follows(
    data: st.DataObject,
    rules: ScoringRules,
    division: Sequence[Sequence[Sequence[int]]],
    to_play: int,
    out: set[int],
) -> None:
    players = sorted({player for tables in division for table in tables for player in table})
    drawn = [
        (10 * n + at, n, players)
        for n, tables in enumerate(division, start=1)
        for at, players in enumerate(tables, start=1)
    ]
    byes = [ByeFacts(seated[0], n) for _number, n, seated in drawn if len(seated) == 1]
    tables = [one for one in drawn if len(one[2]) > 1]
    played = [data.draw(st.sampled_from(list(endings(*one)))) for one in tables[: len(tables) - to_play]]
    rest = tables[len(tables) - to_play :]
    begun = rest[: data.draw(st.integers(0, to_play))]
    sat_out = data.draw(st.booleans())  # whether the byes of these rounds count already
    counted = byes if sat_out or not rest else [bye for bye in byes if bye.round < rest[0][1]]
    now = standings(players, played, counted, rules, out)
    to_come = ToCome(
        rounds=Counter(player for _number, _round, seated in rest for player in seated),
        byes=Counter(bye.player for bye in byes),
        begun=[seated for _number, _round, seated in begun],
        most_regions=MOST_REGIONS,
    )
    ranges = possible_places(now, played, to_come, rules)
    assert set(ranges) == set(players) - out
    for last in product(*[set(endings(*one)) for one in rest]):
        at_the_end = standings(players, [*played, *last], byes, rules, out)
        for row in at_the_end.rows:
            if not row.is_out:
                one = ranges[row.player]
                assert one.best <= row.place <= one.worst, (row, one)


PLACEMENT = ScoringRules(scoring=ScoringMethod.PLACEMENT)


def _places(orders: Sequence[Sequence[int]], to_come: ToCome) -> dict[int, PlaceRange]:
    """Return the ranges for twelve after these tables of four, each in the order in which it ended."""
    tables = [
        TableFacts(
            number,
            number // 3 + 1,
            tuple(
                [
                    SeatFacts((Holder(player, 9),), 5 - place, 0, place == 1, place)
                    for place, player in enumerate(order, 1)
                ]
            ),
        )
        for number, order in enumerate(orders)
    ]
    return possible_places(standings(range(1, 13), tables, [], PLACEMENT), tables, to_come, PLACEMENT)


# Player 1 wins all three tables, 18 points; no one else has more than 10. A last round is still played.
ORDERS = (
    *[(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12)],
    *[(1, 5, 9, 2), (10, 6, 3, 7), (11, 4, 8, 12)],
    *[(1, 6, 11, 8), (2, 9, 7, 12), (3, 4, 5, 10)],
)


def test_a_first_place_can_be_secured_before_the_end() -> None:
    begun = [(1, 7, 10, 4), (2, 5, 11, 12), (3, 6, 8, 9)]
    left = dict.fromkeys(range(1, 13), 1)
    found = _places(ORDERS, ToCome(left, {}, begun, None))
    assert found[1] == PlaceRange(1, 1)
    assert found[12].best > 1


def test_one_table_has_only_one_first_and_one_second_place() -> None:
    """Each of four could overtake the first, who is 3 to 6 points ahead; but they all sit at one table."""
    four = (5, 10, 6, 11)
    left = dict.fromkeys(four, 1)
    assert _places(ORDERS[:6], ToCome(left, {}, [], None))[1].worst == 5
    assert _places(ORDERS[:6], ToCome(left, {}, [four], None))[1].worst == 3


def test_once_all_is_played_everyone_has_their_place() -> None:
    found = _places(ORDERS, ToCome({}, {}, [], None))
    assert sorted(one.best for one in found.values()) == list(range(1, 13))
    assert all(one.best == one.worst for one in found.values())


def test_points_without_a_limit_promise_nothing() -> None:
    by_points = ScoringRules(scoring=ScoringMethod.POINTS)
    to_come = ToCome({1: 1, 2: 1}, {}, [(1, 2)], None)
    assert possible_places(standings((1, 2), [], [], by_points), [], to_come, by_points) == {}


def test_twenty_four_players_take_less_than_a_second() -> None:
    tables = [
        TableFacts(
            10 * n + at,
            n,
            tuple(
                [
                    SeatFacts(
                        (Holder(1 + (at * 4 + place * n) % 24, 9),), 4 - place, 0, place == 0, place + 1
                    )
                    for place in range(4)
                ]
            ),
        )
        for n in (1, 5, 7, 11)
        for at in range(6)
    ]
    now = standings(range(1, 25), tables, [], PLACEMENT)
    to_come = ToCome(dict.fromkeys(range(1, 25), 4), {}, [], None)
    began = time.process_time()
    possible_places(now, tables, to_come, PLACEMENT)
    assert time.process_time() - began < 1
