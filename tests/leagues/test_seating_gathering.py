"""Players who are away at the start are seated together, and nothing else changes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from games.leagues.seating import Seated, history_of, plan_rounds, seat_next
from games.leagues.seating.gathering import gathered
from games.leagues.seating.table_sizes import LEAST_AT_TABLE

SEED = bytes(32)


def stranded(plan: tuple[Seated, ...], away: set[int], size: int) -> int:
    """How many tables begin without those who are away, each counted for each of them."""
    least = min(size, LEAST_AT_TABLE)
    tables = [table for seated in plan for table in seated.tables]
    counts = [(len(table), len(away.intersection(table))) for table in tables]
    return sum(gone for seats, gone in counts if seats - gone >= least)


@given(st.integers(2, 5), st.integers(4, 13), st.integers(1, 3), st.data())
def test_meetings_and_seats_stay_as_balanced_and_fewer_begin_without_the_absent(
    size: int, count: int, at_once: int, data: st.DataObject
) -> None:
    players = range(1, max(count, 2 * size) + 1)
    away = data.draw(st.sets(st.sampled_from(players), max_size=6))
    plan = plan_rounds(players, size, 3, SEED)

    found = gathered(plan, away, size, at_once)

    for seated, before in zip(found, plan, strict=True):
        assert seated.players == before.players
        assert [len(table) for table in seated.tables] == [len(table) for table in before.tables]
    was, now = history_of(plan), history_of(found)
    assert Counter(now.meetings.values()) == Counter(was.meetings.values())
    assert Counter(now.firsts.values()) == Counter(was.firsts.values())
    assert Counter(now.byes.values()) == Counter(was.byes.values())
    assert stranded(found[:at_once], away, size) <= stranded(plan[:at_once], away, size)
    assert (found == plan) or away


def test_two_of_eight_who_are_away_share_the_table_that_begins_last() -> None:
    away = {2, 7}
    for seed in range(20):
        seated = seat_next(range(8), 4, 3, bytes([seed] * 32), before=(), away=away, at_once=1)
        assert any(away <= set(table) for table in seated.tables)


def test_of_duellists_one_who_is_away_has_the_bye() -> None:
    seated = seat_next(range(7), 2, 3, SEED, before=(), away={4}, at_once=1)
    assert seated.byes == (4,)
