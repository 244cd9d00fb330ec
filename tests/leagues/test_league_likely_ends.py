"""When tables are likely to end: never in the past, as forecast at first, and later the longer they last."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from games.leagues.models import LeagueTable
from games.leagues.selectors.desk import desk, desk_row
from games.leagues.selectors.likely_ends import likely_days
from games.presenters.time_settings import EXPECTED_DAYS
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.organisers_desk import text_of

pytestmark = pytest.mark.django_db

LENGTHS = st.sampled_from([pair for by_seats in EXPECTED_DAYS.values() for pair in by_seats.values()])
PACED = world.TERMS | {"pace": "day"}


@given(LENGTHS, st.floats(0, 500), st.floats(0, 100))
def test_the_longer_a_game_lasts_the_later_it_ends(
    lengths: tuple[int, int], played: float, more: float
) -> None:
    likely = likely_days(*lengths, played)
    assert likely >= played
    assert likely_days(*lengths, played + more) >= likely - 1e-6
    assert round(likely_days(*lengths, 0), 6) == lengths[0]


def test_the_desk_says_when_tables_likely_end_and_when_most_are_done(
    wall: Wall, anna: User, signed_in: Any
) -> None:
    players = world.people(4)
    plan = {"terms": PACED, "rounds": 3, "table_days": 60, "division_size": 8}
    season = world.a_running_season(anna, players, **plan)
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    address = reverse("season_desk", args=[season.league_id, season.number])
    page = text_of(signed_in(anna).get(address))
    assert "as forecast." in page
    assert "9 of 10 players are likely to finish their last table by about" in page
    first = desk(season, wall.now).done_at
    assert first is not None
    assert first == wall.now + (14 + 2 * 35) * world.DAY
    wall.now += 30 * world.DAY
    row = LeagueTable.objects.get(pk=row.pk)
    assert "The forecast was" in desk_row(row, wall.now).likely_end
    later = desk(season, wall.now).done_at
    assert later is not None
    assert later > first
    world.finish(row)
    done = desk(season, wall.now).done_at
    assert done == wall.now + 2 * 35 * world.DAY


def test_without_clocks_nothing_is_likely(wall: Wall, anna: User) -> None:
    players = world.people(4)
    season = world.a_running_season(anna, players)
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    assert (desk_row(row, wall.now).likely_end, desk(season, wall.now).done_at) == ("", None)


def test_the_seasons_page_folds_all_rules_but_dates_and_scoring(
    wall: Wall, anna: User, signed_in: Any
) -> None:
    season = world.a_season(world.a_league(anna))
    page = signed_in(anna).get(reverse("season", args=[season.league_id, season.number])).content.decode()
    shown = page[page.index('id="rules-title"') :].partition("<details")[0]
    assert shown.count("<h3>") == 2
    assert "<h3>Dates</h3>" in shown
    assert "<h3>Scoring</h3>" in shown
