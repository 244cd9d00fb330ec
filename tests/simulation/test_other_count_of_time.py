"""The checks count open time in another way, and must agree with the site."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random

import pytest

from accounts.models import User
from accounts.working_hours import Hours, open_time
from games.models import Seat
from tests.simulation.games.checks import Calendar
from tests.simulation.games.checks import open_time as counted_anew
from tests.simulation.games.people import ZONES

pytestmark = pytest.mark.once

ANNOUNCED = datetime(2025, 1, 1, tzinfo=UTC)


def person(rng: Random) -> User:
    quiet = (time(rng.choice((0, 21, 22, 23)), 30), time(rng.choice((6, 7, 8)), 15))
    user = User(time_zone=rng.choice(ZONES), days_off=rng.choice(([], [5, 6], [2])))
    if rng.random() < 0.7:
        user.quiet_from, user.quiet_until = quiet
    return user


def hours_of(user: User, holidays: list[tuple[date, date]]) -> Hours:
    quiet = (user.quiet_from, user.quiet_until) if user.quiet_from and user.quiet_until else None
    return Hours(user.zone, quiet, frozenset(user.days_off), tuple(holidays))


@pytest.mark.parametrize("seed", range(40))
def test_both_counts_agree_over_a_year_of_changing_clocks(seed: int) -> None:
    rng = Random(f"hours {seed}")
    user = person(rng)
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(365 * 24 * 3600))
    end = start + timedelta(seconds=rng.randrange(12 * 24 * 3600))
    first = (start + timedelta(days=rng.randrange(5))).date()
    holidays = [(first, first + timedelta(days=rng.randrange(4)))] if rng.random() < 0.5 else []
    told = tuple((ANNOUNCED, *holiday) for holiday in holidays)
    calendar = Calendar(Seat(user=user), told, 28, date(2025, 1, 1))
    assert counted_anew(calendar, start, end) == open_time(hours_of(user, holidays), start, end)


def test_a_holiday_counts_from_its_announcement_on() -> None:
    user = User(time_zone="UTC")
    days = (date(2026, 5, 1), date(2026, 5, 3))
    announced = datetime(2026, 5, 2, 12, tzinfo=UTC)
    calendar = Calendar(Seat(user=user), ((announced, *days),), 28, date(2026, 1, 1))
    may = datetime(2026, 5, 1, tzinfo=UTC)
    assert counted_anew(calendar, may, may + timedelta(days=4)) == timedelta(hours=24 + 12 + 24)


def test_no_more_holidays_count_than_a_table_grants() -> None:
    days = (date(2026, 5, 1), date(2026, 5, 10))
    calendar = Calendar(Seat(user=User(time_zone="UTC")), ((ANNOUNCED, *days),), 4, date(2026, 5, 3))
    may = datetime(2026, 5, 1, tzinfo=UTC)
    assert counted_anew(calendar, may, may + timedelta(days=10)) == timedelta(days=6)
