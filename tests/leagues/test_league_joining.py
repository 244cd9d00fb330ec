"""Joining a season: anyone, by request or by invitation only; after how many games; with an answer."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import League, Registration, Season
from games.leagues.privacy import export
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.services.founding import change_league
from games.leagues.services.invitations import accept_invitation
from games.leagues.services.join_requests import accept_request, decline_request
from games.leagues.services.league_pause import pause_league, resume_league
from games.leagues.services.organiser_messages import write_to_players
from games.leagues.services.registration import leave_season, sign_up
from games.leagues.services.season_start import close_sign_up
from games.services import Refused
from tests.clocks.passing import Wall
from tests.games.playing import begin_game, play_to_the_end
from tests.leagues import world
from tests.leagues.league_pages import path_of, text_of

pytestmark = pytest.mark.django_db
Has = Registration.State


@pytest.fixture
def olga(wall: Wall) -> User:
    return world.person("Olga")


def a_season(olga: User, **plan: object) -> Season:
    open_ = {"state": Season.State.SIGN_UP, "division_size": 4, **plan}
    return world.a_season(world.a_league(olga), **open_)


def by_page(season: Season, user: User, **sent: str) -> str:
    client = Client()
    client.force_login(user)
    answer = client.post(path_of("season_sign_up", season), sent, follow=True)
    return answer.content.decode()


def test_someone_asks_and_an_organiser_accepts(olga: User) -> None:
    season, anna, desk = a_season(olga, joining="request"), world.person("Anna"), Client()
    client = Client()
    client.force_login(anna)
    page = text_of(client, path_of("season", season))
    assert "You ask to join, and an organiser decides. We’ll email you the answer." in page
    assert "You can ask to join." in page
    assert "Ask to join" in page
    assert "You asked to join." in by_page(season, anna)
    entry = season.entries.get()
    assert entry.state == Has.REQUESTED
    assert "Players signed up: 1" not in text_of(Client(), path_of("season", season))
    assert "You asked to join. An organiser decides." in text_of(client, path_of("season", season))
    (task,) = organiser_tasks_of(season.league, season.opens_at)
    assert task.sentence == "1 person asks to join season 1. Accept or decline the request."
    desk.force_login(olga)
    assert "Anna Asked to join" in text_of(desk, path_of("season_players", season))
    answer = desk.post(reverse("entry_accept", args=[season.league_id, entry.pk]), {"sent": 1}, follow=True)
    assert "You accepted Anna." in answer.content.decode()
    entry.refresh_from_db()
    assert entry.state == Has.SIGNED_UP
    assert OutgoingEmail.objects.filter(kind="league_request", to_address=anna.email).count() == 1
    accept_request(entry, olga)  # twice does no harm
    assert OutgoingEmail.objects.filter(kind="league_request").count() == 1
    assert organiser_tasks_of(season.league, season.opens_at) == ()


def test_someone_who_is_declined_reads_why_and_cannot_ask_again_unless_invited(olga: User) -> None:
    season, anna = a_season(olga, joining="request"), world.person("Anna")
    entry = sign_up(season, anna)
    decline_request(entry, olga, "The season is for our club.")
    entry.refresh_from_db()
    assert (entry.state, entry.reason) == (Has.DECLINED, "The season is for our club.")
    with pytest.raises(Refused, match="declined"):
        sign_up(season, anna)
    client = Client()
    client.force_login(anna)
    page = text_of(client, path_of("season", season))
    assert "An organiser has declined your request to join." in page
    assert "Ask to join" not in page
    with pytest.raises(Refused, match="no longer open"):
        accept_request(entry, olga)
    world.invite(season, olga, anna.email)
    assert "By signing up you accept the rules below. Sign up" in text_of(client, path_of("season", season))
    assert accept_invitation(season.invited.get(), anna).state == Has.SIGNED_UP


def test_someone_can_take_a_request_back(olga: User) -> None:
    season, anna = a_season(olga, joining="request"), world.person("Anna")
    entry = sign_up(season, anna)
    leave_season(season, anna)
    with pytest.raises(Refused, match="no longer open"):
        accept_request(entry, olga)
    assert sign_up(season, anna).state == Has.REQUESTED


def test_a_request_fills_no_place_and_outlives_the_end_of_sign_up(olga: User, wall: Wall) -> None:
    season = a_season(olga, joining="request", min_players=4)
    for player in world.people(5):
        accept_request(sign_up(season, player), olga)
    anna = sign_up(season, world.person("Anna"))
    assert [one.state for one in season.entries.order_by("pk")] == [
        *[Has.SIGNED_UP] * 4,
        Has.WAITING,
        Has.REQUESTED,
    ]
    wall.now = season.signup_ends_at
    close_sign_up(season, wall.now)
    accept_request(anna, olga)
    anna.refresh_from_db()
    assert anna.state == Has.WAITING  # last of two


def test_only_organisers_decide_about_requests(olga: User) -> None:
    season = a_season(olga, joining="request")
    entry = sign_up(season, world.person("Anna"))
    for act in (lambda by: accept_request(entry, by), lambda by: decline_request(entry, by, "No.")):
        with pytest.raises(Refused, match="Only organisers"):
            act(entry.user)


def test_a_season_for_invited_people_takes_no_one_else(olga: User) -> None:
    season, anna, bert = a_season(olga, joining="invited"), world.person("Anna"), world.person("Bert")
    assert "Only invited people can sign up for this season." in by_page(season, anna)
    assert not season.entries.exists()
    client = Client()
    client.force_login(anna)
    page = text_of(client, path_of("season", season))
    assert "You can’t sign up. Only invited people can sign up for this season. Rules" in page
    assert "Only invited people can sign up." in page  # among the rules
    accept_invitation(world.invite(season, olga, bert.email), bert)
    world.invite(season, olga, anna.email)
    assert "You signed up." in by_page(season, anna)
    assert season.entries.filter(state=Has.SIGNED_UP).count() == 2


@pytest.mark.parametrize("joining", ["request", "invited"])
def test_someone_with_a_reserved_place_joins_directly(olga: User, joining: str) -> None:
    season, anna = a_season(olga, joining=joining, asks="Why?", min_finished=9), world.person("Anna")
    season.entries.create(user=anna, state=Has.EXPECTED, reserved=1)
    assert sign_up(season, anna).state == Has.SIGNED_UP


def test_newcomers_play_some_games_to_the_end_first(olga: User) -> None:
    season, anna, bert = a_season(olga, min_finished=1), world.person("Anna"), world.person("Bert")
    told = "You can sign up once you’ve played 1 game on this site to the end."
    assert told in by_page(season, anna)
    assert not season.entries.exists()
    play_to_the_end(begin_game([anna, bert]), 1)
    assert "You signed up." in by_page(season, anna)


def test_organisers_alone_read_the_answer_to_what_they_ask(olga: User) -> None:
    season, anna, desk = a_season(olga, asks="Which club are you from?"), world.person("Anna"), Client()
    client = Client()
    client.force_login(anna)
    page = text_of(client, path_of("season", season))
    assert "Which club are you from? Only the organisers read your answer." in page
    assert "Answer what the organisers ask, then sign up." in by_page(season, anna, answer="  ")
    assert "You signed up." in by_page(season, anna, answer=f"Rome{'!' * 300}")
    entry = season.entries.get()
    assert entry.answer == f"Rome{'!' * 196}"
    desk.force_login(olga)
    assert "Rome!" in text_of(desk, path_of("season_players", season))
    assert "Rome!" not in text_of(Client(), path_of("season", season))
    assert "Rome!" in json.dumps(export(anna), default=str)


def test_a_season_says_at_how_many_tables_one_would_play(olga: User) -> None:
    anna, bert = world.person("Anna"), world.person("Bert")
    other = world.a_running_season(olga, [anna, bert, olga, world.person("Carl")], tables_at_once=2, rounds=3)
    world.begin(other)  # their tables count once: as the most that their season allows
    begin_game([anna, bert])
    season = a_season(bert, tables_at_once=1)
    client = Client()
    client.force_login(anna)
    assert "With this season you play up to 4 tables at once." in text_of(client, path_of("season", season))
    dora = Client()
    dora.force_login(world.person("Dora"))
    assert "With this season" not in text_of(dora, path_of("season", season))


def test_the_plan_and_the_season_after_it_keep_who_may_join(olga: User) -> None:
    league: League = world.a_league(olga)
    desk = Client()
    desk.force_login(olga)
    page = desk.get(reverse("plan_season", args=[league.pk]))
    sections = [section.title for section in page.context["form"].sections]
    assert "Joining the season" in sections
    assert {"joining", "asks", "min_finished"} <= page.context["form"].fields.keys()


def test_a_request_that_is_open_gets_no_email_to_everyone_in_the_season(olga: User) -> None:
    season, anna, bruno = a_season(olga, joining="request"), world.person("Anna"), world.person("Bruno")
    accept_request(sign_up(season, anna), olga)
    sign_up(season, bruno)
    write_to_players(season, olga, None, "Welcome.")
    pause_league(season.league, olga, clock.now() + 2 * world.DAY, "A holiday.")
    resume_league(season.league, olga, "It’s over.")
    change_league(
        season.league, olga, name="Winter League", about="", is_private=False, reason="It’s winter."
    )
    news = OutgoingEmail.objects.filter(kind__in=("league_message", "league_event"))
    assert [email.to_user for email in news] == [anna] * 4
