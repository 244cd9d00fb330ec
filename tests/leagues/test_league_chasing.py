"""Reminders to people who have not answered an invitation, or not confirmed."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, Registration, Season
from games.leagues.services.chase_times import AGAIN_AFTER, MOST_CHASES, Chased
from games.leagues.services.chasing import chase
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import confirm, sign_up
from games.leagues.services.schedule import reschedule
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.world import DAY

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(wall: Wall) -> User:
    return world.person("Olga")


@pytest.fixture
def season(olga: User) -> Season:
    """Two are invited and one has a reserved place; sign-up ends in a week."""
    season = world.a_season(world.a_league(olga), state=Season.State.SIGN_UP)
    for name in ("zoe", "yvo"):
        world.invite(season, olga, f"{name}@example.org")
    season.entries.create(user=world.person("Kate"), state=Registration.State.EXPECTED)
    reschedule(season)
    return season


def reminded() -> list[str]:
    """The recipients of reminders so far, in the order of their addresses."""
    return sorted(OutgoingEmail.objects.filter(context__has_key="event").values_list("to_address", flat=True))


ALL = ["kate@example.org", "yvo@example.org", "zoe@example.org"]


def test_everyone_who_has_not_answered_is_reminded_with_the_organisers_words(
    season: Season, olga: User
) -> None:
    assert chase(season, olga, Chased.INVITED, "Two places are left.") == 3
    assert reminded() == ALL
    event = season.events.get(kind=AuditEvent.Kind.CHASED)
    assert (event.by, event.reason, event.facts["players"]) == (olga, "Two places are left.", 3)


def test_those_who_signed_up_or_block_the_organiser_are_left_out(season: Season, olga: User) -> None:
    kate = User.objects.get(email="kate@example.org")
    Block.objects.create(by=kate, whom=olga)
    sign_up(season, world.person("Zoe"))
    chase(season, olga, Chased.INVITED)
    assert reminded() == ["yvo@example.org"]


def test_once_in_three_days_and_three_times(season: Season, olga: User, wall: Wall) -> None:
    Season.objects.update(signup_ends_at=wall.now + 90 * DAY, begins_at=wall.now + 99 * DAY)
    for _time in range(MOST_CHASES):
        chase(season, olga, Chased.INVITED)
        with pytest.raises(Refused, match=r"less than three days ago|three times"):
            chase(season, olga, Chased.INVITED)
        wall.now += AGAIN_AFTER
    with pytest.raises(Refused, match="three times"):
        chase(season, olga, Chased.INVITED)
    assert len(reminded()) == MOST_CHASES * 3


def test_a_second_organiser_does_not_remind_again(season: Season, olga: User) -> None:
    other = world.person("Otto")
    season.league.organisers.create(user=other)
    chase(season, olga, Chased.INVITED)
    with pytest.raises(Refused, match="less than three days ago"):
        chase(season, other, Chased.INVITED)


def test_the_season_reminds_once_two_days_before_sign_up_ends(season: Season, wall: Wall) -> None:
    ends = season.signup_ends_at
    for hours in range(0, 7 * 24, 6):
        wall.now = ends - 7 * DAY + hours * DAY / 24
        run_seasons(wall.now)
        assert reminded() == (ALL if wall.now >= ends - 2 * DAY else [])
        assert recomputed(Season.objects.get(pk=season.pk)) == []
    assert season.events.filter(kind=AuditEvent.Kind.CHASED, by=None).count() == 1


def test_an_organiser_who_has_just_reminded_them_is_enough(season: Season, olga: User, wall: Wall) -> None:
    wall.now = season.signup_ends_at - 4 * DAY
    chase(season, olga, Chased.INVITED)
    wall.now = season.signup_ends_at - DAY
    run_seasons(wall.now)
    assert len(reminded()) == 3
    assert Season.objects.get(pk=season.pk).next_action_at == season.signup_ends_at


def test_a_short_sign_up_reminds_no_one(olga: User, wall: Wall) -> None:
    season = world.a_season(
        world.a_league(olga), state=Season.State.SIGN_UP, signup_ends_at=wall.now + 2 * DAY
    )
    world.invite(season, olga, "zoe@example.org")
    reschedule(season)
    wall.now += DAY
    run_seasons(wall.now)
    assert reminded() == []


def test_players_who_have_not_confirmed_are_listed_and_reminded(
    olga: User, wall: Wall, client: Client
) -> None:
    season = world.a_season(world.a_league(olga))
    for name in ("Anna", "Bruno"):
        sign_up_at(season, name)
    season.state, season.asked_at, season.signup_ends_at = Season.State.CONFIRMING, wall.now, wall.now
    season.save()
    confirm(season.entries.select_related("user").get(user__email="anna@example.org"))
    client.force_login(olga)
    words = league_pages.text_of(client, league_pages.path_of("season_players", season))
    assert "Not confirmed yet (1)" in words
    page = league_pages.path_of("season_remind_silent", season)
    assert "1 person: Bruno." in league_pages.text_of(client, page)
    assert client.post(page, {"words": "Do you play?"}).status_code == 302
    assert reminded() == ["bruno@example.org"]
    again = client.post(page, {"words": ""})
    assert again.status_code == 400
    assert "less than three days ago" in again.content.decode()


def sign_up_at(season: Season, name: str) -> None:
    season.entries.create(user=world.person(name), state=Registration.State.SIGNED_UP)


def test_organisers_copy_the_addresses_that_they_invited_and_no_others(
    season: Season, olga: User, client: Client
) -> None:
    client.force_login(olga)
    content = client.get(league_pages.path_of("season_players", season)).content.decode()
    assert "yvo@example.org, zoe@example.org</textarea>" in content
    assert "kate@example.org" not in content
    assert "Not answered yet (3)" in league_pages.text_of(
        client, league_pages.path_of("season_players", season)
    )


def test_the_email_has_the_words_and_says_who_wrote_them(season: Season, olga: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    chase(season, olga, Chased.INVITED, "Two places are left.")
    mail.outbox.clear()
    deliver_due()
    texts = [str(message.body) for message in mail.outbox]
    assert len([text for text in texts if "Olga writes:" in text and "Two places are left." in text]) == 3


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.long) if seed else seed for seed in range(4)]
)
def test_no_one_gets_more_than_one_reminder_in_three_days(
    season: Season, olga: User, wall: Wall, seed: int
) -> None:
    rng = Random(seed)
    ends = wall.now + rng.randint(3, 15) * DAY
    Season.objects.filter(pk=season.pk).update(signup_ends_at=ends, begins_at=ends + 5 * DAY)
    reschedule(Season.objects.select_related("league").get(pk=season.pk))
    times = []
    while wall.now < ends - DAY / 8:
        before = season.events.filter(kind=AuditEvent.Kind.CHASED).count()
        run_seasons(wall.now)
        if rng.random() < 0.2:
            with suppress(Refused):
                chase(season, olga, Chased.INVITED)
        if season.events.filter(kind=AuditEvent.Kind.CHASED).count() > before:
            times.append(wall.now)
        wall.now += DAY / 8
    assert all(later - earlier >= AGAIN_AFTER for earlier, later in pairwise(times))
    assert times
