"""A person's data in leagues: its export, and what remains when they delete their account."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from condottiere_site.privacy import erase, everything_about
from games.leagues.models import (
    AuditEvent,
    Invitation,
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    Substitute,
)
from games.leagues.selectors.league_log import lines_of
from games.leagues.services import awards, offer_answers, withdrawals
from games.leagues.services.adjudication import adjudicate_late
from games.leagues.services.cancellation import cancel
from games.leagues.services.result_collection import collect
from games.leagues.services.retention import forget_old_invitations, forget_old_notes
from games.leagues.services.season_end import close_season
from games.models import Game, Heartbeat
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db

State = Registration.State


@pytest.fixture
def season(wall: Any, dario: Any, anna: Any, bruno: Any, carla: Any) -> Season:
    """Dario organises what Anna, Bruno and Carla play."""
    return world.a_running_season(dario, [anna, bruno, carla], size=3, rounds=1, min_players=3)


@pytest.fixture
def table(season: Season, anna: Any, bruno: Any, carla: Any) -> LeagueTable:
    return world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])[0]


def mine(user: Any) -> dict[str, Any]:
    handed_out = json.loads(json.dumps(everything_about(user), cls=DjangoJSONEncoder))
    leagues: dict[str, Any] = handed_out["leagues"]
    return leagues


def test_a_player_is_handed_out_their_part_and_no_one_elses(
    season: Season, table: LeagueTable, bruno: Any, anna: Any
) -> None:
    withdrawals.withdraw(season.entries.get(user=bruno), note="Trust nobody", reason="A long journey")
    told = mine(bruno)
    assert [(row["league"], row["season"], row["state"]) for row in told["seasons"]] == [
        ("Autumn League", 1, "withdrawn")
    ]
    assert told["tables"][0]["position"] == 1
    assert told["seats_left"][0]["note"] == "Trust nobody"
    assert told["decided_by_me"][0]["reason"] == "A long journey"
    for secret in ("Trust nobody", "A long journey", bruno.email):
        assert secret not in json.dumps(mine(anna))


def test_a_helper_is_handed_out_what_they_were_asked_and_took(
    season: Season, table: LeagueTable, bruno: Any, elena: Any
) -> None:
    absent.help_in(season, elena)
    absent.give_up(table, bruno)
    absent.tick()
    offer_answers.accept(absent.the_ask(elena))
    told = mine(elena)
    assert [row["answer"] for row in told["asked_for_a_seat"]] == ["accepted"]
    assert [row["seat"] for row in told["seats_taken"]] == [1]
    assert len(told["help_offered"]) == 1


def test_an_organiser_is_handed_out_what_they_decided(
    wall: Any, season: Season, table: LeagueTable, dario: Any, anna: Any
) -> None:
    world.finish(table)
    collect(table, wall.now)
    awards.award(table, dario, [1, 1, 1], "It was a draw")
    told = mine(dario)
    assert told["organised"][0]["league"] == "Autumn League"
    assert told["points_awarded_by_me"][0]["points"] == [1, 1, 1]
    assert [row["kind"] for row in told["decided_by_me"]] == ["awarded"]
    assert mine(anna)["decided_about_me"][0]["reason"] == "It was a draw"


# Closing an account


def test_someone_who_closes_their_account_withdraws_and_their_seat_is_offered(
    season: Season, table: LeagueTable, bruno: Any, elena: Any
) -> None:
    absent.help_in(season, elena)
    erase(bruno)
    assert season.entries.get(user=bruno).state == State.WITHDRAWN
    open_seat = table.open_seats.get()
    assert (open_seat.why, absent.asked(open_seat)) == (OpenSeat.Why.WITHDRAWN, [elena])
    offer_answers.accept(absent.the_ask(elena))
    assert world.seat_at(table, elena).number == 1


def test_before_the_start_they_leave_and_the_first_who_waits_moves_up(
    wall: Any, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    season = world.a_season(world.a_league(dario), size=2, division_size=2, state=Season.State.SIGN_UP)
    for one, state in ((anna, State.SIGNED_UP), (bruno, State.SIGNED_UP), (carla, State.WAITING)):
        season.entries.create(user=one, state=state)
    erase(bruno)
    assert season.entries.get(user=bruno).state == State.LEFT
    assert season.entries.get(user=carla).state == State.SIGNED_UP


@pytest.mark.parametrize("state", [State.EXPECTED, State.CONFIRMED, State.WAITING])
def test_whatever_they_were_in_a_league_they_no_longer_are(
    wall: Any, dario: Any, bruno: Any, state: str
) -> None:
    season = world.a_season(world.a_league(dario), state=Season.State.CONFIRMING, asked_at=wall.now)
    season.entries.create(user=bruno, state=state)
    erase(bruno)
    assert season.entries.get(user=bruno).is_out


def test_they_help_no_more_and_seats_they_took_are_free_again(
    season: Season, table: LeagueTable, bruno: Any, carla: Any, elena: Any, fabio: Any
) -> None:
    absent.help_in(season, elena)
    absent.give_up(table, bruno)
    absent.tick()
    offer_answers.accept(absent.the_ask(elena))
    erase(elena)
    absent.tick()
    assert Substitute.objects.get(user=elena).stopped_at is not None
    again = table.open_seats.latest("pk")
    assert (again.seat, again.left_by) == (1, elena)


def test_what_was_asked_of_them_is_asked_of_the_next(
    season: Season, table: LeagueTable, bruno: Any, elena: Any, fabio: Any
) -> None:
    absent.help_in(season, elena, fabio)
    absent.give_up(table, bruno)
    absent.tick()
    erase(elena)
    assert absent.asked(table.open_seats.get()) == [elena, fabio]


def test_invitations_to_their_address_are_gone_and_what_was_said_of_them_names_no_one(
    wall: Any, season: Season, table: LeagueTable, dario: Any, anna: Any, bruno: Any
) -> None:
    coming = world.a_season(season.league, state=Season.State.SIGN_UP)
    world.invite(coming, dario, bruno.email, None)
    world.finish(table)
    collect(table, wall.now)
    awards.award(table, dario, [0, 0, 0], "Bruno showed a hand, brunos did not")
    withdrawals.expel(season.entries.get(user=bruno), dario, "Bruno is a cheat")
    erase(bruno)
    assert not Invitation.objects.exists()
    assert season.entries.get(user=bruno).reason == ""
    assert AuditEvent.objects.get(kind=AuditEvent.Kind.EXPELLED).reason == ""
    reason = "[…] showed a hand, brunos did not"
    assert AuditEvent.objects.get(kind=AuditEvent.Kind.AWARDED).reason == reason
    assert table.awards.get().reason == reason


def test_their_words_are_taken_out_where_they_want_it(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    withdrawals.withdraw(season.entries.get(user=bruno), note="My plans", reason="My illness")
    world.finish(table)
    collect(table, wall.now)
    awards.award(table, dario, [0, 0, 0], "My own view")
    for person in (bruno, dario):
        erase(person, with_words=True)
    kept = [
        *AuditEvent.objects.values_list("reason", flat=True),
        *table.awards.values_list("reason", flat=True),
    ]
    kept += [
        *Registration.objects.values_list("reason", flat=True),
        *OpenSeat.objects.values_list("note", flat=True),
    ]
    assert [words for words in kept if "My" in words] == []


def test_a_former_player_stands_where_they_stood(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, signed_in: Any
) -> None:
    world.finish(table)
    collect(table, wall.now)
    erase(bruno)
    page = signed_in(dario).get(f"/leagues/{season.league.pk}/season/1/division/1/").content.decode()
    assert "a former player" in page
    assert "Bruno" not in page


# Organisers who go


def test_one_of_several_organisers_goes_and_the_league_goes_on(
    season: Season, dario: Any, elena: Any
) -> None:
    season.league.organisers.create(user=elena)
    following = world.a_season(season.league)
    erase(dario)
    assert [one.user for one in season.league.organisers.all()] == [elena]
    following.refresh_from_db()
    assert following.state == Season.State.PLANNED
    assert AuditEvent.objects.get(kind=AuditEvent.Kind.NO_ORGANISER).facts == {}


def test_when_the_last_goes_what_runs_is_played_to_its_end_and_nothing_follows(
    wall: Any, season: Season, table: LeagueTable, dario: Any, anna: Any, bruno: Any, carla: Any
) -> None:
    erase(dario)
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.NO_ORGANISER)
    assert "no new season follows" in lines_of([event], with_reasons=False)[0].text
    assert set(event.touched.all()) == {anna, bruno, carla}
    assert absent.emails("league_event") == [anna, bruno, carla]
    world.finish(table)
    collect(table, wall.now)
    season.divisions.get().rounds.filter(draw__isnull=True).delete()
    assert close_season(season, wall.now)
    assert season.league.seasons.count() == 1


def test_a_planned_season_of_a_league_that_no_one_runs_is_called_off(
    wall: Any, season: Season, dario: Any
) -> None:
    following = world.a_season(season.league)
    erase(dario)
    following.refresh_from_db()
    assert following.state == Season.State.CANCELLED


def test_a_sign_up_that_is_open_goes_on_without_anyone(wall: Any, dario: Any, anna: Any) -> None:
    season = world.a_season(world.a_league(dario), state=Season.State.SIGN_UP)
    season.entries.create(user=anna, state=State.SIGNED_UP)
    erase(dario)
    season.refresh_from_db()
    assert season.state == Season.State.SIGN_UP
    assert absent.emails("league_event") == [anna]


def test_late_tables_of_a_league_that_no_one_runs_are_ended_by_most_regions(
    wall: Any, season: Season, table: LeagueTable, dario: Any
) -> None:
    Season.objects.update(late=Season.Late.ORGANISER, extension_days=0)
    wall.now = table.deadline
    Heartbeat.objects.create(at=wall.now)
    assert not adjudicate_late(table, wall.now)
    erase(dario)
    season.refresh_from_db()
    assert season.next_action_at is not None
    assert season.next_action_at <= wall.now
    assert adjudicate_late(table, wall.now)
    assert world.game_at(table).ended == Game.Ended.ADJUDICATED


def test_an_organiser_who_plays_leaves_as_both(season: Season, table: LeagueTable, bruno: Any) -> None:
    season.league.organisers.create(user=bruno)
    erase(bruno)
    assert season.entries.get(user=bruno).state == State.WITHDRAWN
    assert not season.league.organisers.filter(user=bruno).exists()


# What is forgotten automatically


def test_invited_addresses_are_forgotten_a_month_after_the_season_began_or_was_called_off(
    wall: Any, dario: Any
) -> None:
    league = world.a_league(dario)
    season, other = (world.a_season(league, state=Season.State.SIGN_UP) for _which in range(2))
    for one in (season, other):
        world.invite(one, dario, "zoe@example.org", None)
    Season.objects.filter(pk=season.pk).update(state=Season.State.RUNNING, begins_at=wall.now)
    cancel(other, dario, "Nobody came")
    assert forget_old_invitations(wall.now + 30 * world.DAY) == 0
    assert forget_old_invitations(wall.now + 31 * world.DAY) == 2


def test_a_note_for_a_seat_is_forgotten_after_the_game_and_who_took_it_keeps_their(
    season: Season, table: LeagueTable, bruno: Any, elena: Any
) -> None:
    absent.help_in(season, elena)
    withdrawals.withdraw(season.entries.get(user=bruno), note="Beware")
    offer_answers.accept(absent.the_ask(elena))
    assert forget_old_notes() == 0
    world.finish(table)
    assert forget_old_notes() == 1
    assert "Beware" in elena.notes.get().text
