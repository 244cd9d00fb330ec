"""What pages and emails say once a season is over or cancelled: who won, and nothing that is no longer so."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from games.leagues.models import Season
from games.leagues.services.cancellation import cancel
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import leave_season, sign_up
from games.leagues.services.substitutes import volunteer
from games.services import Refused
from tests.clocks.passing import Wall, emails
from tests.leagues import world
from tests.leagues.league_pages import path_of, text_of
from tests.leagues.test_league_final import FIVE, before_the_final, end_with, named
from tests.leagues.test_league_random_seasons import run_ticks
from tests.leagues.world import DAY
from tests.people import client_of

pytestmark = pytest.mark.django_db


def sent(subject: str) -> dict[str, str]:
    """The emails with this in their subject, by recipient."""
    deliver_due()
    return {email.to[0]: " ".join(email.body.split()) for email in mail.outbox if subject in email.subject}


def test_the_seasons_last_email_says_who_won_by_the_final_and_is_the_only_one(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    mail.outbox.clear()
    end_with(season, wall, 2, 3, 1, 4)
    run_ticks(wall)
    deliver_due()
    told = sent("Season 1 is over")
    assert len(told) == len(FIVE)
    assert "You won season 1." in told["carla@example.org"]
    assert "Carla won season 1." in told["elena@example.org"]
    assert emails("league_result")
    assert sent("The final is over") == {}


def test_a_cancelled_season_is_named_with_the_day_of_its_end(wall: Wall) -> None:
    season = cancelled(wall)
    page = text_of(Client(), path_of("season", season).partition("season")[0])
    assert "Season 1 Cancelled Tuesday 3 March" in page
    assert "–" not in page.partition("Season 1 Cancelled")[2][:60]


def cancelled(wall: Wall) -> Season:
    olga, anna = named("Olga", "Anna")
    season = world.a_season(world.a_league(olga), state=Season.State.SIGN_UP)
    sign_up(season, anna)
    season.entries.create(user=world.person("Bruno"), state="expected")
    wall.now += DAY
    cancel(season, olga, "Holidays")
    season.refresh_from_db()
    return season


def test_a_cancelled_season_reserves_nothing_and_cannot_be_left(wall: Wall) -> None:
    season = cancelled(wall)
    anna, olga = named("Anna", "Olga")
    assert "Places are reserved" not in text_of(client_of(anna), path_of("season", season))
    with pytest.raises(Refused, match="This season was cancelled"):
        leave_season(season, anna)
    desk = text_of(client_of(olga), path_of("season_desk", season))
    assert "corrected" not in desk


def test_a_finished_season_says_nothing_of_how_substitutes_are_asked(wall: Wall) -> None:
    anna, bruno, carla = named("Anna", "Bruno", "Carla")
    season = world.a_running_season(anna, [anna, bruno], size=2, rounds=1)
    volunteer(season, carla)
    asked = "We ask them one at a time"
    assert asked in text_of(Client(), path_of("season", season))
    world.begin(season)
    world.finish_running(season)
    wall.now += timedelta(minutes=1)
    run_seasons(wall.now)
    page = text_of(Client(), path_of("season", season))
    assert "Carla" in page
    assert asked not in page
