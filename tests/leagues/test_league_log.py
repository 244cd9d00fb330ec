"""What a league's log and emails say about an organiser's actions."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from accounts import times
from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.leagues.models import AuditEvent, Season
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.services.audit_log import record_event
from games.leagues.services.awards import award
from games.leagues.services.cancellation import cancel
from games.leagues.services.result_collection import collect
from games.leagues.services.season_changes import change_season
from games.leagues.services.season_start import draw
from tests.another_language import another_language
from tests.clocks.passing import Wall
from tests.leagues.league_pages import text_of
from tests.leagues.world import (
    DAY,
    a_league,
    a_running_season,
    a_season,
    finish,
    people,
    person,
    seat_by_hand,
)

pytestmark = pytest.mark.django_db


def test_an_award_tells_who_has_how_much(wall: Wall, anna: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    players = [person(name) for name in ("Zita", "Berta", "Mara", "Ada")]  # as they sit
    season = a_running_season(anna, players, rounds=1)
    (table,) = seat_by_hand(season.divisions.get().rounds.get(), players)
    finish(table)
    assert collect(table, wall.now)
    award(table, anna, [4, 3, None, 1], "So it was agreed.")
    said = "Anna awarded points: Zita (4), Berta (3), Ada (1)."
    assert lines_of(events_of(season.league)[:1], with_reasons=True)[0].text == said
    mail.outbox.clear()
    while deliver_due():  # as many as one tick has time for
        pass
    (email,) = [one for one in mail.outbox if one.to == ["ada@example.org"] and "organiser" in one.subject]
    assert said in " ".join(email.body.split())
    assert "Season 1, round 1, table 1" in " ".join(email.body.split())


@pytest.mark.parametrize(("most", "division"), [(1, ""), (2, "division A, ")])
def test_the_log_names_a_division_where_there_can_be_several(anna: User, most: int, division: str) -> None:
    season = a_running_season(anna, people(4), rounds=1)
    round_ = season.divisions.get().rounds.get()
    record_event(AuditEvent.Kind.ROUND_DRAWN, season, None, round=round_)
    Season.objects.update(most_divisions=most)
    (line,) = lines_of(events_of(season.league), with_reasons=True)
    assert line.where == f"Season 1, {division}round 1"


def test_what_is_done_in_new_york_is_read_by_the_clock_of_rome(
    wall: Wall, anna: User, signed_in: Any
) -> None:
    anna.time_zone, reader = "America/New_York", person("Rita")
    anna.save()
    reader.time_zone = "Europe/Rome"
    reader.save()
    players = people(4)
    season = a_running_season(anna, players, rounds=1)
    round_ = season.divisions.get().rounds.get()
    (table,) = seat_by_hand(round_, players)
    extend = reverse("table_extend", args=[season.league_id, table.pk])
    assert signed_in(anna).post(extend, {"days": "3", "reason": "It was hot."}).status_code == 302
    table.refresh_from_db()
    log = reverse("league_log", args=[season.league_id])
    for reads, zone in ((reader, "Europe/Rome"), (anna, "America/New_York")):
        until = times.moment(table.deadline, ZoneInfo(zone))
        assert f"extended the table until {until}." in text_of(signed_in(reads), log)


def test_what_a_season_did_in_another_language_is_read_in_ones_own(wall: Wall, anna: User) -> None:
    asked = {"state": Season.State.CONFIRMING, "asked_at": wall.now, "signup_ends_at": wall.now}
    season = a_season(a_league(anna), **asked)
    with another_language(), timezone.override("America/New_York"):
        wall.now += 4 * DAY
        assert not draw(season, wall.now)
        change_season(season, anna, reason="Wait.", signup_ends_at=wall.now + 20 * DAY)
        cancel(season, None, why=AuditEvent.TOO_FEW)
    with timezone.override("Europe/Rome"):
        lines = lines_of(events_of(season.league), with_reasons=True)
    assert lines[1].changes == [
        "Sign-up ends: Friday 13 March, 13:00 → Thursday 26 March, 13:00",
        "First tables begin on: Friday 13 March, 13:00 → Thursday 26 March, 13:00",
    ]
    assert [(line.text, line.reason) for line in lines] == [
        ("The season was cancelled.", "Too few players have signed up."),
        ("Anna changed the season’s plan.", "Wait."),
        ("Sign-up was extended until Friday 13 March, 13:00.", "Too few players have signed up."),
    ]


@pytest.mark.parametrize(
    ("most", "said"),
    [(1, "The season started. The seed is"), (2, "The divisions were drawn. The seed is")],
)
def test_a_season_of_one_division_draws_none(wall: Wall, anna: User, most: int, said: str) -> None:
    season = a_season(a_league(anna), most_divisions=most, state=Season.State.CONFIRMING, asked_at=wall.now)
    for user in people(8):
        season.entries.create(user=user, state="confirmed", confirmed_at=wall.now)
    wall.now = season.begins_at
    assert draw(season, wall.now)
    (event,) = season.events.filter(kind=AuditEvent.Kind.DRAWN)
    assert lines_of([event], with_reasons=False)[0].text.startswith(said)
