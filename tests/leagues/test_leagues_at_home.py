"""The home page and the list of games name what waits for a person in leagues."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.leagues.links import ask_url
from games.leagues.models import Concern, Organiser, Registration, Season
from games.leagues.services.offer_answers import accept
from games.leagues.services.registration import confirm, leave_season, sign_up
from tests.clocks.passing import Wall
from tests.leagues import absent, world
from tests.leagues.league_pages import path_of, text_of
from tests.leagues.world import DAY
from tests.people import client_of

pytestmark = pytest.mark.django_db
NOTHING = "You have nothing to do right now."
SIGN_UP = "Autumn League Sign up for season 1 Answer by Monday 9 March, 12:00"


def home(user: User, path: str = "/") -> str:
    return text_of(client_of(user), path)


def opened(organiser: User, **plan: object) -> Season:
    return world.a_season(world.a_league(organiser), state=Season.State.SIGN_UP, **plan)


def test_a_reserved_place_waits_until_it_is_taken_or_left(wall: Wall, anna: User, bruno: User) -> None:
    season = opened(world.person("Olga"))
    for user in (anna, bruno):
        season.entries.create(user=user, state=Registration.State.EXPECTED)
        assert SIGN_UP in home(user)
        assert SIGN_UP in home(user, "/games/")
    sign_up(season, anna)
    leave_season(season, bruno)
    assert NOTHING in home(anna)
    assert NOTHING in home(bruno)


def test_a_place_waits_to_be_confirmed(wall: Wall, anna: User) -> None:
    season = opened(world.person("Olga"))
    entry = sign_up(season, anna)
    Season.objects.update(state=Season.State.CONFIRMING, asked_at=wall.now)
    assert "Confirm your place in season 1 Answer by Thursday 5 March, 12:00" in home(anna)
    confirm(entry)
    assert NOTHING in home(anna)


def test_an_invitation_waits(wall: Wall, anna: User, bruno: User) -> None:
    olga = world.person("Olga")
    world.invite(opened(olga, joining=Season.Joining.INVITED), olga, anna.email)
    assert SIGN_UP in home(anna)
    assert NOTHING in home(bruno)


def test_the_next_season_of_a_league_in_which_one_plays_waits(wall: Wall, anna: User, bruno: User) -> None:
    season = world.a_running_season(anna, [anna, bruno], size=2)
    assert NOTHING in home(bruno)
    following = world.a_season(season.league, state=Season.State.SIGN_UP)
    assert "Sign up for season 2" in home(bruno)
    Season.objects.filter(pk=following.pk).update(joining=Season.Joining.INVITED)
    assert NOTHING in home(bruno)


def test_a_free_seat_waits_for_the_substitute_who_is_asked(
    wall: Wall, anna: User, bruno: User, carla: User, dario: User
) -> None:
    season = world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=1)
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])
    absent.help_in(season, dario)
    absent.give_up(table, bruno)
    absent.tick()
    asked = "A seat needs a substitute, and you are next in line."
    assert asked in home(dario)
    assert ask_url(absent.the_ask(dario)) in client_of(dario).get("/").content.decode()
    page = text_of(client_of(dario), path_of("season", season))
    assert page.index(asked) < page.index("Rules")
    wall.now += DAY / 24
    accept(absent.the_ask(dario))
    assert "next in line" not in home(dario)


def test_what_only_organisers_can_decide_waits_for_them(
    wall: Wall, anna: User, bruno: User, carla: User
) -> None:
    season = opened(anna, joining=Season.Joining.REQUEST)
    season.league.organisers.create(user=carla, role=Organiser.Role.ASSISTANT)
    assert NOTHING in home(anna)
    sign_up(season, bruno)
    asked = "Autumn League 1 person asks to join season 1. Accept or decline the request."
    assert asked in home(anna)
    assert asked in home(anna, "/games/")
    assert NOTHING in home(carla)
    assert NOTHING in home(bruno)


def test_a_question_whether_an_organiser_is_still_here_waits(wall: Wall, anna: User, bruno: User) -> None:
    own = world.a_league(anna).organisers.get()
    own.asked_at = wall.now
    own.save()
    assert "Another organiser asks whether you still organise this league." in home(anna)


def test_what_waits_in_more_leagues_is_read_in_as_many_queries(wall: Wall, anna: User, bruno: User) -> None:
    def organised() -> int:
        season = opened(anna, joining=Season.Joining.REQUEST)
        sign_up(season, bruno)
        Concern.objects.create(season=season, by=bruno, about=Concern.About.OTHER, text="Hello")
        with CaptureQueriesContext(connection) as captured:
            home(anna)
        return len(captured)

    assert organised() == organised() == organised()


def test_strangers_read_nothing_of_it(wall: Wall, anna: User) -> None:
    opened(world.person("Olga"))
    assert "Answer by" not in text_of(Client(), "/")
    assert NOTHING in home(anna)
