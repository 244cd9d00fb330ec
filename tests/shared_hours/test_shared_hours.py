"""Shared hours: who proposes and accepts, what everyone reads of them, and what happens while one is on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from icalendar import Calendar

from accounts import clock as site_clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games.models import Game, Seat, SharedHour
from games.services import give_up
from games.services.hours import run_hours
from games.services.notifications import notify_asked
from tests.games.playing import begin_game
from tests.games.polls import asked_by, poll

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)  # 13:00 in Rome
MINUTE, WEEK = timedelta(minutes=1), timedelta(weeks=1)
TONIGHT = {"day_1": "2026-03-02", "start_1": "20:00", "end_1": "21:00"}


class Evening:
    """Anna in Rome, Bruno in New York and Carla in Rome at a table, each with a browser; and the time."""

    def __init__(self, people: list[Any], signed_in: Any) -> None:
        self.now = MONDAY
        self.people = {one.shown_name: one for one in people}
        for one in people:
            one.time_zone = "America/New_York" if one.shown_name == "Bruno" else "Europe/Rome"
            one.save()
        self.clients = {name: signed_in(one) for name, one in self.people.items()}
        self.game: Game
        self.opened: dict[str, str] = {}  # where the open page of each asks for news

    def page(self, name: str, path: str = "hours/") -> str:
        answer = self.clients[name].get(f"/games/{self.game.pk}/{path}")
        assert answer.status_code == 200
        words = " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())
        return words.replace(" .", ".")

    def propose(self, name: str, **fields: str) -> Any:
        return self.clients[name].post(f"/games/{self.game.pk}/hours/", TONIGHT | fields)

    def answer(self, name: str, action: str, hour: SharedHour | None = None) -> None:
        hour = hour or SharedHour.objects.get()
        self.clients[name].post(f"/games/{self.game.pk}/hours/{hour.pk}/", {"action": action})

    def asks(self, name: str, **headers: str) -> Any:
        """The open page of this player asks for news, as live.js does while it is visible."""
        if name not in self.opened:
            page = self.clients[name].get(f"/games/{self.game.pk}/").content.decode()
            self.opened[name] = asked_by(page)[0]
        return self.clients[name].head(self.opened[name], headers=headers or {"X-Visible": "1"})

    def emails(self, span: timedelta = timedelta(0)) -> list[Any]:
        self.now += span
        mail.outbox.clear()
        run_hours(self.now)
        deliver_due()
        return list(mail.outbox)


@pytest.fixture
def evening(anna: Any, bruno: Any, carla: Any, signed_in: Any, settings: Any) -> Iterator[Evening]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    evening = Evening([anna, bruno, carla], signed_in)
    with site_clock.use_clock(lambda: evening.now):
        evening.game = begin_game([anna, bruno, carla])
        OutgoingEmail.objects.all().delete()
        yield evening


def test_everyone_reads_a_proposed_hour_in_their_own_zone_and_who_accepts(evening: Evening) -> None:
    evening.propose("Anna")
    assert "Monday 2 March, 20:00 to 21:00" in evening.page("Carla")
    assert "Monday 2 March, 14:00 to 15:00" in evening.page("Bruno")
    proposed = {email.to[0]: email.body for email in evening.emails(2 * MINUTE)}
    assert set(proposed) == {"bruno@example.org", "carla@example.org"}
    assert "Monday 2 March, 14:00 to 15:00" in proposed["bruno@example.org"]
    assert "Agreed." not in evening.page("Anna")
    evening.answer("Bruno", "accept")
    evening.answer("Carla", "decline")
    page = evening.page("Carla")
    assert "Agreed." in page
    assert "Accepted by: Anna and Bruno." in page
    assert "Declined by: Carla." in page
    assert "You play together on Monday 2 March, 14:00 to 15:00." in evening.page("Bruno", "")


def test_those_who_agreed_are_reminded_and_it_is_in_their_calendars(evening: Evening) -> None:
    evening.propose("Anna")
    evening.answer("Bruno", "accept")
    hour = SharedHour.objects.get()
    assert evening.emails(hour.starts_at - 31 * MINUTE - evening.now)[0].to == ["carla@example.org"]
    reminders = {email.to[0]: email.body for email in evening.emails(MINUTE)}
    assert set(reminders) == {"anna@example.org", "bruno@example.org"}
    assert "14:00 (New York)" in reminders["bruno@example.org"]
    assert "With you: Anna." in " ".join(reminders["bruno@example.org"].split())
    assert evening.emails(MINUTE) == []
    file = evening.clients["Bruno"].get(f"/games/{evening.game.pk}/hours/{hour.pk}.ics")
    feeds = {}
    for name, person in evening.people.items():
        evening.clients[name].post("/me/calendar/", {"action": "make"})
        person.refresh_from_db()
        feeds[name] = Calendar.from_ical(Client().get(f"/calendar/{person.feed_key}.ics").content)
    for calendar in (Calendar.from_ical(file.content), feeds["Bruno"]):
        (event,) = [event for event in calendar.events if "DTEND" in event]
        assert event["SUMMARY"] == "Condottiere together: Table 42"
        assert event.decoded("DTSTART") == hour.starts_at
        assert event.decoded("DTEND") == hour.ends_at
    assert [event for event in feeds["Carla"].events if "DTEND" in event] == []


def test_the_calendar_of_someone_who_left_has_no_hours_of_that_table(evening: Evening) -> None:
    evening.propose("Anna")
    evening.answer("Bruno", "accept")
    evening.answer("Carla", "accept")
    evening.clients["Bruno"].post("/me/calendar/", {"action": "make"})
    bruno = evening.people["Bruno"]
    bruno.refresh_from_db()
    hours = []
    for _time in range(2):
        feed = Calendar.from_ical(Client().get(f"/calendar/{bruno.feed_key}.ics").content)
        hours.append(sum("DTEND" in event for event in feed.events))
        for seat in Seat.objects.filter(table=evening.game.table_id, user=bruno).select_related("table"):
            give_up(seat)
    assert hours == [1, 0]


@pytest.mark.parametrize("weekly", [{}, {"weekly": "on"}], ids=["once", "weekly"])
def test_players_who_agree_after_the_reminder_are_reminded_too(evening: Evening, weekly: Any) -> None:
    evening.propose("Anna", **weekly)
    hour = SharedHour.objects.get()
    evening.emails(hour.starts_at - 20 * MINUTE - evening.now)
    evening.answer("Bruno", "accept")
    assert {email.to[0] for email in evening.emails(MINUTE)} == {"anna@example.org", "bruno@example.org"}
    evening.answer("Carla", "accept")
    (reminder,) = evening.emails(MINUTE)
    assert reminder.to == ["carla@example.org"]
    assert "With you: Anna and Bruno." in " ".join(reminder.body.split())
    evening.answer("Bruno", "decline")
    evening.answer("Bruno", "accept")
    assert evening.emails(MINUTE) == []
    evening.answer("Carla", "decline")
    evening.emails(hour.starts_at + MINUTE - evening.now)
    evening.answer("Carla", "accept")
    assert evening.emails(MINUTE) == []
    next_week = evening.emails(hour.starts_at + WEEK - 29 * MINUTE - evening.now)
    assert len(next_week) == (3 if weekly else 0)


def test_an_hour_every_week_keeps_its_hour_when_clocks_change(evening: Evening) -> None:
    evening.propose("Anna", weekly="on")
    evening.answer("Carla", "accept")
    evening.now += 4 * WEEK  # the clocks of Rome change on 29 March
    run_hours(evening.now)
    assert "Monday 30 March, 20:00 to 21:00" in evening.page("Carla")
    seat = Seat.objects.get(table=evening.game.table_id, user=evening.people["Carla"])
    assert seat.hour_from == datetime(2026, 3, 30, 18, tzinfo=UTC)


def test_a_time_that_makes_no_sense_stays_in_the_form(evening: Evening) -> None:
    for wrong in (
        {"day_1": "2026-03-01"},
        {"day_1": "2026-09-01"},
        {"end_1": "19:00"},
        {"day_1": ""},
        {"start_1": "soon"},
        {"day_2": "2026-03-03"},
    ):
        assert evening.propose("Anna", **wrong).status_code == 422
    assert not SharedHour.objects.exists()


CLOCKS = datetime(2027, 3, 1, 12, tzinfo=UTC)
FORWARD = {"day_1": "2027-03-28", "start_1": "02:15", "end_1": "03:00"}  # clocks skip 02:00 to 03:00 in Rome
BACK = {"day_1": "2027-10-31", "start_1": "01:30", "end_1": "02:30"}  # clocks show 02:00 to 03:00 twice


@pytest.mark.parametrize(
    ("now", "times", "words"),
    [
        (CLOCKS, FORWARD, "02:15 doesn’t exist on Sunday 28 March in Rome"),
        (CLOCKS, FORWARD | {"start_1": "01:00", "end_1": "02:00"}, "02:00 doesn’t exist on Sunday 28 March"),
        (CLOCKS + 31 * WEEK, BACK, "02:30 comes twice on Sunday 31 October in Rome"),
        (
            CLOCKS + 31 * WEEK,
            BACK | {"day_1": "2027-10-30", "start_1": "22:00"},
            "02:30 comes twice on Sunday",
        ),
    ],
)
def test_a_time_that_clocks_skip_or_show_twice_is_refused(
    evening: Evening, now: datetime, times: Any, words: str
) -> None:
    evening.now = now
    for weekly in ({}, {"weekly": "on"}):
        answer = evening.propose("Anna", **times, **weekly)
        assert answer.status_code == 422
        page = " ".join(answer.content.decode().split())
        assert words in page
        assert "Choose another time." in page
        assert f'value="{times["start_1"]}"' in page
    assert not SharedHour.objects.exists()


def test_a_weekly_hour_over_a_change_of_clocks_stays_as_it_was_proposed(evening: Evening) -> None:
    evening.now = CLOCKS
    evening.propose("Anna", day_1="2027-03-27", start_1="23:30", end_1="03:30", weekly="on")
    evening.answer("Carla", "accept")
    assert "Saturday 27 March, 23:30 to 03:30" in evening.page("Carla")
    hour = SharedHour.objects.get()
    assert hour.ends_at - hour.starts_at == timedelta(hours=3)
    evening.now = hour.ends_at
    assert "Saturday 3 April, 23:30 to 03:30" in evening.page("Carla")


def test_those_who_agreed_are_reminded_once_of_a_time_that_lasts_an_hour_longer(evening: Evening) -> None:
    evening.now = datetime(2027, 9, 20, 12, tzinfo=UTC)
    evening.propose("Anna", day_1="2027-09-26", start_1="01:30", end_1="03:30", weekly="on")
    evening.answer("Carla", "accept")
    told: list[str] = []
    while evening.now < datetime(2027, 11, 9, tzinfo=UTC):
        hour = SharedHour.objects.get()
        assert hour.remind_at is not None
        assert hour.remind_at >= evening.now
        emails = evening.emails(hour.remind_at - evening.now)
        told += [email.to[0] for email in emails if "together at" in email.subject]
    assert told.count("carla@example.org") == len(told) / 2 >= 7


def test_days_at_the_end_of_all_calendars_are_refused(evening: Evening) -> None:
    for day in ("9999-12-31", "0001-01-01", "9999-12-30"):
        for times in ({}, {"start_1": "23:00", "end_1": "22:00"}, {"start_1": "00:00", "end_1": "00:00"}):
            answer = evening.propose("Anna", day_1=day, **times)
            assert answer.status_code == 422
            assert "Choose times between now and 60 days from now." in answer.content.decode()


def test_several_times_make_one_email_and_the_last_who_declines_removes_one(evening: Evening) -> None:
    evening.propose("Anna", day_2="2026-03-03", start_2="22:00", end_2="01:00")
    late = SharedHour.objects.last()
    assert late is not None
    assert late.ends_at - late.starts_at == timedelta(hours=3)
    assert len(evening.emails(2 * MINUTE)) == 2
    evening.answer("Anna", "decline", late)
    assert SharedHour.objects.count() == 1


def test_only_in_an_agreed_hour_others_see_who_is_here(evening: Evening) -> None:
    evening.propose("Anna")
    evening.answer("Bruno", "accept")
    evening.asks("Bruno")
    assert "Here now" not in evening.page("Anna", "")
    evening.now = SharedHour.objects.get().starts_at
    for name in ("Bruno", "Carla"):  # Carla has not agreed
        evening.asks(name)
    page = evening.page("Anna", "")
    assert "You play together until Monday 2 March, 21:00. Here now: Bruno." in page
    assert (
        'hx-trigger="every 3s' in evening.clients["Anna"].get(f"/games/{evening.game.pk}/").content.decode()
    )
    evening.now += timedelta(seconds=30)
    assert "None of the others is here right now." in evening.page("Anna", "")
    evening.asks("Bruno", **{"X-Other": "1"})  # a hidden page
    assert "None of the others is here right now." in evening.page("Anna", "")
    evening.asks("Bruno")
    evening.now += timedelta(hours=2)
    run_hours(evening.now)
    evening.asks("Bruno")
    assert "Here now" not in evening.page("Anna", "")


def test_a_player_can_choose_to_be_seen_at_any_time_and_stop(evening: Evening) -> None:
    path = f"/games/{evening.game.pk}/presence/"
    evening.clients["Bruno"].post(path, {"shows": "on"})
    evening.asks("Bruno")
    assert "Here now: Bruno." in evening.page("Anna", "")
    evening.clients["Bruno"].post(path)
    assert "Here now" not in evening.page("Anna", "")


def test_an_open_page_learns_within_one_poll_who_came(evening: Evening) -> None:
    evening.propose("Anna")
    evening.answer("Bruno", "accept")
    evening.now = SharedHour.objects.get().starts_at
    page = evening.clients["Anna"].get(f"/games/{evening.game.pk}/").content.decode()
    assert poll(evening.clients["Anna"], page).status_code == 304
    evening.asks("Bruno")
    assert poll(evening.clients["Anna"], page).status_code == 200


def test_a_turn_email_waits_until_its_reader_has_been_away_for_two_minutes(evening: Evening) -> None:
    evening.propose("Anna")
    evening.answer("Bruno", "accept")
    evening.answer("Carla", "accept")
    evening.now = SharedHour.objects.get().starts_at
    evening.emails()
    seat = Seat.objects.select_related("user").get(table=evening.game.table_id, decision_step__isnull=False)
    notify_asked(evening.game, seat, seat.decision_step or 0)
    for _minute in range(5):
        evening.asks(seat.person.shown_name)
        assert evening.emails(MINUTE) == []
    assert evening.emails(timedelta(seconds=50)) == []
    assert [email.to for email in evening.emails(timedelta(seconds=11))] == [[seat.person.email]]
