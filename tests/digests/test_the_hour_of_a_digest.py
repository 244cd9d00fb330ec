"""When the email of the day comes, in any zone, on any day: no database."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given
from hypothesis import strategies as st

from accounts.mail.send_times import next_digest, next_send_at
from accounts.models import User

ZONES = sorted(
    zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc", "System"))
)
moments = st.datetimes(datetime(2005, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))
hours = st.times().map(lambda at: at.replace(second=0, microsecond=0, fold=0))
zones = st.sampled_from(ZONES)


def shows(moment: datetime, zone: str) -> time:
    return moment.astimezone(ZoneInfo(zone)).time().replace(fold=0)


@given(zones, hours, moments)
def test_it_comes_within_a_day_and_at_the_persons_hour(zone: str, hour: time, now: datetime) -> None:
    person = User(time_zone=zone, digest_at=hour, frequency="digest")
    due = next_digest(person, now)
    assert now < due <= now + timedelta(hours=49)  # a zone that changed sides of the date line left a day out
    assert shows(due, zone) == hour or is_left_out(zone, hour, due)


def is_left_out(zone: str, hour: time, due: datetime) -> bool:
    """Return whether the clock skipped this hour, on this day or the day before."""
    days = [(due - timedelta(days=days)).astimezone(ZoneInfo(zone)).date() for days in (0, 1)]
    walls = [datetime.combine(day, hour, ZoneInfo(zone)) for day in days]
    return any(shows(wall.astimezone(UTC), zone) != hour for wall in walls)


@given(zones, hours, moments)
def test_days_follow_each_other_without_a_gap_and_without_a_second(
    zone: str, hour: time, now: datetime
) -> None:
    person = User(time_zone=zone, digest_at=hour, frequency="digest")
    first = next_digest(person, now)
    for moment in (now, first - timedelta(seconds=1)):
        assert next_digest(person, moment) == first
    second = next_digest(person, first)
    assert timedelta(hours=20) < second - first < timedelta(hours=49)


@given(st.integers(1, 600), moments, st.timedeltas(timedelta(0), timedelta(days=3)))
def test_what_is_collected_goes_so_many_minutes_after_the_first_decision_or_now(
    minutes: int, asked: datetime, later: timedelta
) -> None:
    person = User(frequency="batched", batch_minutes=minutes)
    due = next_send_at(person, asked, asked + later)
    assert due == max(asked + later, asked + timedelta(minutes=minutes))


@given(moments)
def test_someone_who_wants_emails_at_once_has_none_that_collects(now: datetime) -> None:
    assert next_send_at(User(frequency="at once"), now, now) is None
