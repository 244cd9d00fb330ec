"""Nothing the site says is stored in a language: everyone reads it in their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import models
from django.test import Client

from accounts.models import User
from games.leagues.models import AuditEvent, LeagueTable, Season
from games.leagues.services import awards, left_places, offer_answers, table_deadlines, withdrawals
from games.leagues.services.account_closing import leave_everything
from games.leagues.services.cancellation import cancel
from games.leagues.services.registration import confirm, sign_up
from games.leagues.services.result_collection import collect
from games.leagues.services.season_changes import change_season
from games.leagues.services.season_start import begin_with_fewer, close_sign_up, draw
from games.leagues.services.sign_up_opening import open_sign_up
from games.models import Note, SiteName, Table
from games.selectors.records import record_of
from games.services.import_game import import_games
from games.services.practice import begin_practice
from games.services.rematch import next_name
from tests.another_language import MARK, another_language
from tests.clocks.passing import Wall
from tests.leagues import absent, league_pages, world
from tests.leagues.league_pages import text_of
from tests.leagues.world import DAY

pytestmark = pytest.mark.django_db


def stored() -> Iterator[str]:
    """Whatever texts and facts are in the database."""
    texts = (models.CharField, models.TextField, models.JSONField)
    for model in apps.get_models():
        columns = [field.name for field in model._meta.concrete_fields if isinstance(field, texts)]
        for row in model._default_manager.values(*columns) if columns else ():
            yield from [f"{model.__name__}.{column}: {value}" for column, value in row.items()]


def in_a_language() -> list[str]:
    return [one for one in stored() if MARK in one]


def a_season_before_its_draw(olga: User, wall: Wall, **plan: Any) -> Season:
    """Three have signed up for it, two too few."""
    season = world.a_season(world.a_league(olga), min_players=5, **plan)
    assert open_sign_up(season, olga, wall.now)
    for user in world.people(3):
        sign_up(season, user)
    return season


def test_a_season_that_too_few_sign_up_for(wall: Wall) -> None:
    olga = world.person("Olga")
    with another_language():
        season = a_season_before_its_draw(olga, wall, size=3)
        world.invite(season, olga, "new@example.org")
        change_season(season, olga, reason="Wait.", signup_ends_at=wall.now + 9 * DAY)
        wall.now += 9 * DAY
        assert close_sign_up(season, wall.now)
        for entry in season.entries.all():
            confirm(entry)
        assert not draw(season, wall.now)
        wall.now += 4 * DAY
        begin_with_fewer(season, olga, "They are enough.")
        cancel(world.a_season(season.league), None, why=AuditEvent.TOO_FEW)
    assert in_a_language() == []


def test_a_season_in_which_organisers_decide(wall: Wall) -> None:
    olga, helper, late = (world.person(name) for name in ("Olga", "Helper", "Late"))
    players = world.people(4)
    with another_language():
        season = world.a_running_season(olga, players, rounds=2, division_size=6)
        world.begin(season)
        row = LeagueTable.objects.running().get()
        table_deadlines.extend_by_hand(row, olga, 3, "It was hot.")
        absent.help_in(season, helper)
        withdrawals.withdraw(season.entries.get(user=players[0]), note="Beware of the north.")
        offer_answers.accept(absent.the_ask(helper))
        season.entries.create(user=late, state="waiting")
        left_places.fill_gap(season.divisions.get(), olga, wall.now, "Someone left.")
        world.finish(row)
        assert collect(row, wall.now)
        awards.award(row, olga, [1, None, 2, 0], "So it was agreed.")
        withdrawals.expel(season.entries.get(user=players[1]), olga, "They were rude.")
        leave_everything(olga)
    assert in_a_language() == []
    assert Note.objects.get(user=helper).text == "> Beware of the north."
    path = league_pages.path_of("league_table", season, 1, 1, 1)
    assert MARK not in text_of(Client(), path)
    table = Table.objects.get(pk=row.table_id)
    assert (table.name, table.source) == (
        "Autumn League: round 1, table 1",
        "Autumn League, season 1, round 1",
    )
    with another_language():
        assert Table.objects.get(pk=row.table_id).name == f"{MARK}Autumn League: round 1, table 1"


def test_tables_that_the_site_names(wall: Wall) -> None:
    anna = world.person("Anna")
    with another_language():
        practice = begin_practice(anna, 1, "recruit", uuid4()).table
        Table.objects.get(pk=practice.pk).save()
    assert Table.objects.get(pk=practice.pk).name == "Practice"
    assert in_a_language() == []
    again = next_name(next_name(Table.objects.get(pk=practice.pk).name))
    assert (again, isinstance(again, SiteName)) == ("Practice (3)", True)


def test_a_name_follows_a_language_that_is_chosen_after_its_row_was_loaded(wall: Wall) -> None:
    table = Table.objects.get(pk=begin_practice(world.person("Anna"), 1, "recruit", uuid4()).table_id)
    with another_language():
        assert table.name == f"{MARK}Practice"
    assert table.name == "Practice"


def test_a_game_that_is_imported(wall: Wall) -> None:
    game = world.finish(world.seat_by_hand(a_round(), world.people(4))[0])
    record = record_of(game, ("A", "B", "C", "D"))
    Table.objects.update(secret=b"")
    with another_language():
        import_games([record], watch=Table.Watch.NOBODY)
    assert [table.name for table in Table.objects.order_by("pk")][1:] == ["Imported game"]
    assert in_a_language() == []


def a_round() -> Any:
    season = world.a_running_season(world.person("Olga"), world.people(4), rounds=1)
    return season.divisions.get().rounds.get()


def test_a_league_with_the_longest_name_has_tables_with_names(wall: Wall) -> None:
    season = world.a_running_season(world.person("Olga"), world.people(4), rounds=1)
    season.league.name = '"' * 60
    season.league.save()
    world.begin(season)
    table = Table.objects.get()
    assert len(table.name) == 60
    assert table.name.endswith("…: round 1, table 1")


def test_what_someone_typed_is_no_name_of_the_site(wall: Wall) -> None:
    table = Table.objects.create(host=world.person("Anna"), name="Practice", size=2, entry="link")
    with another_language():
        assert Table.objects.get(pk=table.pk).name == "Practice"
