"""Some tables count only some hours, and a deadline says which do not; reminders come before it."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest

from accounts.models import Holiday
from games.clocks.decision_deadlines import deadline_of
from games.clocks.reminder_times import reminders
from tests.clocks.passing import HOUR, MONDAY, Wall, asked_seat, emails, timed_game

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def busy(anna: Any, bruno: Any) -> list[Any]:
    """Two people with the same nights, day off and holiday."""
    for person in (anna, bruno):
        person.quiet_from, person.quiet_until, person.days_off = time(22), time(6), [2]  # Wednesdays
        person.save()
        Holiday.objects.create(user=person, first=date(2026, 3, 3), last=date(2026, 3, 3))  # the Tuesday
    return [anna, bruno]


@pytest.mark.parametrize(
    ("hours", "due"),
    [
        # 96 hours: 10 on Monday, then 16 a day from Thursday on
        ("own", MONDAY - 12 * HOUR + 8 * DAY + 12 * HOUR),
        ("holidays", MONDAY + 96 * HOUR + DAY),
        ("all", MONDAY + 96 * HOUR),
    ],
)
def test_the_terms_say_which_hours_count(wall: Wall, busy: list[Any], hours: str, due: Any) -> None:
    game = timed_game(busy, hours=hours)
    assert asked_seat(game).due_at == due


@pytest.mark.parametrize(("most", "given"), [(0, 0), (1, 1), (3, 3), (28, 5)])
def test_no_more_days_of_holidays_count_than_the_table_grants(
    wall: Wall, anna: Any, bruno: Any, most: int, given: int
) -> None:
    for person in (anna, bruno):
        Holiday.objects.create(user=person, first=date(2026, 2, 1), last=date(2026, 3, 1))  # is over
        Holiday.objects.create(user=person, first=date(2026, 3, 3), last=date(2026, 3, 4))
        Holiday.objects.create(user=person, first=date(2026, 3, 5), last=date(2026, 3, 7))
    game = timed_game([anna, bruno], most_holidays=most)
    assert asked_seat(game).due_at == MONDAY + 96 * HOUR + given * DAY


def test_a_deadline_says_what_does_not_count_on_the_way(wall: Wall, busy: list[Any]) -> None:
    game = timed_game(busy)
    seat = asked_seat(game)
    told = deadline_of(seat, game.table, game, MONDAY + 2 * HOUR)
    assert told is not None
    assert (told.counted_from, told.due_at) == (MONDAY, seat.due_at)
    assert (told.time_left, told.reserve, told.open_left) == (24 * HOUR, 72 * HOUR, 94 * HOUR)
    assert (told.quiet, told.holidays) == ((time(22), time(6)), ((date(2026, 3, 3), date(2026, 3, 3)),))
    assert told.own_time_ends_at == MONDAY - 12 * HOUR + 3 * DAY + 20 * HOUR
    assert not told.uses_reserve(MONDAY)
    assert told.uses_reserve(told.own_time_ends_at)


def test_what_does_not_matter_before_a_deadline_is_not_told(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.quiet_from, person.quiet_until, person.days_off = time(2), time(3), [6]
        person.save()
        Holiday.objects.create(user=person, first=date(2026, 5, 3), last=date(2026, 5, 3))
    game = timed_game([anna, bruno], pace="hours", hours="holidays")
    told = deadline_of(asked_seat(game), game.table, game, MONDAY)
    assert told is not None
    assert (told.quiet, told.days_off, told.holidays) == (None, (), ())


def test_reminders_come_at_the_leads_that_lie_between(wall: Wall, busy: list[Any]) -> None:
    due = MONDAY + 30 * HOUR
    assert reminders([24, 6], MONDAY, due) == [MONDAY + 6 * HOUR, MONDAY + 24 * HOUR]
    assert reminders([48, 6], MONDAY, due) == [MONDAY + 24 * HOUR]
    assert reminders([48], MONDAY, due) == [MONDAY + 15 * HOUR]


def test_one_reminder_goes_for_each_lead(wall: Wall, anna: Any, bruno: Any) -> None:
    timed_game([anna, bruno])
    wall.pass_by(95 * HOUR)
    sent = [email.created_at for email in emails("reminder")]
    assert sent == [MONDAY + 72 * HOUR, MONDAY + 90 * HOUR]
