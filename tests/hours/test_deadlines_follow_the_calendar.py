"""Deadlines of running games follow a change of calendar, from now on and never backwards."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db.models import F

from accounts.availability import announce_holiday, cancel_holiday, change, choose_zone
from accounts.models import Holiday, User
from games.models import Game, Seat, Table
from games.selectors.integrity import differences
from tests.games.playing import answer, begin_game, decision_of, legal_texts

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)


def at(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.fixture
def asked(berliner: Any, bruno: Any, carla: Any) -> Game:
    """Wednesday noon in Berlin: Anna is to move, with 24 open hours and 72 in reserve."""
    game = begin_game([berliner, bruno, carla], pace=Table.Pace.DAY)
    while decision_of(game).seat != 0:
        answer(game, legal_texts(game)[0])
    return game


def due_of(person: Any) -> datetime:
    moment = Seat.objects.get(user=person).due_at
    assert moment is not None
    return moment


def test_a_new_decision_is_due_when_time_and_reserve_are_used_up(berliner: Any, asked: Game) -> None:
    assert due_of(berliner) == at("2026-11-22 12:00")


def test_quiet_hours_chosen_meanwhile_count_from_now_on(berliner: Any, asked: Game, today: Any) -> None:
    today.shift(20 * HOUR)  # 8 on Thursday: 76 hours are left
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    # 14 hours on each of five days, to Monday; 6 more on Tuesday.
    assert due_of(berliner) == at("2026-11-24 14:00")


def test_taking_them_back_does_not_count_the_night_that_was_quiet(
    berliner: Any, asked: Game, today: Any
) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    today.shift(24 * HOUR)  # noon on Thursday: 14 hours were counted, 82 are left
    change(berliner, quiet_from=None, quiet_until=None, days_off=[])
    assert due_of(berliner) == at("2026-11-22 22:00")


def test_a_holiday_moves_the_deadline_and_taking_it_back_moves_it_again(berliner: Any, asked: Game) -> None:
    before = due_of(berliner)
    holiday = announce_holiday(berliner, date(2026, 11, 20), date(2026, 11, 21))
    assert due_of(berliner) == before + 48 * HOUR
    cancel_holiday(berliner, holiday.pk)
    assert due_of(berliner) == before


def test_a_table_grants_as_many_days_as_it_says(berliner: Any, asked: Game) -> None:
    Table.objects.filter(pk=asked.table_id).update(most_holidays=1)
    before = due_of(berliner)
    announce_holiday(berliner, date(2026, 11, 20), date(2026, 11, 21))
    assert due_of(berliner) == before + 24 * HOUR


def test_another_zone_counts_by_its_own_clock_from_now_on(berliner: Any, asked: Game, today: Any) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    today.shift(10 * HOUR)  # 22 in Berlin, 6 on Thursday in Tokyo; 86 hours are left
    choose_zone(berliner, "Asia/Tokyo")
    # 14 hours from Thursday to Tuesday make 84.
    assert due_of(berliner) == at("2026-11-25 10:00", ZoneInfo("Asia/Tokyo"))


def test_the_profile_is_another_door_to_the_same(berliner: Any, asked: Game, signed_in: Any) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    signed_in(berliner).post("/me/", {"name": "Anna", "language": "en", "time_zone": "America/New_York"})
    # It is 6 on Wednesday there: 14 hours on each of six days, 12 more on the next Tuesday.
    assert due_of(berliner) == at("2026-11-24 20:00", ZoneInfo("America/New_York"))


@pytest.mark.parametrize(
    ("terms", "moved"),
    [(Table.Hours.OWN, 24 + 40), (Table.Hours.HOLIDAYS, 24), (Table.Hours.ALL, 0)],
)
def test_what_moves_a_deadline_is_a_matter_of_the_tables_terms(
    berliner: Any, asked: Game, terms: str, moved: int
) -> None:
    Table.objects.filter(pk=asked.table_id).update(hours=terms)
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    announce_holiday(berliner, date(2026, 11, 20), date(2026, 11, 20))
    assert due_of(berliner) >= at("2026-11-22 12:00") + moved * HOUR
    assert (due_of(berliner) == at("2026-11-22 12:00")) == (moved == 0)


def test_the_file_about_oneself_tells_ones_own_clock(berliner: Any, asked: Game, signed_in: Any) -> None:
    (table,) = signed_in(berliner).post("/me/export/").json()["tables"]
    assert datetime.fromisoformat(table["deadline"]) == due_of(berliner)
    assert (table["time_in_reserve"], table["answers_missed_in_a_row"]) == ("P3DT00H00M00S", 0)


def test_no_one_elses_deadline_moves(berliner: Any, bruno: Any, asked: Game) -> None:
    before = due_of(berliner)
    change(bruno, quiet_from=time(22), quiet_until=time(8), days_off=[5, 6])
    announce_holiday(bruno, date(2026, 11, 20), date(2026, 11, 25))
    assert due_of(berliner) == before


def test_what_was_said_before_the_decision_counts_for_it(berliner: Any, bruno: Any, carla: Any) -> None:
    change(berliner, quiet_from=None, quiet_until=None, days_off=[5, 6])
    game = begin_game([User.objects.get(pk=berliner.pk), bruno, carla], pace=Table.Pace.DAY)
    while decision_of(game).seat != 0:
        answer(game, legal_texts(game)[0])
    assert due_of(berliner) == at("2026-11-24 12:00")
    assert not Holiday.objects.exists()


def test_other_hours_of_the_week_put_a_decision_off_once_and_not_again(
    berliner: Any, asked: Game, today: Any
) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    later = due_of(berliner)
    assert later > at("2026-11-22 12:00")
    for day in range(4):
        today.shift(12 * HOUR)
        days_off = sorted({(day + ahead) % 7 for ahead in (3, 4, 5, 6)})
        change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=days_off)
        choose_zone(berliner, ["Asia/Tokyo", "America/New_York"][day % 2])
        assert due_of(berliner) <= later


def test_a_deadline_that_was_put_off_is_checked_too(berliner: Any, asked: Game, today: Any) -> None:
    for days_off in ([], [3, 4]):
        change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=days_off)
        today.shift(12 * HOUR)
    assert differences(asked.pk) == []
    assert Seat.objects.filter(was_put_off=True).update(due_at=F("counted_from")) == 1
    (wrong,) = differences(asked.pk)
    assert wrong.what == "a deadline is not what its countdown and calendar lead to"


def test_the_next_decision_may_be_put_off_again(berliner: Any, asked: Game) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[])
    answer(asked, legal_texts(asked)[0])
    while decision_of(asked).seat != 0:
        answer(asked, legal_texts(asked)[0])
    before = due_of(berliner)
    change(berliner, quiet_from=time(20), quiet_until=time(10), days_off=[])
    assert due_of(berliner) > before
