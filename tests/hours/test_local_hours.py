"""Working hours count by the person's local time, in every zone and on every day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from accounts.working_hours import FARTHEST, Hours, NeverOpen, moment_after, open_spans, open_time
from tests.hours.zones import ALLOWANCES, DAY, HOUR, SPANS, hours_and_moment, is_open

pytestmark = pytest.mark.once

MINUTE, NONE = timedelta(minutes=1), timedelta(0)
BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
NIGHT = (time(22), time(8))
WEEKEND = frozenset({5, 6})


def at(zone: ZoneInfo, text: str) -> datetime:
    """Return the instant of a local time there."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


# What someone works out with a calendar and a pencil


def test_24_open_hours_from_friday_evening_do_not_count_saturday_and_sunday() -> None:
    hours = Hours(BERLIN, days_off=WEEKEND)
    due = moment_after(hours, at(BERLIN, "2026-11-20 22:10"), 24 * HOUR)
    assert due == at(BERLIN, "2026-11-23 22:10")  # 1:50 on Friday, 22:10 on Monday


def test_24_open_hours_next_to_quiet_nights_take_most_of_two_days() -> None:
    hours = Hours(BERLIN, NIGHT)
    due = moment_after(hours, at(BERLIN, "2026-11-18 20:00"), 24 * HOUR)
    assert due == at(BERLIN, "2026-11-20 16:00")  # 2 on Wednesday, 14 on Thursday, 8 on Friday


def test_a_decision_asked_at_night_starts_in_the_morning() -> None:
    hours = Hours(BERLIN, NIGHT)
    assert moment_after(hours, at(BERLIN, "2026-11-18 23:59"), HOUR) == at(BERLIN, "2026-11-19 09:00")
    assert open_time(hours, at(BERLIN, "2026-11-18 23:59"), at(BERLIN, "2026-11-19 08:00")) == NONE


def test_quiet_hours_at_noon_part_a_day_in_two() -> None:
    hours = Hours(BERLIN, (time(12), time(14)))
    assert moment_after(hours, at(BERLIN, "2026-11-18 11:00"), 2 * HOUR) == at(BERLIN, "2026-11-18 15:00")


def test_holidays_are_closed_from_midnight_to_midnight() -> None:
    hours = Hours(BERLIN, holidays=((date(2026, 12, 24), date(2026, 12, 26)),))
    due = moment_after(hours, at(BERLIN, "2026-12-23 12:00"), 24 * HOUR)
    assert due == at(BERLIN, "2026-12-27 12:00")


def test_a_leap_day_is_a_day_like_others() -> None:
    assert open_time(Hours(BERLIN, NIGHT), at(BERLIN, "2028-02-28"), at(BERLIN, "2028-03-01")) == 28 * HOUR
    leap = Hours(BERLIN, holidays=((date(2028, 2, 29), date(2028, 2, 29)),))
    assert moment_after(leap, at(BERLIN, "2028-02-28 23:00"), 2 * HOUR) == at(BERLIN, "2028-03-01 01:00")


def test_when_clocks_go_forward_the_day_is_an_hour_shorter() -> None:
    start, end = at(BERLIN, "2026-03-29"), at(BERLIN, "2026-03-30")
    assert open_time(Hours(BERLIN), start, end) == 23 * HOUR
    assert open_time(Hours(BERLIN, NIGHT), start, end) == 14 * HOUR


def test_when_clocks_go_back_the_day_is_an_hour_longer() -> None:
    start, end = at(NEW_YORK, "2026-11-01"), at(NEW_YORK, "2026-11-02")
    assert open_time(Hours(NEW_YORK, days_off=frozenset({0})), start, end) == 25 * HOUR
    assert open_time(Hours(NEW_YORK, NIGHT), start, end) == 14 * HOUR


def test_an_end_of_quiet_hours_that_is_skipped_is_when_clocks_go_forward() -> None:
    opens, _closes = next(open_spans(Hours(BERLIN, (time(22), time(2, 30))), at(BERLIN, "2026-03-29")))
    assert opens == at(BERLIN, "2026-03-29 03:00")


def test_a_quiet_hour_that_comes_twice_is_quiet_twice() -> None:
    hours = Hours(BERLIN, (time(2), time(3)))
    assert open_time(hours, at(BERLIN, "2026-10-25"), at(BERLIN, "2026-10-26")) == 23 * HOUR


def test_a_day_that_a_zone_left_out_cannot_be_a_holiday() -> None:
    apia = ZoneInfo("Pacific/Apia")
    hours = Hours(apia, holidays=((date(2011, 12, 30), date(2011, 12, 30)),))
    assert moment_after(hours, at(apia, "2011-12-29 23:00"), 2 * HOUR) == at(apia, "2011-12-31 01:00")


def test_someone_who_travels_takes_the_time_that_has_passed_with_them() -> None:
    asked, left = at(BERLIN, "2026-11-18 20:00"), at(BERLIN, "2026-11-19 10:00")
    used = open_time(Hours(BERLIN, NIGHT), asked, left)
    assert used == 4 * HOUR
    assert moment_after(Hours(NEW_YORK, NIGHT), left, 24 * HOUR - used) == at(NEW_YORK, "2026-11-20 14:00")


def test_local_times_are_understood_as_the_instants_they_are() -> None:
    start = datetime(2026, 10, 25, 1, tzinfo=BERLIN)
    end = datetime(2026, 10, 25, 5, tzinfo=BERLIN)
    assert open_time(Hours(BERLIN), start, end) == 5 * HOUR
    assert open_time(Hours(BERLIN, NIGHT), start, datetime(2026, 10, 25, 9, tzinfo=BERLIN)) == HOUR
    assert moment_after(Hours(BERLIN), start, 5 * HOUR) == end.astimezone(UTC)


# Hours that no one may have


@pytest.mark.parametrize(
    ("quiet", "days_off"),
    [
        (None, range(7)),
        ((time(0), time(23)), [5, 6]),  # an hour on five days
        ((time(12), time(11, 59)), []),  # a minute a day
    ],
)
def test_hours_that_are_hardly_ever_open_are_refused(
    quiet: tuple[time, time] | None, days_off: list[int]
) -> None:
    with pytest.raises(NeverOpen):
        Hours(BERLIN, quiet, frozenset(days_off))


def test_a_day_in_the_week_is_enough() -> None:
    hours = Hours(BERLIN, days_off=frozenset(range(1, 7)))
    assert open_time(hours, at(BERLIN, "2026-11-16"), at(BERLIN, "2026-11-23")) == DAY


def test_quiet_hours_that_end_when_they_begin_are_none() -> None:
    assert (
        open_time(Hours(BERLIN, (time(8), time(8))), at(BERLIN, "2026-11-18"), at(BERLIN, "2026-11-19"))
        == DAY
    )


def test_holidays_without_end_are_found_to_be_so() -> None:
    hours = Hours(BERLIN, holidays=((date(2026, 1, 1), date(2999, 1, 1)),))
    with pytest.raises(NeverOpen):
        moment_after(hours, at(BERLIN, "2026-11-18"), HOUR)
    assert open_time(hours, at(BERLIN, "2026-11-18"), at(BERLIN, "2035-01-01")) == NONE


def test_no_deadline_is_years_away() -> None:
    for hours in (Hours(BERLIN), Hours(BERLIN, NIGHT)):
        with pytest.raises(NeverOpen):
            moment_after(hours, at(BERLIN, "2026-11-18"), FARTHEST + DAY)


def test_long_spans_are_counted_to_their_end() -> None:
    hours = Hours(ZoneInfo("UTC"), (time(22), time(8)))
    start = datetime(2000, 1, 1, tzinfo=UTC)
    assert open_time(hours, start, start + 5000 * DAY) == 5000 * 14 * HOUR


# In every zone, with all hours


@given(hours_and_moment(), st.timedeltas(NONE, 4 * DAY))
def test_an_instant_counts_when_the_clock_on_the_wall_shows_an_open_time(
    case: tuple, after: timedelta
) -> None:
    hours, start = case
    moment = start + after
    within = [opens <= moment < closes for opens, closes in open_spans(hours, start, moment + MINUTE)]
    assert any(within) == is_open(hours, moment)


@given(hours_and_moment(), st.integers(0, 3 * 24 * 60))
def test_open_time_is_what_counting_every_minute_gives(case: tuple, minutes: int) -> None:
    hours, start = case
    start = start.replace(second=0, microsecond=0)
    offset = start.astimezone(hours.zone).utcoffset()
    assume(offset is not None and offset % MINUTE == NONE)
    assume((start + minutes * MINUTE).astimezone(hours.zone).utcoffset() % MINUTE == NONE)
    counted = sum(is_open(hours, start + minute * MINUTE) for minute in range(minutes))
    assert open_time(hours, start, start + minutes * MINUTE) == counted * MINUTE


@given(hours_and_moment())
def test_spans_are_in_order_and_never_overlap(case: tuple) -> None:
    hours, start = case
    spans = list(islice(open_spans(hours, start), 40))
    assert all(start <= opens < closes for opens, closes in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@given(hours_and_moment(), ALLOWANCES)
def test_so_much_open_time_has_passed_as_was_allowed(case: tuple, allowance: timedelta) -> None:
    hours, start = case
    due = moment_after(hours, start, allowance)
    assert open_time(hours, start, due) == allowance
    assert due >= start + allowance
    if allowance:  # and not a moment later: the last one counted
        assert open_time(hours, start, due - timedelta(microseconds=1)) < allowance


@given(hours_and_moment(), SPANS, SPANS)
def test_time_adds_up_wherever_it_is_cut(case: tuple, first: timedelta, second: timedelta) -> None:
    hours, start = case
    cut, end = start + first, start + first + second
    assert open_time(hours, start, end) == open_time(hours, start, cut) + open_time(hours, cut, end)
    assert open_time(hours, end, start) == NONE
    assert NONE <= open_time(hours, start, end) <= end - start


@given(hours_and_moment(), SPANS, ALLOWANCES, ALLOWANCES)
def test_later_decisions_and_longer_times_are_never_due_earlier(
    case: tuple, later: timedelta, one: timedelta, other: timedelta
) -> None:
    hours, start = case
    shorter, longer = sorted([one, other])
    assert moment_after(hours, start, shorter) <= moment_after(hours, start, longer)
    assert moment_after(hours, start, one) <= moment_after(hours, start + later, one)


@given(hours_and_moment(), ALLOWANCES, st.integers(0, 20), st.integers(0, 20))
def test_one_more_holiday_makes_no_deadline_earlier(
    case: tuple, allowance: timedelta, ahead: int, long: int
) -> None:
    hours, start = case
    first = start.astimezone(hours.zone).date() + ahead * DAY
    away = Hours(hours.zone, hours.quiet, hours.days_off, (*hours.holidays, (first, first + long * DAY)))
    assert moment_after(away, start, allowance) >= moment_after(hours, start, allowance)


@given(hours_and_moment())
def test_open_hours_begin_at_the_same_time_on_the_wall_all_year(case: tuple) -> None:
    """Leave out days on which that time was skipped or came twice."""
    hours, start = case
    if hours.quiet is None or hours.quiet[0] == hours.quiet[1]:
        return
    for opens, closes in islice(open_spans(hours, start + MINUTE), 1, 20):
        wall, before = opens.astimezone(hours.zone), (opens - HOUR / 60).astimezone(hours.zone)
        if wall.utcoffset() == before.utcoffset() == closes.astimezone(hours.zone).utcoffset():
            assert wall.time() in (hours.quiet[1], time(0))
