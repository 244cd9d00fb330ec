"""Every column of a table is a setting, or says here why it isn't one.

A host chooses a setting with the table, players read it, and a rematch and a season's tables copy it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import BooleanField, Field
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games import services
from games.leagues.models import Season
from games.leagues.selectors.season_rules import rules_of
from games.models import Table
from games.presenters.settings_text import settings_of
from games.services.scheduled_tables import adjudicate
from tests.clocks.passing import Wall
from tests.games.gathering import make_by_form
from tests.games.playing import begin_game
from tests.leagues import world
from tests.leagues.organisers_desk import as_shown

NO_SETTING = {
    "id": "the row's own",
    "host": "the first player who asks for a rematch; a season's tables have none",
    "name": "a rematch counts on; a season names its tables",
    "note": "the host's words about one table",
    "size": "a rematch has as many seats; a season has its own column",
    "entry": "the players are those of the game or of the season",
    "state": "of one table",
    "secret": "every table has its own",
    "form_key": "of the form that made the table",
    "join_key": "of one table's link",
    "watch_key": "of one table's link",
    "practice_key": "of a guest's table, which has no rematch",
    "created_at": "of one table",
    "closes_at": "of one table",
    "warned_at": "of one table",
    "next_game_at": "of one match",
    "source": "what a table is part of; a rematch is part of nothing",
    "source_path": "what a table is part of; a rematch is part of nothing",
    "rematch_of": "of the rematch itself",
}

# Options and the length of a match depend on each other. A season's form decides itself who may watch.
TOGETHER = {
    "options_json": {"edition": "2007", "variants": ["playing-for-points"]},
    "target": 20,
    "chain": 101,
    "watch": Table.Watch.ANYONE,
}
USUAL = Table(size=4, entry="open", pace="day", watch="link")


def _other(column: Field[Any, Any]) -> Any:
    """Return another value than the usual one."""
    usual = getattr(USUAL, column.name)
    if column.name in TOGETHER:
        return TOGETHER[column.name]
    if isinstance(column, BooleanField):
        return not usual
    if column.choices:
        return next(value for value, _name in column.flatchoices if value not in (usual, "none"))
    return usual + 1


COLUMNS: list[Field[Any, Any]] = list(Table._meta.concrete_fields)
CHANGED = {column.name: _other(column) for column in COLUMNS if column.name in Table.SETTINGS}


def settings_in(table: Table) -> dict[str, Any]:
    return {name: getattr(table, name) for name in CHANGED}


def test_every_column_is_a_setting_or_says_why_not() -> None:
    assert not set(Table.SETTINGS) & NO_SETTING.keys()
    assert {column.name for column in COLUMNS} == set(Table.SETTINGS) | NO_SETTING.keys()


def test_every_setting_is_changed_here() -> None:
    assert [name for name, value in CHANGED.items() if value == getattr(USUAL, name)] == []


@pytest.mark.parametrize("name", sorted(CHANGED.keys() - {"chain"}))
def test_players_read_every_setting_before_they_accept_it(name: str) -> None:
    kept = {setting: getattr(USUAL, setting) for setting in CHANGED}
    table = Table(size=4, entry="open", **kept | {name: CHANGED[name]})
    assert settings_of(table) != settings_of(USUAL)


@pytest.mark.django_db
def test_a_host_chooses_every_setting(anna: User, signed_in: Callable[[User], Client]) -> None:
    words = {"True": "yes", "False": "no"}
    typed = {name: words.get(str(value), str(value)) for name, value in CHANGED.items()}
    assert make_by_form(signed_in(anna), match="20", **typed).status_code == 302
    assert settings_in(Table.objects.get()) == CHANGED


@pytest.mark.django_db
def test_a_rematch_copies_every_setting(anna: User, bruno: User, carla: User) -> None:
    game = begin_game([anna, bruno, carla], **CHANGED)
    adjudicate(game.table, with_winner=True, now=timezone.now())
    game.refresh_from_db()
    assert settings_in(services.make_rematch(game, bruno)) == CHANGED


@pytest.mark.django_db
def test_the_tables_of_a_season_copy_every_setting(wall: Wall, anna: User) -> None:
    season = world.a_running_season(anna, world.people(4), terms=CHANGED)
    world.begin(season)
    assert settings_in(Table.objects.get()) == CHANGED


@pytest.mark.django_db
def test_a_changed_season_keeps_every_setting(
    wall: Wall, anna: User, signed_in: Callable[[User], Client]
) -> None:
    later = {"opens_at": wall.now + 2 * world.DAY, "signup_ends_at": wall.now + 9 * world.DAY}
    season = world.a_season(world.a_league(anna), terms=CHANGED, begins_at=wall.now + 20 * world.DAY, **later)
    desk, address = signed_in(anna), reverse("replan_season", args=[season.league_id, season.number])
    form = as_shown(desk.get(address).context["form"])
    assert desk.post(address, form | {"rounds": season.rounds + 2}).status_code == 302
    changed = Season.objects.get()
    assert (changed.rounds, changed.terms) == (season.rounds + 2, CHANGED)
    assert rules_of(changed)
