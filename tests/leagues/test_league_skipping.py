"""Players who skip a table or are away, and their other tables: what begins without them, and what waits."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.availability import announce_holiday, cancel_holiday
from accounts.models import Holiday, User
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season
from games.leagues.selectors.league_log import event_text
from games.leagues.selectors.next_steps import next_table_text
from games.leagues.services import skipping, withdrawals
from games.leagues.services.league_tick import run_seasons
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import absent, world
from tests.leagues.world import DAY


def season_of(count: int = 4, **plan: Any) -> Season:
    players = world.people(count)
    return world.a_running_season(players[0], players, **({"tables_at_once": 1, "rounds": 2} | plan))


def first(season: Season) -> Registration:
    return season.entries.select_related("user", "division").order_by("pk")[0]


def away(user: User, wall: Wall, days: int) -> Holiday:
    today = wall.now.astimezone(user.zone).date()
    return Holiday.objects.create(user=user, first=today, last=today + (days - 1) * DAY)


def sizes(season: Season) -> list[int | None]:
    """The seats of the season's tables by round; None for one that has not begun."""
    rows = LeagueTable.objects.filter(round__division__season=season).order_by("round__number", "number")
    return [row.table.size if row.table else None for row in rows.select_related("table")]


def is_sound(season: Season) -> bool:
    season.refresh_from_db()
    return recomputed(season) == []


# Skipping the next table


def test_a_skipped_table_begins_without_its_player_who_gets_no_points_for_it(wall: Wall) -> None:
    season = season_of()
    world.begin(season)
    entry = first(season)
    assert "once your table is over" in next_table_text(season, entry)
    for _twice in range(2):
        skipping.skip(entry, 2)
    assert season.events.filter(kind=AuditEvent.Kind.SKIPPED, by=entry.user, round__number=2).count() == 1
    assert "You skip your table of round 2." in next_table_text(season, first(season))
    world.finish_running(season)
    run_seasons(wall.now)
    assert sizes(season) == [4, 3]
    assert next_table_text(season, first(season)) == "All your tables in this season have begun."
    with pytest.raises(Refused, match="already begun"):
        skipping.undo_skip(entry, 2)
    assert is_sound(season)


def test_a_skip_can_be_undone_until_the_table_begins(wall: Wall) -> None:
    season = season_of()
    world.begin(season)
    entry = first(season)
    skipping.skip(entry, 2)
    for _twice in range(2):
        skipping.undo_skip(entry, 2)
    assert season.events.filter(kind=AuditEvent.Kind.NOT_SKIPPED).count() == 1
    world.finish_running(season)
    run_seasons(wall.now)
    assert sizes(season) == [4, 4]
    assert is_sound(season)


def test_only_the_next_table_can_be_skipped(wall: Wall) -> None:
    season = season_of(rounds=3)
    world.begin(season)
    for number in (0, 1, 3):
        with pytest.raises(Refused, match="Nothing was changed"):
            skipping.skip(first(season), number)


def test_a_round_that_is_skipped_before_it_is_drawn_is_drawn_without_the_player(wall: Wall) -> None:
    season = season_of(format="swiss")
    skipping.skip(first(season), 1)
    run_seasons(wall.now)
    assert sizes(season) == [3]
    assert "drawn once enough tables" in next_table_text(season, first(season))
    assert is_sound(season)


def test_the_other_of_a_skipped_duel_has_a_bye(wall: Wall) -> None:
    season = season_of(2, size=2)
    world.begin(season)
    skipping.skip(first(season), 2)
    world.finish_running(season)
    run_seasons(wall.now)
    assert sizes(season) == [2]
    (bye,) = season.divisions.get().rounds.get(number=2).byes.all()
    assert bye.entry != first(season)
    assert is_sound(season)


# Being away


def test_a_table_waits_for_a_player_who_is_away_and_begins_when_they_are_back(wall: Wall) -> None:
    season = season_of(table_days=40)
    away(first(season).user, wall, 3)
    run_seasons(wall.now)
    assert sizes(season) == [None, None]
    season.refresh_from_db()
    assert season.next_action_at is not None
    assert 2 * DAY < season.next_action_at - wall.now <= 3 * DAY
    assert "waits for players who are away" in next_table_text(season, first(season))
    assert is_sound(season)
    wall.now = season.next_action_at
    run_seasons(wall.now)
    assert sizes(season) == [4, None]


def test_a_table_waits_a_quarter_of_its_days_and_then_begins_without_them(wall: Wall) -> None:
    season = season_of(table_days=40)
    away(first(season).user, wall, 30)
    run_seasons(wall.now)
    wall.now += 10 * DAY
    run_seasons(wall.now)
    assert sizes(season) == [3, None]
    event = season.events.get(kind=AuditEvent.Kind.LEFT_OUT)
    assert list(event.touched.all()) == [first(season).user]
    assert absent.emails("league_event") == [first(season).user]
    assert "You were away for too long" in event_text(
        event, {first(season).user.pk: "Anna"}, first(season).user
    )
    assert is_sound(season)


def test_a_table_begins_as_soon_as_its_player_comes_back_early(wall: Wall) -> None:
    season = season_of(table_days=40)
    user = first(season).user
    holiday = announce_holiday(user, wall.now.date() + DAY, wall.now.date() + 5 * DAY)
    wall.now += DAY
    run_seasons(wall.now)
    assert sizes(season) == [None, None]
    cancel_holiday(user, holiday.pk)  # ends today
    wall.now += DAY
    run_seasons(wall.now)
    assert sizes(season) == [4, None]


def test_players_of_a_table_that_waits_play_their_next_one(wall: Wall) -> None:
    season = season_of(6, size=2, rounds=3, tables_at_once=1)
    away(first(season).user, wall, 10)
    run_seasons(wall.now)
    running = LeagueTable.objects.running()
    assert running.count() == 2
    assert not running.filter(assignments__entry=first(season)).exists()


# Withdrawing


def test_all_running_tables_go_to_substitutes_and_planned_ones_begin_without_the_player(wall: Wall) -> None:
    season = season_of(tables_at_once=2, rounds=3)
    helpers = world.people(2, "Helper")
    run_seasons(wall.now)
    absent.help_in(season, *helpers)
    entry = first(season)
    withdrawals.withdraw(entry, note="Mind the Courtesan")
    seats = OpenSeat.objects.filter(left_by=entry.user)
    assert [absent.asked(seat) for seat in seats.order_by("pk")] == [[helper] for helper in helpers]
    assert set(seats.values_list("note", flat=True)) == {"Mind the Courtesan"}
    assert absent.emails("league_gap") == helpers  # they may take the place, as no one waits for it
    world.finish_running(season)
    run_seasons(wall.now)
    assert sizes(season) == [4, 4, 3]
    assert is_sound(season)


# The page


def test_the_page_of_a_season_says_what_comes_next_and_lets_its_reader_skip_it(
    wall: Wall, signed_in: Any
) -> None:
    season = season_of()
    run_seasons(wall.now)
    client = signed_in(first(season).user)
    path = f"/leagues/{season.league_id}/season/1/"
    page = client.get(path).content.decode()
    assert "Your season" in page
    assert "Your next table begins once your table is over" in page
    for _twice in range(2):
        page = client.post(f"{path}skip/", {"round": "2"}, follow=True).content.decode()
    assert "You skip your next table." in page
    assert "Play your next table after all" in page
    client.post(f"{path}skip/", {"round": "2", "action": "undo-skip"})
    assert first(season).skipped == []
    page = client.post(f"{path}skip/", {"round": "x"}, follow=True).content.decode()
    assert "Nothing was changed." in page
