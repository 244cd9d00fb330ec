"""Every calendar of the site says its times so that a simple program reads the right instant: in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts import clock
from accounts.models import User
from games.leagues.file_addresses import calendar_path
from games.models import Seat
from games.services.hours import answer_hour, propose_hours
from tests.clocks.passing import Wall, seat_of
from tests.games.playing import begin_game
from tests.leagues import world

pytestmark = pytest.mark.django_db

ZONES = [
    "Europe/Berlin",
    "Europe/Dublin",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kathmandu",
    "UTC",
]
# Their clocks change in other ways than most; every run tries them.
UNUSUAL = ("Europe/Dublin", "Australia/Lord_Howe", "Africa/Casablanca")
HOUR, WEEK = timedelta(hours=1), timedelta(weeks=1)


def simply_read(body: bytes) -> list[tuple[datetime, datetime | None]]:
    """Read the events as a simple program does: it knows no zone and no list of changes."""
    lines = body.decode().replace("\r\n ", "").splitlines()
    found: list[tuple[datetime, datetime | None]] = []
    for line in lines[lines.index("BEGIN:VEVENT") if "BEGIN:VEVENT" in lines else len(lines) :]:
        name, _colon, value = line.partition(":")
        assert not name.startswith(("RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "DURATION"))
        if name == "BEGIN":
            found.append((datetime.min, None))
        elif name.startswith("DTSTART"):
            found[-1] = (_moment(name, value), None)
        elif name.startswith("DTEND"):
            found[-1] = (found[-1][0], _moment(name, value))
    return found


def _moment(name: str, value: str) -> datetime:
    assert ";" not in name, f"{name} needs a zone"
    return datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


@pytest.fixture
def wall() -> Any:
    wall = Wall(datetime(2027, 7, 19, 12, tzinfo=UTC))
    with clock.use_clock(wall):
        yield wall


@pytest.mark.parametrize(
    "zone", [pytest.param(zone, marks=[] if zone in UNUSUAL else pytest.mark.long) for zone in ZONES]
)
def test_an_hour_is_read_as_the_instant_it_is_in_every_zone_and_week(
    wall: Wall, anna: Any, bruno: Any, signed_in: Any, zone: str
) -> None:
    User.objects.update(time_zone=zone, feed_key=None)
    User.objects.filter(pk=anna.pk).update(feed_key="annas-key")
    anna.refresh_from_db()
    game = begin_game([anna, bruno])
    annas, brunos = (seat_of(game, number) for number in (0, 1))
    start = datetime(2027, 7, 20, 19, tzinfo=UTC)
    (once,) = propose_hours(annas, [(start, start + HOUR)], is_weekly=False)
    (weekly,) = propose_hours(annas, [(start + 3 * HOUR, start + 4 * HOUR)], is_weekly=True)
    for hour in (once, weekly):
        answer_hour(hour, brunos, accepts=True)
    client = signed_in(anna)

    def file_of(hour: Any) -> list[Any]:
        return simply_read(client.get(f"/games/{game.pk}/hours/{hour.pk}.ics").content)

    assert file_of(once) == [(start, start + HOUR)]
    for months in range(0, 60, 7):
        wall.now = start + months * 30 * timedelta(days=1)
        times, now = [], wall.now
        for _week in range(8):
            time = weekly.next_after(now)
            assert time is not None
            times.append(time)
            now = time[1]
        assert file_of(weekly) == times
        feed = simply_read(Client().get("/calendar/annas-key.ics").content)
        assert set(times) <= set(feed)
    assert len({time[0].hour for time in times}) <= 2


def test_a_deadline_and_the_dates_of_a_league_are_in_utc_too(wall: Wall, anna: Any, bruno: Any) -> None:
    User.objects.filter(pk__in=[anna.pk, bruno.pk]).update(time_zone="Europe/Berlin")
    game = begin_game([anna, bruno], pace="day")
    seat = Seat.objects.select_related("user").get(table=game.table_id, due_at__isnull=False)
    User.objects.filter(pk=seat.user_id).update(feed_key="the-key")
    ends = (wall.now + timedelta(days=1)).replace(microsecond=0)  # before the reserve
    assert simply_read(Client().get("/calendar/the-key.ics").content) == [(ends, None)]
    season = world.a_season(world.a_league(world.person("Olga")))
    dates = simply_read(Client().get(calendar_path(season.league)).content)
    assert (season.opens_at.replace(microsecond=0), None) in dates
    assert len(dates) == 4
