"""The clock of correspondence: whatever happens to a countdown, no one's deadline comes early, and time that
was counted once is counted so for good."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.working_hours import Hours, moment_after, open_time
from games.clocks.policy import PACES, Countdown
from games.models import Table
from tests.hours.zones import ALLOWANCES, DAY, HOUR, SPANS, hours_and_moment, open_hours

pytestmark = pytest.mark.once

NONE = timedelta(0)
BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY = datetime(2026, 11, 20, 22, 10, tzinfo=BERLIN).astimezone(UTC)
OFFICE = Hours(BERLIN, (time(22), time(8)), frozenset({5, 6}))


@st.composite
def countdowns(draw: st.DrawFn) -> tuple[Hours, Countdown]:
    hours, asked = draw(hours_and_moment())
    return hours, Countdown(asked, draw(ALLOWANCES), draw(ALLOWANCES))


def allowance(countdown: Countdown) -> timedelta:
    return countdown.time_left + countdown.reserve


# By hand


def test_a_decision_of_friday_night_at_the_pace_of_a_day() -> None:
    pace = PACES["day"]
    countdown = Countdown(FRIDAY, pace.per_decision, pace.reserve)
    # Open from 8 to 22, Monday to Friday: 14 on Monday, 10 on Tuesday.
    assert countdown.own_time_ends_at(OFFICE) == datetime(2026, 11, 24, 18, tzinfo=BERLIN)
    # 4 more on Tuesday, 14 on Wednesday, Thursday and Friday, 14 on Monday, 12 on Tuesday.
    assert countdown.due_at(OFFICE) == datetime(2026, 12, 1, 20, tzinfo=BERLIN)


def test_the_reserve_is_used_when_the_decisions_own_time_runs_out() -> None:
    asked = Countdown(FRIDAY, 24 * HOUR, 72 * HOUR)
    answered = asked.settled(OFFICE, datetime(2026, 11, 24, 21, tzinfo=BERLIN))
    assert (answered.time_left, answered.reserve) == (NONE, 69 * HOUR)
    assert asked.settled(OFFICE, datetime(2026, 11, 23, 9, tzinfo=BERLIN)).reserve == 72 * HOUR


def test_a_holiday_announced_meanwhile_is_not_counted() -> None:
    asked = Countdown(FRIDAY, 24 * HOUR)
    away = replace(OFFICE, holidays=((date(2026, 11, 24), date(2026, 11, 24)),))
    now = datetime(2026, 11, 23, 12, tzinfo=BERLIN)
    assert asked.settled(OFFICE, now).due_at(away) == datetime(2026, 11, 25, 18, tzinfo=BERLIN)


def test_a_pause_takes_nothing() -> None:
    asked = Countdown(FRIDAY, 24 * HOUR)
    monday, thursday = (datetime(2026, 11, day, 18, tzinfo=BERLIN) for day in (23, 26))
    rested = asked.settled(OFFICE, monday).resting_until(thursday)
    assert rested.time_left == 14 * HOUR
    assert rested.due_at(OFFICE) == datetime(2026, 11, 27, 18, tzinfo=BERLIN)
    assert rested.settled(OFFICE, monday + HOUR) == rested


def test_every_pace_that_a_table_offers_has_its_times() -> None:
    assert {*PACES, Table.Pace.NONE} == set(Table.Pace)


# In every zone, with all hours


@given(countdowns(), SPANS)
def test_looking_at_a_countdown_never_changes_when_it_is_due(case: tuple, later: timedelta) -> None:
    hours, countdown = case
    now = countdown.counted_from + later
    settled = countdown.settled(hours, now)
    assert settled.due_at(hours) == max(countdown.due_at(hours), now)
    assert settled.own_time_ends_at(hours) == max(countdown.own_time_ends_at(hours), now)
    assert settled.settled(hours, now) == settled


@given(countdowns(), SPANS, SPANS)
def test_settling_often_is_settling_once(case: tuple, first: timedelta, second: timedelta) -> None:
    hours, countdown = case
    cut = countdown.counted_from + first
    assert countdown.settled(hours, cut).settled(hours, cut + second) == countdown.settled(
        hours, cut + second
    )


@given(countdowns(), SPANS)
def test_what_is_used_is_the_decisions_own_time_first(case: tuple, later: timedelta) -> None:
    hours, countdown = case
    settled = countdown.settled(hours, countdown.counted_from + later)
    used = open_time(hours, countdown.counted_from, countdown.counted_from + later)
    assert allowance(settled) == max(NONE, allowance(countdown) - used)
    assert settled.reserve == countdown.reserve or settled.time_left == NONE
    assert NONE <= settled.time_left <= countdown.time_left
    assert NONE <= settled.reserve <= countdown.reserve


@given(countdowns(), st.data(), SPANS)
def test_another_calendar_or_zone_changes_nothing_that_has_passed(
    case: tuple, data: st.DataObject, later: timedelta
) -> None:
    hours, countdown = case
    now = min(countdown.counted_from + later, countdown.due_at(hours))
    others = data.draw(open_hours(now))
    due = countdown.settled(hours, now).due_at(others)
    assert open_time(hours, countdown.counted_from, now) + open_time(others, now, due) == allowance(countdown)
    assert due >= now


@given(countdowns(), SPANS, st.integers(1, 30), st.integers(0, 20))
def test_a_holiday_announced_ahead_never_brings_a_deadline_nearer(
    case: tuple, later: timedelta, ahead: int, long: int
) -> None:
    hours, countdown = case
    now = countdown.counted_from + later
    first = now.astimezone(hours.zone).date() + ahead * DAY
    away = replace(hours, holidays=(*hours.holidays, (first, first + long * DAY)))
    assert countdown.settled(hours, now).due_at(away) >= countdown.due_at(hours)


@given(countdowns(), SPANS, SPANS)
def test_a_span_that_is_given_back_is_given_back_whole(case: tuple, into: timedelta, long: timedelta) -> None:
    hours, countdown = case
    asked, due = countdown.counted_from, countdown.due_at(hours)
    start = min(asked + into, due)
    credited = countdown.without(hours, start, start + long)
    total = open_time(hours, asked, credited.due_at(hours))
    assert total == allowance(countdown) + open_time(hours, start, start + long)
    assert credited.due_at(hours) >= due


@given(countdowns(), SPANS, SPANS)
def test_a_span_from_before_the_decision_gives_what_lies_in_it(
    case: tuple, before: timedelta, into: timedelta
) -> None:
    hours, countdown = case
    asked = countdown.counted_from
    assert countdown.without(hours, asked - before - into, asked - into) == countdown
    credited = countdown.without(hours, asked - before, asked + into)
    assert credited.due_at(hours) == moment_after(hours, asked + into, allowance(countdown))


@given(countdowns(), ALLOWANCES)
def test_more_time_is_more_open_time(case: tuple, more: timedelta) -> None:
    hours, countdown = case
    due, later = countdown.due_at(hours), countdown.extended(more).due_at(hours)
    assert open_time(hours, due, later) == more
    assert later >= due


@given(countdowns(), SPANS, SPANS)
def test_rest_keeps_what_is_left(case: tuple, later: timedelta, rest: timedelta) -> None:
    hours, countdown = case
    settled = countdown.settled(hours, countdown.counted_from + later)
    rested = settled.resting_until(settled.counted_from + rest)
    assert allowance(rested) == allowance(settled)
    assert rested.due_at(hours) >= settled.due_at(hours)
