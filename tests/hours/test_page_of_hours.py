"""The page of hours: its sentences, and that a refused form keeps what was typed."""

from __future__ import annotations

import html
import re
from datetime import date, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from accounts.availability import announce_holiday, change
from accounts.forms import profile
from accounts.hours_in_words import week_facts
from accounts.models import Holiday, User
from accounts.working_hours import Hours

pytestmark = pytest.mark.django_db

PAGE, HOLIDAYS = "/me/hours/", "/me/hours/holidays/"
OFFICE = {"quiet_from": "22:00", "quiet_until": "08:00", "days_off": ["5", "6"]}


def text_of(answer: Any) -> str:
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


def words_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text_of(answer)).split())


@pytest.mark.parametrize(
    ("quiet", "off", "facts"),
    [
        (None, [], {"Days that count": "Every day", "Counted per week": "168 hours"}),
        (None, [5, 6], {"Days off": "Saturday, Sunday", "Counted per week": "120 hours"}),
        ((time(22), time(8)), [5, 6], {"Quiet hours": "22:00–08:00", "Counted per week": "70 hours"}),
        (
            (time(12), time(12, 45)),
            [],
            {"Quiet hours": "12:00–12:45", "Counted per week": "162\xa0h\xa045\xa0min"},
        ),
    ],
)
def test_hours_are_labels_and_values(quiet: Any, off: list[int], facts: dict[str, str]) -> None:
    told = dict(week_facts(Hours(ZoneInfo("Europe/Berlin"), quiet, frozenset(off))))
    assert facts.items() <= told.items()
    assert told["Time zone"] == "Berlin"


def test_anna_keeps_office_hours(berliner: Any, signed_in: Any) -> None:
    client = signed_in(berliner)
    assert "Days that count Every day" in words_of(client.get(PAGE))
    answer = client.post(PAGE, OFFICE, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    words, page = words_of(answer), text_of(answer)
    assert "Saved." in words
    assert "Quiet hours 22:00–08:00 Counted per week 70 hours" in words
    assert "Counted per week 70 hours" in words
    assert "Time zone Berlin" in words
    assert 'name="quiet_from" value="22:00"' in page
    assert len(re.findall(r'name="days_off" value="[56]"[^>]* checked', page)) == 2
    person = User.objects.get(pk=berliner.pk)
    assert (person.quiet_from, person.quiet_until, person.days_off) == (time(22), time(8), [5, 6])


def test_empty_fields_mean_no_quiet_hours_and_no_days_off(berliner: Any, signed_in: Any) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[5])
    signed_in(berliner).post(PAGE, {"quiet_from": "", "quiet_until": ""})
    person = User.objects.get(pk=berliner.pk)
    assert (person.quiet_from, person.quiet_until, person.days_off) == (None, None, [])


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"quiet_until": ""}, "Enter both times, or leave both empty."),
        ({"quiet_from": "22.75"}, "This isn’t a time."),
        ({"days_off": ["7"]}, "That isn’t one of the choices."),
        ({"days_off": list("0123456")}, "at least 24 hours a week"),
    ],
)
def test_what_is_refused_stays_in_the_form_next_to_the_reason(
    berliner: Any, signed_in: Any, wish: dict[str, Any], sentence: str
) -> None:
    typed = {**OFFICE, "days_off": ["6"], **wish}
    answer = signed_in(berliner).post(PAGE, typed)
    page = text_of(answer)
    assert answer.status_code == 422
    assert sentence in page
    for name in ("quiet_from", "quiet_until"):
        assert f'name="{name}" value="{typed[name]}"' in page or not typed[name]
    assert all(
        re.search(rf'name="days_off" value="{day}"[^>]* checked', page)
        for day in typed["days_off"]
        if day < "7"
    )
    assert User.objects.get(pk=berliner.pk).quiet_from is None


def test_a_holiday_is_announced_listed_and_taken_back(berliner: Any, signed_in: Any) -> None:
    client = signed_in(berliner)
    answer = client.post(HOLIDAYS, {"first": "2026-12-24", "last": "2027-01-06"}, follow=True)
    assert "Thursday 24 December – Wednesday 6 January 2027" in words_of(answer)
    answer = client.post(f"{HOLIDAYS}{Holiday.objects.get().pk}/", follow=True)
    assert "From tomorrow at the earliest, for up to 60 days, first and last day included." in words_of(
        answer
    )
    assert not Holiday.objects.exists()


def test_a_holiday_without_a_last_day_is_one_day(berliner: Any, signed_in: Any) -> None:
    signed_in(berliner).post(HOLIDAYS, {"first": "2026-12-24", "last": ""})
    day = date(2026, 12, 24)
    assert list(Holiday.objects.values_list("first", "last")) == [(day, day)]


def test_one_that_runs_can_be_ended_and_one_on_its_last_day_ends_by_itself(
    berliner: Any, signed_in: Any, today: Any
) -> None:
    announce_holiday(berliner, date(2026, 11, 19), date(2026, 11, 21))
    client = signed_in(berliner)
    assert "Cancel this holiday" in words_of(client.get(PAGE))
    today.shift(timedelta(days=1))
    assert "End this holiday today" in words_of(client.get(PAGE))
    page = words_of(client.post(f"{HOLIDAYS}{Holiday.objects.get().pk}/", follow=True))
    assert "Ends today" in page
    assert "End this holiday today" not in page


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        ("2026-11-18", "2026-11-20", "can start tomorrow at the earliest"),
        ("2026-12-24", "2026-12-23", "The last day is before the first day."),
        ("2026-12-24", "2027-12-23", "A holiday can have at most 60 days."),
        ("", "2027-12-23", "This is missing."),
        ("2026-02-30", "2026-12-23", "This isn’t a date."),
    ],
)
def test_a_refused_holiday_stays_in_its_form_next_to_the_reason(
    berliner: Any, signed_in: Any, first: str, last: str, sentence: str
) -> None:
    answer = signed_in(berliner).post(HOLIDAYS, {"first": first, "last": last})
    page = text_of(answer)
    assert answer.status_code == 422
    assert sentence in page
    assert f'name="first" value="{first}"' in page or not first
    assert f'name="last" value="{last}"' in page
    assert not Holiday.objects.exists()


def test_another_zone_in_the_profile_goes_through_the_same_door(
    berliner: Any, signed_in: Any, told: list[Any]
) -> None:
    form = {"name": "Anna", "language": "en", "time_zone": "Asia/Tokyo"}
    signed_in(berliner).post("/me/", form)
    assert [before.zone.key for _, before, _ in told] == ["Europe/Berlin"]
    assert User.objects.get(pk=berliner.pk).time_zone == "Asia/Tokyo"


def test_the_profile_changes_nothing_that_it_does_not_ask_for(
    berliner: Any, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of hours that is saved between the reading and the writing of the profile stays."""

    def meanwhile(name: str) -> str:
        change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[6])
        return name

    monkeypatch.setattr(profile, "clean_name", meanwhile)
    signed_in(berliner).post("/me/", {"name": "Nina", "language": "en", "time_zone": "Europe/Berlin"})
    person = User.objects.get(pk=berliner.pk)
    assert (person.name, person.quiet_from, person.days_off) == ("Nina", time(22), [6])


def test_the_profile_leads_here_and_strangers_are_asked_to_sign_in(berliner: Any, signed_in: Any) -> None:
    assert f'href="{PAGE}"' in text_of(signed_in(berliner).get("/me/"))
    for path in (PAGE, HOLIDAYS, f"{HOLIDAYS}1/"):
        assert Client().post(path)["Location"].startswith("/accounts/login/")


def test_no_one_takes_back_anothers_holiday(berliner: Any, bruno: Any, signed_in: Any) -> None:
    holiday = announce_holiday(berliner, date(2026, 12, 24), date(2026, 12, 26))
    signed_in(bruno).post(f"{HOLIDAYS}{holiday.pk}/")
    assert Holiday.objects.filter(pk=holiday.pk).exists()


def test_hours_and_holidays_are_in_the_file_about_oneself_and_the_secret_address_is_not(
    berliner: Any, signed_in: Any
) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[5, 6])
    announce_holiday(berliner, date(2026, 12, 24), date(2026, 12, 26))
    client = signed_in(berliner)
    client.post("/me/calendar/", {"action": "make"})
    answer = client.post("/me/export/")
    told = answer.json()["calendar"]
    assert (told["quiet_from"], told["quiet_until"], told["days_off"]) == ("22:00:00", "08:00:00", [5, 6])
    assert [(holiday["first"], holiday["last"]) for holiday in told["holidays"]] == [
        ("2026-12-24", "2026-12-26")
    ]
    assert told["has_feed"] is True
    assert str(User.objects.get(pk=berliner.pk).feed_key) not in answer.content.decode()
    assert {"frequency", "reminders", "digest_at", "every_move"} <= set(answer.json()["account"])


def test_someone_who_leaves_leaves_no_calendar_behind(berliner: Any, signed_in: Any) -> None:
    change(berliner, quiet_from=time(22), quiet_until=time(8), days_off=[5, 6])
    announce_holiday(berliner, date(2026, 12, 24), date(2026, 12, 26))
    User.objects.filter(pk=berliner.pk).update(
        feed_key="secret",
        frequency="digest",
        reminders=[48],
        digest_at=time(5),
        batch_minutes=5,
        every_move=True,
        at_once_when_alone=False,
    )
    signed_in(berliner).post("/me/delete/", {"email": berliner.email})
    emptied, new = User.objects.get(pk=berliner.pk), User()
    assert emptied.deleted_at is not None
    assert not Holiday.objects.exists()
    own = ("quiet_from", "quiet_until", "days_off", "feed_key", "frequency", "reminders", "digest_at")
    for name in (*own, "at_once_when_alone"):
        assert getattr(emptied, name) == getattr(new, name), name
    assert (emptied.batch_minutes, emptied.every_move) == (new.batch_minutes, False)
