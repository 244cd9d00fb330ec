"""The organiser's desk: tables as spectators know them, reminders, messages, replacements, a pause."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from accounts.times import moment_with_city
from games.clocks.pauses import pause_until
from games.leagues.league_calendar import calendar_of
from games.leagues.models import AuditEvent, LeagueTable, Season
from games.leagues.selectors.desk import desk_row
from games.leagues.services import league_pause, organiser_messages, seat_decisions, table_reminders
from games.leagues.services.adjudication import adjudicate_by_hand
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.table_deadlines import extend_by_hand
from games.models import Game, Seat, Table
from games.models.locking import locked_game
from games.services import Refused, be_ready
from tests.clocks.passing import Wall
from tests.games.playing import play_to_the_end, play_until
from tests.leagues import absent, world
from tests.leagues.organisers_desk import text_of

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
PACED = world.TERMS | {"pace": "day", "watch": "anyone"}


@pytest.fixture
def season(wall: Wall, anna: User, bruno: User, carla: User, dario: User, elena: User) -> Season:
    """Two tables of Anna, Bruno, Carla and Dario, who play with clocks; Elena organises it."""
    return world.a_running_season(elena, [anna, bruno, carla, dario], size=2, rounds=3, terms=PACED)


@pytest.fixture
def tables(season: Season, anna: User, bruno: User, carla: User, dario: User) -> list[LeagueTable]:
    round_ = season.divisions.get().rounds.get(number=1)
    return world.seat_by_hand(round_, [anna, bruno], [carla, dario])


def asked(table: LeagueTable) -> list[User]:
    return [seat.person for seat in Seat.objects.filter(table=table.table_id, asked_since__isnull=False)]


def at_a_secret_step(table: LeagueTable) -> Game:
    """Return the table's game at a step in which players may discard their hand (R17)."""
    game = world.game_at(table)
    play_until(game, lambda state, decision: state.phase == "hand")
    game.refresh_from_db()
    assert game.phase == "hand"
    return game


def test_the_desk_shows_late_tables_first_and_what_spectators_may_know(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User, signed_in: Callable[[User], Client]
) -> None:
    at_a_secret_step(tables[1])
    tables[1].ends_at = wall.now - DAY
    tables[1].save(update_fields=["ends_at"])
    client = signed_in(elena)
    page = client.get(reverse("season_desk", args=[season.league_id, season.number]))
    rows = page.context["desk"].running
    assert [one.row.number for one in rows] == [2, 1]
    assert rows[0].waiting == ["Players are deciding."]
    assert [one.late_since for one in rows] == [tables[1].ends_at, None]
    told = text_of(page)
    (mover,) = asked(tables[0])
    assert f"Waiting for {mover.name} since" in told
    assert "battles played" in told
    Seat.objects.filter(table=tables[1].table_id).update(asked_since=wall.now, pending_decision="hand")
    again = client.get(page.wsgi_request.path).context["desk"].running
    assert again[0].waiting == rows[0].waiting  # the same page, no matter who decides in secret


def test_a_reminder_names_those_whose_turn_everyone_knows(
    season: Season, tables: list[LeagueTable], elena: User, wall: Wall
) -> None:
    (mover,) = asked(tables[0])
    assert table_reminders.remind_now(tables[0], elena) == [mover.name]
    assert absent.emails("league_reminder") == [mover]
    with pytest.raises(Refused, match="six hours"):
        table_reminders.remind_now(tables[0], elena)
    wall.now += timedelta(hours=7)
    assert table_reminders.remind_now(tables[0], elena) == [mover.name]
    at_a_secret_step(tables[1])
    deciding = asked(tables[1])
    assert table_reminders.remind_now(tables[1], elena) == []
    assert absent.emails("league_reminder")[2:] == deciding
    assert not AuditEvent.objects.exclude(touched=None).exists()


def test_a_message_goes_once_to_all_but_those_who_block_its_author(
    season: Season, tables: list[LeagueTable], anna: User, bruno: User, elena: User
) -> None:
    Block.objects.create(by=anna, whom=elena)
    for _press in range(2):
        organiser_messages.write_to_players(season, elena, tables[0], "Please go on.")
    assert absent.emails("league_message") == [bruno]
    organiser_messages.write_to_players(season, elena, None, "Merry Christmas!")
    assert len(absent.emails("league_message")) == 4
    with pytest.raises(Refused, match="organiser"):
        organiser_messages.write_to_players(season, anna, None, "I am one too.")


def test_a_message_names_its_author_once(season: Season, tables: list[LeagueTable], elena: User) -> None:
    organiser_messages.write_to_players(season, elena, None, "Merry Christmas!")
    deliver_due()
    email = next(one for one in mail.outbox if "Merry Christmas!" in one.body)
    assert email.body.partition("Merry Christmas!")[0].count("Elena") == 1


def test_a_message_says_to_which_table_or_division_it_went(
    season: Season, tables: list[LeagueTable], elena: User
) -> None:
    division = season.divisions.get()
    Season.objects.filter(pk=season.pk).update(most_divisions=2)
    organiser_messages.write_to_players(season, elena, tables[1], "To a table.")
    organiser_messages.write_to_players(season, elena, division, "To a division.")
    organiser_messages.write_to_players(season, elena, None, "To everyone.")
    deliver_due()
    table, in_division, everyone = (
        next(one.body for one in mail.outbox if f"To {to}." in one.body)
        for to in ("a table", "a division", "everyone")
    )
    assert "Autumn League, season 1, division A, round 1, table 2\n" in table
    assert "/division/1/round/1/table/2/\n" in table
    assert "Autumn League, season 1, division A\n" in in_division
    assert "/division/1/\n" in in_division
    assert "Autumn League, season 1\n" in everyone


def test_a_player_is_replaced_and_stays_in_the_season(
    season: Season, tables: list[LeagueTable], anna: User, bruno: User, carla: User, elena: User, fabio: User
) -> None:
    seat = world.seat_at(tables[0], bruno)
    with pytest.raises(Refused, match="substitute or player"):
        seat_decisions.replace_seated(tables[0], seat.number, elena, fabio, "Bruno is ill.")
    for _press in range(2):
        seat_decisions.replace_seated(tables[0], seat.number, elena, carla, "Bruno is ill.")
    seat.refresh_from_db()
    assert seat.user == carla
    assert desk_row(tables[0], clock.now()).players == "Anna and Carla"
    assert season.entries.get(user=bruno).state == "playing"
    kinds = AuditEvent.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["replaced", "substituted"]
    with pytest.raises(Refused, match="can’t take a seat"):
        seat_decisions.replace_seated(tables[0], seat.number, elena, bruno, "Bruno is well again.")


def test_the_position_is_shown_before_a_table_is_adjudicated(
    wall: Wall, tables: list[LeagueTable], elena: User, season: Season, signed_in: Callable[[User], Client]
) -> None:
    at_a_secret_step(tables[0])
    wall.now += 61 * DAY
    told = text_of(signed_in(elena).get(reverse("table_adjudicate", args=[season.league_id, tables[0].pk])))
    assert "Regions now: Anna (" in told
    assert "If most regions win, points: Anna (" in told
    assert "If no one wins, points: Anna (" in told


def dues(season: Season) -> list[Any]:
    seats = Seat.objects.filter(due_at__isnull=False).order_by("pk").values_list("due_at", flat=True)
    ends = LeagueTable.objects.running().order_by("pk").values_list("ends_at", flat=True)
    return [*seats, *ends]


def test_a_pause_moves_every_deadline_once_and_lets_no_table_begin(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User
) -> None:
    league, before, until = season.league, dues(season), wall.now + 10 * DAY
    for _press in range(2):
        league_pause.pause_league(league, elena, until, "Holidays")
    assert [due - old for due, old in zip(dues(season), before, strict=True)] == [10 * DAY] * len(before)
    assert len(absent.emails("league_event")) == 4
    assert "clocks_changed" not in OutgoingEmail.objects.values_list("kind", flat=True)
    with pytest.raises(Refused, match="paused"):
        table_reminders.remind_now(tables[0], elena)
    world.finish_running(season)
    begun = LeagueTable.objects.exclude(table=None).count()
    run_seasons(wall.now + DAY)
    assert LeagueTable.objects.exclude(table=None).count() == begun
    league.refresh_from_db()
    assert b"pause ends" in calendar_of("", [season], wall.now)
    wall.now = until
    run_seasons(wall.now)
    league.refresh_from_db()
    assert league.paused_until is None
    assert LeagueTable.objects.exclude(table=None).count() > begun


def test_after_a_pause_of_the_league_a_shorter_one_of_the_players_goes_on(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User
) -> None:
    game, until, own = world.game_at(tables[0]), wall.now + 10 * DAY, wall.now + 4 * DAY
    with transaction.atomic():
        pause_until(locked_game(game.pk), None, own, wall.now)
    wall.now += timedelta(hours=1)
    league_pause.pause_league(season.league, elena, until, "Holidays")
    game.refresh_from_db()
    assert game.paused_until == until
    wall.now += DAY
    league_pause.resume_league(season.league, elena, "All are back.")
    game.refresh_from_db()
    assert game.paused_until == own


def test_a_game_of_a_match_that_begins_in_a_pause_rests_as_well(
    wall: Wall, anna: User, bruno: User, elena: User
) -> None:
    points = {"edition": "2007", "variants": ["playing-for-points"]}
    terms = PACED | {"options_json": points, "target": 100, "chain": 101}
    season = world.a_running_season(elena, [anna, bruno], size=2, rounds=1, terms=terms)
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno])
    play_to_the_end(world.game_at(table))
    until = wall.now + 10 * DAY
    league_pause.pause_league(season.league, elena, until, "Holidays")
    for seat in Table.objects.get(pk=table.table_id).seats.people():
        be_ready(seat, 2)
    run_seasons(wall.now)
    game = world.game_at(table)
    assert (game.number, game.paused_until) == (2, until)


def test_more_time_may_come_with_hours_for_those_whose_turn_it_is(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User
) -> None:
    move, other, end, another = dues(season)
    for _press in range(2):
        extend_by_hand(tables[0], elena, 5, "A storm", hours=36)
    assert dues(season) == [move + timedelta(hours=36), other, end + 5 * DAY, another]


def test_a_pause_that_ends_early_gives_back_what_was_left_of_it(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User
) -> None:
    league, before = season.league, dues(season)
    league_pause.pause_league(league, elena, wall.now + 10 * DAY, "Holidays")
    league_pause.pause_league(league, elena, wall.now + 20 * DAY, "Longer holidays")
    wall.now += 3 * DAY
    league_pause.resume_league(league, elena, "All are back.")
    assert [due - old for due, old in zip(dues(season), before, strict=True)] == [3 * DAY] * len(before)
    assert set(Game.objects.values_list("paused_until", flat=True)) == {None}


def test_a_player_is_not_offered_the_seats_of_their_own_table(
    tables: list[LeagueTable], season: Season, elena: User, bruno: User, carla: User, signed_in: Any
) -> None:
    address = reverse("table_replace", args=[season.league_id, tables[0].pk])
    page = signed_in(elena).get(address).content.decode()
    assert f'<option value="{carla.pk}">' in page
    assert f'<option value="{bruno.pk}">' not in page


def test_an_email_of_a_decision_names_the_zone_of_its_times(
    wall: Wall, season: Season, tables: list[LeagueTable], elena: User
) -> None:
    league_pause.pause_league(season.league, elena, wall.now + 10 * DAY, "Holidays")
    mail.outbox.clear()
    deliver_due(clock.now())
    bodies = [" ".join(str(email.body).split()) for email in mail.outbox]
    (told,) = {
        re.search(r"Elena paused the league until (.*?)\. No clock", body)[1]
        for body in bodies
        if "paused the league" in body
    }
    assert told == moment_with_city(wall.now + 10 * DAY)


def test_the_log_names_the_organiser_among_the_players_of_a_table(
    wall: Wall, elena: User, anna: User, signed_in: Any
) -> None:
    season = world.a_running_season(elena, [anna, elena], size=2, rounds=1)
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), [anna, elena])
    wall.now = table.deadline + 30 * DAY
    adjudicate_by_hand(table, elena, True, "Late")
    log = text_of(signed_in(elena).get(reverse("league_log", args=[season.league_id])))
    assert "You adjudicated the table. Players: Anna and Elena." in log
