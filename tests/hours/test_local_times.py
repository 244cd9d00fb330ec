"""A local time becomes an instant, in every zone, also when clocks change or skip a day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.local_times import instant_of, instant_on, local_of, shifted, typed_instant
from games.models import SharedHour
from tests.hours.zones import ZONES, moments

pytestmark = pytest.mark.once

DAY, MINUTE, WEEK = timedelta(days=1), timedelta(minutes=1), timedelta(weeks=1)
MIDNIGHT, LAST_MINUTE = time(0), time(23, 59, fold=1)
SKIPPED = [("Pacific/Apia", date(2011, 12, 30)), ("Pacific/Kwajalein", date(1993, 8, 21))]


@st.composite
def local_times(draw: st.DrawFn) -> tuple[datetime, ZoneInfo]:
    """Draw a time that a clock on the wall may show, mostly near a change."""
    name = draw(st.sampled_from([*ZONES, "America/Nuuk", "America/Santiago", "Africa/Cairo"]))
    zone = ZoneInfo(name)
    near = local_of(draw(moments(name)), zone) + draw(st.timedeltas(-3 * timedelta(hours=1), DAY))
    return near.replace(second=0, microsecond=0), zone


def shown_at(local: datetime, zone: ZoneInfo) -> list[datetime]:
    """Return every instant at which a clock shows this, to be found by looking at the clock."""
    offsets = {
        (local.replace(tzinfo=UTC) + around).astimezone(zone).utcoffset() for around in (-2 * DAY, 2 * DAY)
    }
    offsets |= {local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1)}
    candidates = {local.replace(tzinfo=UTC) - (offset or timedelta(0)) for offset in offsets}
    return sorted(one for one in candidates if one.astimezone(zone).replace(tzinfo=None) == local)


@given(local_times())
def test_a_typed_time_is_the_one_instant_at_which_clocks_show_it_or_is_refused(
    typed: tuple[datetime, ZoneInfo],
) -> None:
    local, zone = typed
    shown = shown_at(local, zone)
    if len(shown) == 1:
        assert [typed_instant(local, zone)] == shown
        return
    with pytest.raises(ValidationError) as refused:
        typed_instant(local, zone)
    assert ("twice" in refused.value.message) == bool(shown)
    assert "Choose another" in refused.value.message


@given(local_times(), st.sampled_from([MIDNIGHT, time(9), LAST_MINUTE]))
def test_a_time_of_day_that_no_one_typed_is_on_its_day(typed: tuple[datetime, ZoneInfo], at: time) -> None:
    local, zone = typed
    if (zone.key, local.date()) in SKIPPED:
        with pytest.raises(ValidationError, match="the calendar skips it"):
            instant_on(local.date(), at, zone)
        return
    instant = instant_on(local.date(), at, zone)
    assert local_of(instant, zone).date() == local.date()
    if at == MIDNIGHT:
        assert local_of(instant - timedelta(seconds=1), zone).date() != local.date() or "Johns" in zone.key
    if at == LAST_MINUTE:
        assert local_of(instant + MINUTE, zone).date() != local.date()


@pytest.mark.parametrize(("zone", "on"), SKIPPED)
def test_a_day_that_is_skipped_is_said_to_be(zone: str, on: date) -> None:
    with pytest.raises(ValidationError, match=r"doesn’t exist in .*: the calendar skips it there"):
        typed_instant(datetime.combine(on, time(20)), ZoneInfo(zone))


@given(local_times(), st.timedeltas(MINUTE, timedelta(hours=6)), st.integers(1, 600))
def test_every_week_keeps_its_local_time_and_ends_after_its_start(
    typed: tuple[datetime, ZoneInfo], length: timedelta, weeks: int
) -> None:
    local, zone = typed
    try:
        starts, ends = (typed_instant(one, zone) for one in (local, local + length))
    except ValidationError:
        return
    hour = SharedHour(starts_at=starts, ends_at=ends, is_weekly=True, zone=zone.key)
    assert starts < ends
    found = hour.next_after(instant_of(local + weeks * WEEK, zone) - 2 * DAY)
    assert found is not None
    start, end = found
    assert start < end <= start + length + timedelta(hours=25)
    wall = local + weeks * WEEK
    if shown_at(wall, zone):
        assert local_of(start, zone) == wall
        if shown_at(wall + length, zone):
            assert local_of(end, zone) == wall + length
    else:
        assert wall < local_of(start, zone) <= wall + DAY
    following = hour.next_after(end)
    assert following is not None
    assert following[0] > end
    assert following[0] - start < WEEK + DAY + timedelta(hours=2)


def test_times_of_every_week_follow_each_other_without_a_gap_over_both_changes() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    starts, ends = (datetime(2027, 1, 3, 2, minute, tzinfo=berlin).astimezone(UTC) for minute in (15, 45))
    hour = SharedHour(starts_at=starts, ends_at=ends, is_weekly=True, zone="Europe/Berlin")
    now, found = starts - DAY, []
    for _week in range(52):
        time_of = hour.next_after(now)
        assert time_of is not None
        found.append(tuple(local_of(one, berlin) for one in time_of))
        now = time_of[1]
    assert [start.date() for start, _end in found] == [date(2027, 1, 3) + n * WEEK for n in range(52)]
    odd = {start.date(): (start.time(), end.time()) for start, end in found if start.time() != time(2, 15)}
    assert odd == {date(2027, 3, 28): (time(3, 15), time(3, 45))}


@given(local_times(), st.integers(-400, 400))
def test_moved_by_whole_days_a_time_keeps_what_clocks_show(
    typed: tuple[datetime, ZoneInfo], days: int
) -> None:
    local, zone = typed
    start = instant_of(local, zone)
    shown = local_of(start, zone)
    moved = local_of(shifted(start, days * DAY, zone), zone)
    if shown_at(shown + days * DAY, zone):
        assert moved == shown + days * DAY
