"""The link in an email about a private page shows only what the email is about."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import Season
from games.leagues.services import awards
from games.leagues.services.result_collection import collect
from tests.clocks.passing import Wall
from tests.leagues import world

pytestmark = pytest.mark.django_db

REASON = "One of them was told what another held."
LINK = re.compile(r"http://testserver(/leagues/by-link/\S+)")


@pytest.fixture
def season(wall: Wall, anna: User, bruno: User, carla: User) -> Season:
    """Of a private league: its first round is over, and Anna has awarded its points."""
    league = world.a_league(anna, "Night club", is_private=True)
    found = world.running(world.a_season(league, size=2, rounds=2, division_size=2), [bruno, carla])
    round_ = found.divisions.get().rounds.get(number=1)
    (table,) = world.seat_by_hand(round_, [bruno, carla])
    world.finish(table)
    collect(table, wall.now)
    awards.award(table, anna, [3, 1], REASON)
    return found


def delivered(wall: Wall, subject: str, to: User) -> str:
    """The path of the link in the newest such email."""
    wall.now += world.DAY
    deliver_due()
    (email,) = [one for one in mail.outbox if subject in one.subject and one.to == [to.email]]
    found = LINK.search(email.body)
    assert found is not None
    return found[1]


def test_it_tells_what_the_email_said_without_signing_in(season: Season, wall: Wall, bruno: User) -> None:
    page = Client().get(delivered(wall, "An organiser made a decision", bruno)).content.decode()
    assert REASON in page
    assert "Open the league’s log" in page


def test_its_button_leads_to_the_page_for_the_reader_alone(
    season: Season, wall: Wall, bruno: User, stranger: User, signed_in: Any
) -> None:
    page = Client().get(delivered(wall, "Round 1, table 1 is over", bruno)).content.decode()
    button = re.search(r'class="button" href="([^"]+)"', page)
    assert button is not None
    path = button[1].replace("&amp;", "&")
    own = signed_in(bruno).get(path, follow=True)
    assert (own.status_code, own.request["PATH_INFO"]) == (
        200,
        f"/leagues/{season.league_id}/season/1/division/1/",
    )
    assert signed_in(stranger).get(path, follow=True).status_code == 404
    sign_in = Client().get(path).content.decode()
    assert "Sign in to see this league." in sign_in
    assert f'value="{bruno.email}"' in sign_in


def test_in_other_hands_it_opens_no_page_of_the_league(season: Season, wall: Wall, bruno: User) -> None:
    other = Client()
    page = other.get(delivered(wall, "Round 1, table 1 is over", bruno)).content.decode()
    assert "Night club" in page
    assert "<table" not in page  # no standing: it goes on changing
    for path in (f"/leagues/{season.league_id}/", f"/leagues/{season.league_id}/log/"):
        assert other.get(path)["Location"].startswith("/accounts/login/")


def test_people_who_are_no_longer_of_the_league_read_nothing(season: Season, wall: Wall, bruno: User) -> None:
    path = delivered(wall, "Round 1, table 1 is over", bruno)
    Season.objects.filter(pk=season.pk).update(league=world.a_league(bruno, "Another", is_private=True))
    assert Client().get(path).status_code == 404


def test_a_closed_account_reads_nothing(season: Season, wall: Wall, bruno: User) -> None:
    path = delivered(wall, "Round 1, table 1 is over", bruno)
    User.objects.filter(pk=bruno.pk).update(is_active=False)
    assert Client().get(path).status_code == 404


def test_what_needs_an_organiser_is_told_while_they_are_one(
    season: Season, wall: Wall, anna: User, bruno: User
) -> None:
    Season.objects.filter(pk=season.pk).update(
        short_since=wall.now, state=Season.State.CONFIRMING, min_players=6
    )
    OutgoingEmail.objects.create(
        kind="league_needs",
        to_user=anna,
        to_address=anna.email,
        key="k",
        context={"season": season.pk},
        not_before=wall.now,
    )
    path = delivered(wall, "A decision is needed", anna)
    told = Client().get(path).content.decode()
    assert "A decision is needed" in told
    season.league.organisers.create(user=bruno)
    season.league.organisers.filter(user=anna).delete()
    assert Client().get(path).status_code == 404
    season.entries.create(user=anna, state="left")
    page = Client().get(path).content.decode()
    assert "This is settled" in page


def test_after_the_email_is_forgotten_it_still_leads_to_the_league(
    season: Season, wall: Wall, bruno: User
) -> None:
    path = delivered(wall, "Round 1, table 1 is over", bruno)
    OutgoingEmail.objects.all().delete()
    assert "Open the league" in Client().get(path).content.decode()
