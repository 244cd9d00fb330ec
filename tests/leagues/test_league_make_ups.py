"""Holidays over the start of a season: what players read, and the tables that are made up for them."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from random import Random

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.models import Holiday, User
from games.leagues.integrity import recomputed
from games.leagues.links import entry_url
from games.leagues.models import AuditEvent, LeagueTable, MissedRound, OpenSeat, Registration, Season
from games.leagues.selectors.league_log import lines_of
from games.leagues.selectors.next_steps import what_comes_next
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.services import offer_answers
from games.leagues.services.season_end import standings_of
from games.leagues.services.substitutes import volunteer
from games.services.scheduled_tables import adjudicate
from tests.clocks.passing import Wall
from tests.leagues import absent, league_pages, world
from tests.leagues.test_league_random_seasons import run_ticks
from tests.leagues.world import DAY

pytestmark = pytest.mark.django_db

PLAN = {"size": 4, "rounds": 2, "tables_at_once": 2, "table_days": 20, "extension_days": 0}


def away(wall: Wall, user: User, days: int, before: int = 1) -> Holiday:
    """A holiday that began some days before now and lasts so many more."""
    today = wall.now.astimezone(user.zone).date()
    return Holiday.objects.create(user=user, first=today - before * DAY, last=today + (days - 1) * DAY)


def entry_of(season: Season, user: User) -> Registration:
    return season.entries.select_related("season__league", "user", "division").get(user=user)


def end_tables(season: Season, wall: Wall) -> None:
    """Every running table is adjudicated, and what follows is done."""
    for row in LeagueTable.objects.running().filter(round__division__season=season).select_related("table"):
        adjudicate(row.game_table, with_winner=True, now=wall.now)
    run_ticks(wall)


def is_sound(season: Season) -> bool:
    return recomputed(Season.objects.get(pk=season.pk)) == []


def pass_days(wall: Wall, days: int) -> None:
    for _day in range(days):
        wall.now += DAY
        run_ticks(wall)


# Asked to confirm


@pytest.fixture
def asked(wall: Wall) -> Registration:
    """Someone who is asked to confirm, and on holiday as the season begins."""
    player = world.person("Vera")
    season = world.a_season(world.a_league(world.person("Olga")), promoted=1, most_divisions=2)
    season.state, season.asked_at = Season.State.CONFIRMING, wall.now
    season.signup_ends_at, season.begins_at = wall.now, wall.now + 5 * DAY
    season.save()
    first = (wall.now + 3 * DAY).date()
    Holiday.objects.create(user=player, first=first, last=first + 6 * DAY)
    return season.entries.create(user=player, state=Registration.State.SIGNED_UP)


def test_the_page_names_holiday_and_start_with_two_answers(asked: Registration, client: Client) -> None:
    first = (clock.now() + 3 * DAY).date()
    for path in (
        entry_url(asked).removeprefix("http://testserver"),
        league_pages.path_of("season", asked.season),
    ):
        client.force_login(asked.user)
        words = league_pages.text_of(client, path)
        assert f"You’re away from {first:%A} {first.day}" in words
        assert "Your tables wait for you for up to" in words
        assert "you keep your division" in words
        assert "I’ll be back by" in words
        assert "Skip this season" in words
        assert "Confirm that I’ll play" not in words


def test_someone_who_is_there_reads_nothing_of_it(asked: Registration, client: Client) -> None:
    asked.user.holidays.all().delete()
    client.force_login(asked.user)
    words = league_pages.text_of(client, league_pages.path_of("season", asked.season))
    assert "Confirm that I’ll play" in words
    assert "away from" not in words


# Away as the first tables begin


def test_those_left_out_get_tables_together_once_they_are_back(wall: Wall, client: Client) -> None:
    players = world.people(10)
    season = world.a_running_season(players[0], players, **PLAN | {"size": 5})
    gone = players[2:4]
    for user in gone:
        away(wall, user, season.away_days + 2)
    run_ticks(wall)
    pass_days(wall, season.away_days)
    assert MissedRound.objects.count() == 4
    for user in gone:
        assert "began while you were away" in what_comes_next(season, entry_of(season, user))
    pass_days(wall, 3)
    assert not MissedRound.objects.filter(make_up=None).exists()
    for user in gone:
        tables = LeagueTable.objects.filter(assignments__entry__user=user, table__isnull=False)
        assert tables.count() == 2
    rows = LeagueTable.objects.filter(made_up_for__isnull=False).distinct()
    assert season.events.filter(kind=AuditEvent.Kind.MADE_UP).count() == rows.count()
    assert is_sound(season)
    for row in rows:
        path = league_pages.path_of("round", season, 1, row.round.number)
        assert "players who were away when their tables did" in league_pages.text_of(client, path)
    end_tables(season, wall)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    assert is_sound(season)


@pytest.fixture
def alone(wall: Wall) -> Season:
    """A season whose third player missed the only table of theirs, and is back."""
    players = world.people(4)
    season = world.a_running_season(players[0], players, **PLAN | {"rounds": 1, "tables_at_once": 1})
    away(wall, players[2], season.away_days + 1)
    run_ticks(wall)
    pass_days(wall, season.away_days + 1)
    return season


def test_someone_alone_needs_substitutes_and_the_organiser_hears_it(alone: Season, wall: Wall) -> None:
    missed = MissedRound.objects.get(make_up=None)
    (task,) = organiser_tasks_of(alone.league, wall.now)
    assert task.kind == "missed"
    assert "missed the table of round 1 on holiday" in task.sentence
    for name in ("Helper", "Second"):
        volunteer(alone, world.person(name))
    run_ticks(wall)
    missed.refresh_from_db()
    row = missed.make_up
    assert row is not None
    assert row.game_table.size == 3
    assert organiser_tasks_of(alone.league, wall.now) == ()
    assert [one.why for one in row.open_seats.all()] == [OpenSeat.Why.MAKE_UP] * 2
    assert is_sound(alone)


def test_a_substitute_takes_a_seat_there_and_earns_it_for_no_one(
    alone: Season, wall: Wall, client: Client
) -> None:
    helpers = [volunteer(alone, world.person(name)).user for name in ("Helper", "Second")]
    run_ticks(wall)
    row = LeagueTable.objects.get(made_up_for__isnull=False)
    offer_answers.accept(absent.the_ask(helpers[0]))
    run_ticks(wall)
    path = league_pages.path_of("league_table", alone, 1, 1, row.number)
    assert "Helper plays here now." in league_pages.text_of(client, path)
    end_tables(alone, wall)
    alone.refresh_from_db()
    assert alone.state == Season.State.CLOSED
    assert is_sound(alone)
    assert "Helper" in league_pages.text_of(client, path)
    places = {one.entry.user.shown_name: one.tables for one in standings_of(alone)}
    assert places == dict.fromkeys(["Player01", "Player02", "Player03", "Player04"], 1)


def test_a_correction_there_names_bots_as_well(alone: Season, wall: Wall, client: Client) -> None:
    for name in ("Helper", "Second"):
        volunteer(alone, world.person(name))
    run_ticks(wall)
    row = LeagueTable.objects.get(made_up_for__isnull=False)
    end_tables(alone, wall)
    client.force_login(alone.league.organisers.get().user)
    page = reverse("table_award", args=[alone.league_id, row.pk])
    places = {"place_0": 1, "place_1": 2, "place_2": 3}
    regions = {"regions_0": 3, "regions_1": 2, "regions_2": 1}
    points = {"points_0": 6, "points_1": 2, "points_2": 0, "another_total": "on"}
    answer = client.post(page, places | regions | points | {"reason": "It was agreed."})
    assert answer.status_code == 302
    (line,) = lines_of(alone.events.filter(kind=AuditEvent.Kind.AWARDED), with_reasons=True)
    assert len([text for text in line.changes if "place " in text]) == 3
    assert any("(bot): place" in text for text in line.changes)
    assert is_sound(alone)


def test_after_half_of_the_season_nothing_is_made_up(alone: Season, wall: Wall, client: Client) -> None:
    wall.now = alone.half_at
    volunteer(alone, world.person("Helper"))
    volunteer(alone, world.person("Second"))
    run_ticks(wall)
    assert MissedRound.objects.filter(make_up=None).exists()
    assert organiser_tasks_of(alone.league, wall.now) == ()
    words = league_pages.text_of(client, league_pages.path_of("division", alone, 1))
    assert "away in round 1" in words
    assert is_sound(alone)


def test_with_too_few_left_the_table_waits_for_the_others(wall: Wall) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players, **PLAN | {"rounds": 1, "tables_at_once": 1})
    for user in players[:2]:
        away(wall, user, season.away_days + 3)
    run_ticks(wall)
    pass_days(wall, season.away_days + 1)
    text = what_comes_next(season, entry_of(season, players[3]))
    assert "It begins on" in text
    assert not MissedRound.objects.exists()
    pass_days(wall, 3)
    (row,) = LeagueTable.objects.all()
    assert row.game_table.size == 4
    assert is_sound(season)


def test_two_divisions_relegate_no_one_whom_a_holiday_kept_from_every_table(wall: Wall) -> None:
    upper, lower = world.people(4), world.people(4, "Lower")
    plan = PLAN | {"rounds": 1, "tables_at_once": 1, "division_size": 4, "most_divisions": 2, "promoted": 1}
    season = world.a_running_season(upper[0], upper, lower, **plan)
    away(wall, upper[1], 25)
    run_ticks(wall)
    pass_days(wall, season.away_days)
    end_tables(season, wall)
    levels = {one.entry.user: one.next_level for one in standings_of(season)}
    assert levels[upper[1]] == 1
    assert sorted(levels[user] for user in upper) == [1, 1, 1, 2]
    assert is_sound(season)


# Random holidays


def _holidays(rng: Random, players: list[User], wall: Wall) -> Iterator[tuple[User, Holiday]]:
    for user in rng.sample(players, rng.randint(1, 5)):
        yield user, away(wall, user, rng.randint(2, 18))


SEEDS = [pytest.param(seed, marks=pytest.mark.long) if seed else seed for seed in range(10)]


@pytest.mark.parametrize("seed", SEEDS)
def test_everyone_back_by_half_of_the_season_gets_as_many_tables_as_possible(wall: Wall, seed: int) -> None:
    rng = Random(seed)
    upper, lower = world.people(9), world.people(4, "Lower")
    rounds = rng.choice((1, 2))
    plan = PLAN | {"rounds": rounds, "tables_at_once": rounds, "size": rng.choice((3, 4)), "promoted": 1}
    season = world.a_running_season(
        upper[0], upper, lower, **plan | {"division_size": 9, "most_divisions": 2}
    )
    holidays = dict(_holidays(rng, upper, wall))
    helpers = [world.person(name) for name in ("Helga", "Hans")][: rng.randint(0, 2)]
    for helper in helpers:
        volunteer(season, helper)
    run_ticks(wall)
    while wall.now < season.half_at:
        pass_days(wall, 1)
        assert is_sound(season)
    run_ticks(wall)
    assert not LeagueTable.objects.planned().filter(round__division__season=season).exists()
    in_time = {user for user, one in holidays.items() if one.last + DAY < season.half_at.date()}
    for round_ in season.divisions.get(level=1).rounds.all():
        open_missed = round_.missed.filter(make_up=None)
        left = {one.entry.user for one in open_missed.select_related("entry__user")} & in_time
        assert len(left) <= 1
        assert not left or 1 + len(helpers) < 3
    end_tables(season, wall)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    for one in season.divisions.get(level=1).standings.select_related("entry__user"):
        has_missed = MissedRound.objects.filter(entry=one.entry, make_up=None).exists()
        assert not (has_missed and not one.tables and one.next_level != 1)
    assert is_sound(season)


def test_an_older_releases_missing_records_are_mended(wall: Wall) -> None:
    """Release 0.1.0 recorded only the last of the tables that left out a player in one tick."""
    players = world.people(8)
    season = world.a_running_season(players[0], players, **PLAN)
    away(wall, players[2], season.away_days + 5)
    run_ticks(wall)
    pass_days(wall, season.away_days + 1)
    entry = season.entries.get(user=players[2])
    assert entry.skipped == [1, 2]
    Registration.objects.filter(pk=entry.pk).update(skipped=[2])
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_leagues", stdout=said)
    assert f"{players[2]} was left out while away, without a record: --mend adds it" in said.getvalue()
    said = StringIO()
    call_command("check_leagues", mend=True, stdout=said)
    assert said.getvalue().count(f"recorded that {players[2]} was left out while away") == 1
    entry.refresh_from_db()
    assert entry.skipped == [1, 2]
    call_command("check_leagues", stdout=StringIO())


# Corrections


def test_the_result_of_a_table_with_bots_and_substitutes_is_corrected(
    alone: Season, wall: Wall, client: Client
) -> None:
    """The player who missed theirs, a substitute and a bot: the form has a row for each seat."""
    helpers = [volunteer(alone, world.person(name)).user for name in ("Helper", "Second")]
    run_ticks(wall)
    row = LeagueTable.objects.get(made_up_for__isnull=False)
    offer_answers.accept(absent.the_ask(helpers[0]))
    run_ticks(wall)
    organiser = alone.league.organisers.get().user
    client.force_login(organiser)
    path = reverse("table_award", args=[alone.league_id, row.pk])
    assert "Correct the result" in league_pages.text_of(client, path)
    end_tables(alone, wall)
    page = league_pages.text_of(client, path)
    for what in ("Place of", "Regions of", "Points for"):
        assert page.count(what) == 3
        assert f"{what} Player03" in page
        assert f"{what} Helper" in page
    row.refresh_from_db()
    own = row.assignments.get().position
    seats = [own, *[seat for seat in range(3) if seat != own]]
    places = {f"place_{seat}": place for place, seat in enumerate(seats, start=1)}
    filled = client.post(path, places | {"fill": "places", "reason": "A slip."})
    form = filled.context["form"]
    sent = {name: form[name].value() for name in form.fields}
    assert [sent[f"points_{seat}"] for seat in seats] == ["6", "2", "0"]
    assert client.post(path, sent).status_code == 302
    table = league_pages.text_of(client, league_pages.path_of("league_table", alone, 1, 1, row.number))
    assert "Player03 won." in table
    assert "An organiser corrected the result." in table
    won = {one.entry.user.shown_name: one.victories for one in standings_of(Season.objects.get(pk=alone.pk))}
    assert str(won["Player03"]) == "1"
    assert is_sound(alone)
    client.post(path, {"fill": "played", "reason": "It was right."})
    withdrawn = dict.fromkeys(sent, "") | {"reason": "It was right."}
    assert client.post(path, withdrawn).status_code == 302
    assert is_sound(alone)
