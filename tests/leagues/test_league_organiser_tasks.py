"""The organisers' tasks: only what needs a decision, with one email each."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.urls import resolve, reverse

from accounts.mail.delivery import deliver_due
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.selectors.organiser_tasks import OrganiserTask, organiser_tasks_of, tasks_to_email
from games.leagues.services import (
    adjudication,
    awards,
    offer_answers,
    seat_decisions,
    table_deadlines,
    withdrawals,
)
from games.leagues.services.organiser_notices import notify_organisers
from games.leagues.services.registration import sign_up
from games.leagues.services.result_collection import collect
from games.leagues.services.season_changes import change_season
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.tasks import notify_organisers as notify_by_task
from games.leagues.tasks import run_seasons
from games.models import Heartbeat
from games.services import run_tick
from tests.games.playing import play_to_the_end
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db


def emailed(now: datetime) -> int:
    """Email the organisers as the tick does; return the number of new tasks."""
    return notify_organisers((task.key, task.season) for task in tasks_to_email(now))


@pytest.fixture
def season(wall: Any, dario: Any, anna: Any, bruno: Any, carla: Any) -> Season:
    plan = {"size": 3, "rounds": 2, "late": "organiser", "extension_days": 0}
    return world.a_running_season(dario, [anna, bruno, carla], **plan)


@pytest.fixture
def table(season: Season, anna: Any, bruno: Any, carla: Any) -> LeagueTable:
    round_ = season.divisions.get().rounds.get(number=1)
    return world.seat_by_hand(round_, [anna, bruno, carla])[0]


def needs(season: Season, wall: Any) -> list[OrganiserTask]:
    return list(organiser_tasks_of(season.league, wall.now))


def kinds(season: Season, wall: Any) -> list[str]:
    return [need.kind for need in needs(season, wall)]


def test_a_season_that_goes_on_by_itself_needs_no_one(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, elena: Any
) -> None:
    absent.help_in(season, elena)
    assert needs(season, wall) == []
    absent.stay_away(table, bruno)
    absent.tick()
    assert needs(season, wall) == [], "somebody is being asked"
    wall.now = table.deadline - world.DAY
    assert needs(season, wall) == []


def test_too_few_players(wall: Any, dario: Any) -> None:
    season = world.a_season(world.a_league(dario), state=Season.State.CONFIRMING, short_since=wall.now)
    (need,) = needs(season, wall)
    assert need.kind == "short"
    assert "Season 1 has too few players: it has 0 and needs at least 4." in need.sentence


def signing_up(wall: Any, organiser: Any, count: int, **plan: Any) -> Season:
    """A season whose sign-up ends in seven days, which needs eight players; this many have signed up."""
    season = world.a_season(world.a_league(organiser), division_size=8, min_players=8, **plan)
    open_sign_up(season, None, wall.now)
    for user in world.people(count):
        sign_up(season, user)
    return season


def emails_about_tasks() -> int:
    return OutgoingEmail.objects.filter(kind="league_needs").count()


def test_organisers_hear_of_too_few_players_while_they_can_do_something(
    wall: Any, dario: Any, signed_in: Any
) -> None:
    season = signing_up(wall, dario, 5)
    wall.now += 4 * world.DAY - timedelta(minutes=1)
    assert needs(season, wall) == []
    wall.now += timedelta(minutes=1)
    (need,) = needs(season, wall)
    assert "it has 5 and needs at least 8. Sign-up ends on " in need.sentence
    assert [notify_by_task(), notify_by_task()] == [1, 0]
    assert emails_about_tasks() == 1
    email = OutgoingEmail.objects.get(kind="league_needs")
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    told = "\n".join(content.context["sentences"])
    ways = ("Invite people", "Extend sign-up", "Begin with fewer players", "Cancel the season")
    assert "\n– ".join(("You can:", *ways)) in told
    page = signed_in(dario).get(reverse("organise", args=[season.league_id])).content.decode()
    assert "You have nothing to do" not in page
    for way in need.ways:
        assert f'<a href="{way.url}">{way.words}</a>' in page
        assert signed_in(dario).get(way.url).status_code == 200
    wall.now = season.signup_ends_at
    run_seasons()
    (need,) = needs(season, wall)
    assert "Sign-up is over." in need.sentence
    notify_by_task()
    assert emails_about_tasks() == 2


def test_an_organiser_extends_a_sign_up_that_ended_with_too_few(wall: Any, dario: Any) -> None:
    season = signing_up(wall, dario, 5)
    wall.now = season.signup_ends_at
    run_seasons()
    change_season(season, dario, reason="Friends come.", signup_ends_at=wall.now + 6 * world.DAY)
    assert needs(season, wall) == []
    wall.now += 3 * world.DAY
    assert kinds(season, wall) == ["short"]


@pytest.mark.parametrize("days", [4, 7])
def test_an_organiser_decides_early_to_begin_with_fewer(
    wall: Any, dario: Any, days: int, signed_in: Any
) -> None:
    season = signing_up(wall, dario, 5)
    wall.now += days * world.DAY
    run_seasons()
    fewer = reverse("season_fewer", args=[season.league_id, season.number])
    assert "The season then needs 5 players." in signed_in(dario).get(fewer).content.decode()
    signed_in(dario).post(fewer, {"reason": "Five are enough."})
    season.refresh_from_db()
    assert (season.min_players, needs(season, wall)) == (5, [])
    for _ in range(3):
        run_seasons()
        wall.now += 4 * world.DAY
    season.refresh_from_db()
    assert (season.state, season.entries.filter(state="playing").count()) == (Season.State.RUNNING, 5)


def test_fewer_than_a_table_can_not_begin(wall: Any, dario: Any) -> None:
    season = signing_up(wall, dario, 3)
    wall.now += 4 * world.DAY
    (need,) = needs(season, wall)
    assert "Begin with fewer players" not in [way.words for way in need.ways]


def test_a_season_with_enough_players_or_a_sign_up_just_opened_is_none(wall: Any, dario: Any) -> None:
    enough = signing_up(wall, dario, 8)
    short = signing_up(wall, world.person("Olga"), 0, signup_ends_at=wall.now + 2 * world.DAY)
    wall.now += world.DAY - timedelta(minutes=1)
    assert needs(short, wall) == []
    wall.now += timedelta(minutes=1)
    assert kinds(short, wall) == ["short"]
    wall.now += 5 * world.DAY
    assert needs(enough, wall) == []


def test_a_seat_that_no_one_takes_until_it_is_decided(
    wall: Any, season: Season, table: LeagueTable, dario: Any, bruno: Any, elena: Any
) -> None:
    absent.give_up(table, bruno)
    absent.tick()
    (need,) = needs(season, wall)
    assert need.kind == "seat"
    assert "Round 1, table 1" in need.sentence
    absent.help_in(season, elena)
    assert kinds(season, wall) == []
    offer_answers.decline(absent.the_ask(elena))
    assert kinds(season, wall) == ["seat"]
    seat_decisions.play_on(table.open_seats.get(), dario, "It is nearly over")
    assert kinds(season, wall) == []


def test_a_late_table_where_the_rule_leaves_it_to_an_organiser(
    wall: Any, season: Season, table: LeagueTable, dario: Any
) -> None:
    wall.now = table.deadline
    assert kinds(season, wall) == ["late"]
    table_deadlines.extend_by_hand(table, dario, 3, "One more chance")
    assert kinds(season, wall) == []
    wall.now += 3 * world.DAY
    assert kinds(season, wall) == ["late"]
    adjudication.adjudicate_by_hand(table, dario, True, "Enough")
    assert kinds(season, wall) == []


@pytest.mark.parametrize("plan", [{"late": "regions"}, {"late": "nobody"}, {"extension_days": 5}])
def test_a_late_table_that_the_season_itself_extends_or_ends_is_none(
    wall: Any, season: Season, table: LeagueTable, plan: Any
) -> None:
    Season.objects.update(**plan)
    wall.now = table.deadline
    assert kinds(season, wall) == []


def test_a_table_is_late_only_once_the_time_of_an_outage_is_given_back(
    wall: Any, season: Season, table: LeagueTable
) -> None:
    Heartbeat.objects.create(at=table.deadline - world.DAY)
    wall.now = table.deadline
    assert (kinds(season, wall), emailed(wall.now)) == ([], 0), "no one knows of the outage yet"
    run_tick(wall.now)
    assert kinds(season, wall) == [], "the outage is known, and its time is not given back"
    run_seasons()
    wall.now += world.DAY
    Heartbeat.objects.update(at=wall.now)
    assert kinds(season, wall) == ["late"]


def test_a_match_between_two_games_is_none(wall: Any, anna: Any, bruno: Any, carla: Any, dario: Any) -> None:
    points = {"edition": "2007", "variants": ["playing-for-points"]}
    terms = world.TERMS | {"options_json": points, "target": 30, "chain": 101}
    plan = {"size": 3, "rounds": 1, "late": "organiser", "extension_days": 0, "terms": terms}
    season = world.a_running_season(dario, [anna, bruno, carla], **plan)
    table = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])[0]
    wall.now = table.deadline
    assert kinds(season, wall) == ["late"]
    play_to_the_end(world.game_at(table))
    assert kinds(season, wall) == []


def test_a_table_that_everyone_left_until_its_points_are_awarded(
    wall: Any, season: Season, table: LeagueTable, dario: Any
) -> None:
    for entry in season.entries.all():
        withdrawals.withdraw(entry)
    absent.tick()
    collect(table, wall.now)
    assert kinds(season, wall) == ["abandoned"]
    awards.award(table, dario, [0, 0, 0], "Nobody stayed")
    assert kinds(season, wall) == []


def test_a_player_whose_mail_comes_back(wall: Any, season: Season, bruno: Any) -> None:
    SuppressedAddress.objects.create(address=bruno.email, since=wall.now)
    (need,) = needs(season, wall)
    assert need.kind == "mail"
    assert "Bruno" in need.sentence
    assert bruno.email not in need.sentence
    Registration.objects.filter(user=bruno).update(state=Registration.State.WITHDRAWN)
    assert kinds(season, wall) == []


def test_a_closed_season_needs_no_one(wall: Any, season: Season, table: LeagueTable, bruno: Any) -> None:
    absent.give_up(table, bruno)
    absent.tick()
    wall.now = table.deadline
    SuppressedAddress.objects.create(address=bruno.email, since=wall.now)
    assert kinds(season, wall) == ["late", "seat", "mail"]
    Season.objects.update(state=Season.State.CLOSED)
    assert kinds(season, wall) == []


def test_each_league_has_its_own_needs(wall: Any, season: Season, table: LeagueTable, elena: Any) -> None:
    wall.now = table.deadline
    assert organiser_tasks_of(world.a_league(elena, "Another League"), wall.now) == ()


def test_each_need_leads_to_where_it_is_decided(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, signed_in: Any
) -> None:
    absent.give_up(table, bruno)
    absent.tick()
    wall.now = table.deadline
    SuppressedAddress.objects.create(address=bruno.email, since=wall.now)
    for need in needs(season, wall):
        assert resolve(need.url)
        assert signed_in(dario).get(need.url).status_code == 200, need.url
        assert signed_in(bruno).get(need.url).status_code == 404, need.url


def test_every_organiser_is_told_of_each_need_once(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    season.league.organisers.create(user=elena)
    assert emailed(wall.now) == 0
    wall.now = table.deadline
    for _time in range(2):
        emailed(wall.now)
    assert absent.emails("league_needs") == [dario, elena]
    SuppressedAddress.objects.create(address=bruno.email, since=wall.now)
    assert emailed(wall.now) == 1
    assert len(absent.emails("league_needs")) == 4


def test_of_a_seat_they_are_told_by_its_own_email(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.give_up(table, bruno)
    absent.tick()
    assert emailed(wall.now) == 0
    assert absent.emails("league_open_seat_over") == [dario]


def test_the_list_is_read_in_as_many_queries_whatever_is_on_it(
    wall: Any, season: Season, table: LeagueTable, django_assert_max_num_queries: Any
) -> None:
    wall.now = table.deadline
    for name in ("anna", "bruno", "carla"):
        SuppressedAddress.objects.create(address=f"{name}@example.org", since=wall.now)
    with django_assert_max_num_queries(11):
        assert len(needs(season, wall)) == 4


def test_several_at_once_are_named_in_one_email(wall: Any, dario: Any) -> None:
    plan = {"size": 3, "rounds": 1, "late": "organiser", "extension_days": 0}
    players = world.people(6)
    season = world.a_running_season(dario, players, **plan)
    season.league.organisers.create(user=world.person("Olga"))
    tables = world.seat_by_hand(season.divisions.get().rounds.get(), players[:3], players[3:])
    wall.now = tables[0].deadline
    Heartbeat.objects.update_or_create(defaults={"at": wall.now})
    assert emailed(wall.now) == 2
    assert emailed(wall.now) == 0
    mail.outbox.clear()
    deliver_due()
    needed = [email for email in mail.outbox if email.subject.startswith("A decision is needed")]
    assert sorted(email.to for email in needed) == [["dario@example.org"], ["olga@example.org"]]
    for email in needed:
        assert email.body.count("is late. Adjudicate it, or extend") == 2
