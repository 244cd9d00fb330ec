"""A person's calendar: what they may choose and announce; every clock follows each change."""

from __future__ import annotations

import threading
from datetime import date, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from accounts.availability import (
    announce_holiday,
    cancel_holiday,
    change,
    changing,
    choose_zone,
    hours_of_person,
    standing_holidays,
    today_of,
)
from accounts.models import Holiday, User
from accounts.working_hours import Hours
from tests.hours import watching
from tests.hours.conftest import WEDNESDAY, receiving
from tests.servers import HANGS

pytestmark = pytest.mark.django_db

BERLIN = ZoneInfo("Europe/Berlin")
DAY = timedelta(days=1)
TODAY = date(2026, 11, 18)
OFFICE = {"quiet_from": time(22), "quiet_until": time(8), "days_off": [6, 5]}


def holidays_of(user: Any) -> list[tuple[date, date]]:
    return [(holiday.first, holiday.last) for holiday in Holiday.objects.filter(user=user)]


def sentences_of(refused: pytest.ExceptionInfo[ValidationError]) -> str:
    return " ".join(refused.value.messages)


def test_someone_who_has_said_nothing_is_always_there(berliner: Any) -> None:
    assert hours_of_person(berliner) == Hours(BERLIN)


def test_what_is_chosen_is_what_holds(berliner: Any) -> None:
    change(berliner, **OFFICE)
    announce_holiday(berliner, TODAY + DAY, TODAY + 3 * DAY)
    person = User.objects.get(pk=berliner.pk)
    away = ((TODAY + DAY, TODAY + 3 * DAY),)
    assert hours_of_person(person) == Hours(BERLIN, (time(22), time(8)), frozenset({5, 6}), away)
    change(berliner, quiet_from=None, quiet_until=None, days_off=[])
    assert hours_of_person(User.objects.get(pk=berliner.pk)) == Hours(BERLIN, holidays=away)


def test_every_change_is_told_with_the_hours_before_and_the_moment(berliner: Any, told: list[Any]) -> None:
    change(berliner, **OFFICE)
    choose_zone(berliner, "Asia/Tokyo")
    announce_holiday(berliner, TODAY + 2 * DAY, TODAY + 2 * DAY)
    cancel_holiday(berliner, Holiday.objects.get().pk)
    quiet = ((time(22), time(8)), frozenset({5, 6}))
    tokyo = Hours(ZoneInfo("Asia/Tokyo"), *quiet)
    away = Hours(ZoneInfo("Asia/Tokyo"), *quiet, ((TODAY + 2 * DAY, TODAY + 2 * DAY),))
    assert [before for _, before, _ in told] == [Hours(BERLIN), Hours(BERLIN, *quiet), tokyo, away]
    assert {now for _, _, now in told} == {WEDNESDAY}
    assert {person.pk for person, _, _ in told} == {berliner.pk}


def test_who_is_told_finds_the_new_hours_on_the_person_and_in_the_database(
    berliner: Any,
) -> None:
    found: list[Hours] = []

    def look(user: Any, **_: Any) -> None:
        found.extend([hours_of_person(user), hours_of_person(User.objects.get(pk=user.pk))])

    with receiving(look):
        choose_zone(berliner, "Asia/Tokyo")
    assert found == [Hours(ZoneInfo("Asia/Tokyo"))] * 2


def test_no_one_is_told_of_what_changes_nothing(berliner: Any, told: list[Any]) -> None:
    change(berliner, quiet_from=None, quiet_until=None, days_off=[])
    choose_zone(berliner, "Europe/Berlin")
    cancel_holiday(berliner, 1)
    assert told == []


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"quiet_until": None}, "Enter both times, or leave both empty."),
        ({"quiet_from": None}, "Enter both times, or leave both empty."),
        ({"quiet_from": time(8), "quiet_until": time(8)}, "Both times are the same"),
        ({"days_off": range(7)}, "at least 24 hours a week"),
        ({"quiet_from": time(8), "quiet_until": time(7, 30)}, "at least 24 hours a week"),
    ],
)
def test_what_no_one_may_have_is_refused_and_changes_nothing(
    berliner: Any, told: list[Any], wish: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        change(berliner, **{**OFFICE, **wish})
    assert sentence in sentences_of(refused)
    assert hours_of_person(User.objects.get(pk=berliner.pk)) == Hours(BERLIN)
    assert told == []


def test_hours_that_make_a_deadline_unreachable_are_refused_too(berliner: Any) -> None:
    with receiving(watching.refuse), pytest.raises(ValidationError):
        change(berliner, **OFFICE)
    assert hours_of_person(User.objects.get(pk=berliner.pk)) == Hours(BERLIN)


# Holidays


@pytest.mark.parametrize(
    ("first", "last", "field", "sentence"),
    [
        (TODAY, TODAY + DAY, "first", "tomorrow at the earliest"),
        (TODAY - DAY, TODAY + DAY, "first", "tomorrow at the earliest"),
        (TODAY + 2 * DAY, TODAY + DAY, "last", "before the first day"),
        (TODAY + DAY, TODAY + 61 * DAY, "last", "at most 60 days"),
        (date(2027, 12, 24), date(2027, 12, 26), "first", "more than a year ahead"),
        (TODAY + 9 * DAY, TODAY + 12 * DAY, "first", "Some of these days"),
        (TODAY + 12 * DAY, TODAY + 30 * DAY, "first", "Some of these days"),
        (TODAY + 11 * DAY, TODAY + 11 * DAY, "first", "Some of these days"),
    ],
)
def test_a_holiday_that_cannot_be_announced_is_refused_next_to_its_day(
    berliner: Any, told: list[Any], first: date, last: date, field: str, sentence: str
) -> None:
    Holiday.objects.create(user=berliner, first=TODAY + 10 * DAY, last=TODAY + 12 * DAY)
    with pytest.raises(ValidationError) as refused:
        announce_holiday(berliner, first, last)
    assert list(refused.value.message_dict) == [field]
    assert sentence in sentences_of(refused)
    assert len(holidays_of(berliner)) == 1
    assert told == []


def test_sixty_days_from_tomorrow_are_granted(berliner: Any) -> None:
    announce_holiday(berliner, TODAY + DAY, TODAY + 60 * DAY)
    assert holidays_of(berliner) == [(TODAY + DAY, TODAY + 60 * DAY)]


def test_tomorrow_is_tomorrow_on_their_own_wall(berliner: Any, today: Any) -> None:
    choose_zone(berliner, "Pacific/Kiritimati")  # it is Thursday there already
    with pytest.raises(ValidationError):
        announce_holiday(berliner, TODAY + DAY, TODAY + DAY)
    announce_holiday(berliner, TODAY + 2 * DAY, TODAY + 2 * DAY)


def test_the_same_holiday_said_twice_is_one(berliner: Any, told: list[Any]) -> None:
    for _twice in range(2):
        announce_holiday(berliner, TODAY + DAY, TODAY + 2 * DAY)
    assert holidays_of(berliner) == [(TODAY + DAY, TODAY + 2 * DAY)]
    assert len(told) == 1


def test_so_many_holidays_can_stand_at_once(berliner: Any, today: Any) -> None:
    for number in range(1, 21):
        announce_holiday(berliner, TODAY + 2 * number * DAY, TODAY + 2 * number * DAY)
    with pytest.raises(ValidationError, match="20 holidays"):
        announce_holiday(berliner, TODAY + 99 * DAY, TODAY + 99 * DAY)
    today.shift(3 * DAY)  # the first is over
    announce_holiday(berliner, TODAY + 99 * DAY, TODAY + 99 * DAY)


def test_one_that_lies_ahead_is_taken_back(berliner: Any) -> None:
    cancel_holiday(berliner, announce_holiday(berliner, TODAY + DAY, TODAY + 2 * DAY).pk)
    assert holidays_of(berliner) == []


def test_one_that_runs_ends_today_and_what_has_passed_stays(
    berliner: Any, told: list[Any], today: Any
) -> None:
    holiday = announce_holiday(berliner, TODAY + DAY, TODAY + 9 * DAY)
    today.shift(3 * DAY)
    for _twice in range(2):
        cancel_holiday(berliner, holiday.pk)
    assert holidays_of(berliner) == [(TODAY + DAY, TODAY + 3 * DAY)]
    assert len(told) == 2
    announce_holiday(berliner, TODAY + 4 * DAY, TODAY + 5 * DAY)  # and may be announced again


def test_one_that_is_over_stays(berliner: Any, today: Any) -> None:
    holiday = announce_holiday(berliner, TODAY + DAY, TODAY + 2 * DAY)
    today.shift(3 * DAY)
    cancel_holiday(berliner, holiday.pk)
    assert holidays_of(berliner) == [(TODAY + DAY, TODAY + 2 * DAY)]
    assert list(standing_holidays(berliner)) == []


def test_no_one_takes_back_anothers(berliner: Any, bruno: Any) -> None:
    holiday = announce_holiday(berliner, TODAY + DAY, TODAY + 2 * DAY)
    cancel_holiday(bruno, holiday.pk)
    assert len(holidays_of(berliner)) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.once
def test_two_changes_at_once_wait_for_each_other(anna: Any, told: list[Any]) -> None:
    """Each listener gets exactly the hours before the change."""
    second_waits = threading.Event()

    def move() -> None:
        second_waits.set()
        choose_zone(anna, "Asia/Tokyo")
        connection.close()

    other = threading.Thread(target=move)
    with changing(anna) as person:
        other.start()
        assert second_waits.wait(HANGS)
        person.days_off = [6]
        person.save(update_fields=["days_off"])
        other.join(0.5)
        assert other.is_alive()
    other.join(HANGS)
    assert not other.is_alive()
    assert [before.days_off for _, before, _ in told] == [frozenset(), frozenset({6})]
    anna.refresh_from_db()
    assert (anna.days_off, anna.time_zone) == ([6], "Asia/Tokyo")


@pytest.mark.django_db(transaction=True)
@pytest.mark.once
def test_overlapping_holidays_announced_at_once_do_not_both_stand(anna: Any) -> None:
    refusals: list[str] = []
    tomorrow = today_of(anna) + DAY

    def announce(length: int) -> None:
        try:
            announce_holiday(anna, tomorrow, tomorrow + length * DAY)
        except ValidationError as refused:
            refusals.extend(refused.messages)
        finally:
            connection.close()

    threads = [threading.Thread(target=announce, args=[length]) for length in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    assert (Holiday.objects.count(), len(refusals)) == (1, 3)
