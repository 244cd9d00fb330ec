"""One deadline everywhere: the moment at which the site acts, in one format, as a time element."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone, translation

from accounts import durations, times, zones
from games.links import LinkedDecision, answer_token
from tests.timing.test_time_on_pages import FRIDAY, decision_of, game_asking

pytestmark = pytest.mark.django_db

ROME = ZoneInfo("Europe/Rome")


def deadlines_on(page: str) -> list[str]:
    return [
        unescape(re.sub(r"<[^>]+>", "", found)) for found in re.findall(r"Move by <time[^>]*>[^<]*", page)
    ]


def test_every_page_names_the_same_deadline_in_the_same_words(people: list[Any], signed_in: Any) -> None:
    people[1].days_off, people[1].time_zone = [5, 6], "Europe/Rome"
    people[1].save()
    game = game_asking(people, 1)
    ends = datetime(2026, 11, 23, 22, 10, tzinfo=UTC)  # 24 hours on, which skip the weekend
    client = signed_in(people[1])
    link = answer_token(LinkedDecision(game.pk, 1, people[1].pk, decision_of(game).decision_step))

    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        pages = [
            client.get(path, follow=True).content.decode()
            for path in (f"/games/{game.pk}/", "/games/", "/", f"/answer/{link}/")
        ]

    assert [deadlines_on(page) for page in pages] == [[f"Move by {times.moment(ends, ROME)}"]] * 4
    assert deadlines_on(pages[0]) == ["Move by Monday 23 November, 23:10"]
    assert all('<time datetime="2026-11-23T23:10:00+01:00">' in page for page in pages)


def test_once_the_reserve_runs_every_page_names_its_end(people: list[Any], signed_in: Any) -> None:
    game = game_asking(people, 1)
    client = signed_in(people[1])
    with time_machine.travel(FRIDAY + timedelta(hours=25), tick=False):
        pages = [client.get(path).content.decode() for path in (f"/games/{game.pk}/", "/games/", "/")]
        assert game.table.seats.get(number=1).due_at == FRIDAY + timedelta(hours=96)
        told = f"Move by {times.moment(FRIDAY + timedelta(hours=96), UTC)}"
    assert [deadlines_on(page) for page in pages] == [[told]] * 3
    assert "You are using your reserve." in pages[0]
    assert "would then last" not in pages[0]


def test_the_reserve_is_on_a_second_line(people: list[Any], signed_in: Any) -> None:
    game = game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        page = signed_in(people[1]).get(f"/games/{game.pk}/").content.decode()
    deadline, reserve = (
        page.index("Move by <time"),
        page.index("Your reserve of 3 days would then last until <time"),
    )
    assert deadline < reserve
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert "Move by Saturday 21 November, 22:10" in text
    assert "would then last until Tuesday 24 November, 22:10." in text


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (datetime(2026, 3, 6, 13, 10, tzinfo=UTC), "Friday 6 March, 14:10"),
        (datetime(2027, 3, 6, 13, 10, tzinfo=UTC), "Saturday 6 March 2027, 14:10"),
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "Friday 1 January 2027, 00:30"),
    ],
)
def test_a_moment_has_its_weekday_and_a_year_only_when_it_is_another(at: datetime, told: str) -> None:
    with time_machine.travel(FRIDAY, tick=False), timezone.override(ROME):
        assert times.moment(at) == told
        assert times.moment_with_city(at) == f"{told} (Rome)"


@pytest.mark.parametrize(
    ("language", "cities"),
    [
        ("en", ["Warsaw", "New York", "Kyiv", "Buenos Aires", "UTC"]),
        ("pl", ["Warszawa", "Nowy Jork", "Kijów", "Buenos Aires", "UTC"]),
        ("ru", ["Варшава", "Нью-Йорк", "Киев", "Буэнос-Айрес", "UTC"]),
    ],
)
def test_a_zones_city_is_in_the_readers_language(language: str, cities: list[str]) -> None:
    # Europe/Kiev and US/Eastern are older names.
    names = ["Europe/Warsaw", "US/Eastern", "Europe/Kiev", "America/Argentina/Buenos_Aires", "UTC"]
    with translation.override(language):
        assert [times.city(ZoneInfo(zone)) for zone in names] == cities


def test_every_zone_that_can_be_chosen_has_a_city_in_every_language() -> None:
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            for zone, _label in zones.zone_choices("UTC"):
                assert times.city(ZoneInfo(zone)).strip(), zone


def test_a_moment_and_its_city_are_in_the_readers_language() -> None:
    at = datetime(2026, 3, 6, 13, 10, tzinfo=UTC)
    with time_machine.travel(FRIDAY, tick=False), translation.override("ru"):
        assert times.moment_with_city(at, ROME) == "пятница, 6 марта, 14:10 (Рим)"


@pytest.mark.parametrize(
    ("span", "ahead", "lasting", "past"),
    [
        (
            timedelta(seconds=20),
            "in less than a minute",
            "waiting for less than a minute",
            "less than a minute ago",
        ),
        (timedelta(minutes=1), "in 1 minute", "waiting for 1 minute", "1 minute ago"),
        (timedelta(hours=1), "in 1 hour", "waiting for 1 hour", "1 hour ago"),
        (timedelta(minutes=100), "in 100 minutes", "waiting for 100 minutes", "100 minutes ago"),
        (timedelta(hours=3), "in 3 hours", "waiting for 3 hours", "3 hours ago"),
        (timedelta(hours=47), "in 47 hours", "waiting for 47 hours", "47 hours ago"),
        (timedelta(days=2, hours=23), "in 3 days", "waiting for 3 days", "3 days ago"),
    ],
)
def test_a_duration_is_a_phrase_of_its_own(span: timedelta, ahead: str, lasting: str, past: str) -> None:
    assert durations.time_in(FRIDAY + span, FRIDAY) == ahead
    assert durations.time_for(FRIDAY - span, FRIDAY) == lasting
    assert durations.ago(FRIDAY - span, FRIDAY) == past


@pytest.mark.parametrize(
    ("span", "length"),
    [
        (timedelta(minutes=50), "50 minutes"),
        (timedelta(hours=24), "24 hours"),
        (timedelta(hours=14, minutes=30), "14 h 30 min"),
        (timedelta(hours=47, minutes=59, seconds=40), "2 days"),
        (timedelta(hours=66, minutes=50), "2 d 18 h"),
        (timedelta(hours=72), "3 days"),
    ],
)
def test_an_exact_length_counts_in_days_from_two_on(span: timedelta, length: str) -> None:
    assert durations.exact_duration(span).replace("\xa0", " ") == length


def test_a_length_of_time_has_one_name_everywhere() -> None:
    """Settings and emails say the same, of every full hour that a pace, a reserve or a reminder can have."""
    for hours in range(1, 24 * 30):
        span = timedelta(hours=hours)
        if hours < 48 or not hours % 24:
            assert durations.exact_duration(span) == durations.duration(span)
            assert durations.time_before(span) == f"{durations.duration(span)} before"
