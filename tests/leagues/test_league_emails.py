"""The emails of leagues: each kind is sent by what causes it, and none twice."""

from __future__ import annotations

from collections import Counter
from datetime import time, timedelta
from typing import Any

import pytest
from django.test import override_settings

from accounts import clock
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.services.registration import confirm, sign_up
from games.leagues.services.season_start import close_sign_up, draw
from games.leagues.services.sign_up_opening import open_sign_up
from tests.clocks.passing import Wall
from tests.emails.every_kind import Post
from tests.emails.league_kinds import about_leagues
from tests.leagues.world import a_league, a_season, people

pytestmark = pytest.mark.django_db

KINDS = {kind for kind in EMAIL_KINDS if kind.startswith("league_")}


@pytest.fixture
def sent() -> dict[str, list[Any]]:
    wall = Wall()
    post = Post(wall)
    memory = override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
    with clock.use_clock(wall), memory:
        about_leagues(post)
    return {kind: emails for kind, emails in post.sent.items() if kind in KINDS}


@pytest.mark.long
def test_two_seasons_send_every_kind_and_each_email_once(sent: dict[str, list[Any]]) -> None:
    assert set(sent) == KINDS
    told = Counter(
        (kind, email.to[0], email.subject, email.body) for kind, emails in sent.items() for email in emails
    )
    assert {key[:3]: times for key, times in told.items() if times > 1} == {}
    assert not OutgoingEmail.objects.filter(kind__in=KINDS, state=OutgoingEmail.State.QUEUED).exists()


def test_news_wait_for_the_readers_hour_and_emails_that_ask_do_not(anna: User) -> None:
    players = people(3)
    User.objects.filter(pk=players[0].pk).update(frequency=User.Frequency.DIGEST, digest_at=time(18))
    wall = Wall()  # noon, in everyone's zone
    with clock.use_clock(wall):
        season = a_season(a_league(anna), size=3, division_size=3, min_players=3)
        open_sign_up(season, None, wall.now)
        for player in players:
            sign_up(season, player)
        wall.now += timedelta(days=8)
        close_sign_up(season, wall.now)
        asked = OutgoingEmail.objects.filter(kind="league_confirm")
        assert {email.not_before for email in asked} == {wall.now}
        for entry in season.entries.all():
            confirm(entry)
        draw(season, wall.now)
        told = OutgoingEmail.objects.filter(kind="league_begins")
    waits = {email.to_user_id: email.not_before - wall.now for email in told}
    assert waits == {
        players[0].pk: timedelta(hours=6),
        players[1].pk: timedelta(),
        players[2].pk: timedelta(),
    }
