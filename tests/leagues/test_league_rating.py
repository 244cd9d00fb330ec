"""Ratings are recomputed when a table is collected, and when it counts or no longer counts."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import User
from games.leagues.models import LeagueTable, Rating, Season, SubstituteOffer
from games.leagues.results.stored_facts import facts_of
from games.leagues.services import offer_answers, withdrawals
from games.leagues.services.awards import award
from games.leagues.services.founding import change_league
from games.leagues.services.league_ratings import rate_new, rated_games
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.result_collection import collect, collect_finished
from games.models import LogEntry
from games.models.matches import last_game
from games.services import adjudicate, come_back
from tests.clocks.passing import HOUR, Wall
from tests.games.playing import play_until
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db

Ratings = dict[str, tuple[float, float, int]]


@pytest.fixture
def season(wall: Wall, anna: User, bruno: User, carla: User) -> Season:
    return world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=3)


def seated(season: Season, number: int = 1) -> LeagueTable:
    """A round's only table."""
    people = [entry.user for entry in season.entries.order_by("pk")]
    return world.seat_by_hand(season.divisions.get().rounds.get(number=number), people)[0]


def over(season: Season, wall: Wall, *seeds: int) -> list[LeagueTable]:
    """Tables that ended an hour after each other, and are not collected."""
    tables = []
    for number, seed in enumerate(seeds, start=1):
        wall.now += HOUR
        tables.append(seated(season, number))
        world.finish(tables[-1], seed)
    return tables


def ratings() -> Ratings:
    return {one.user.name: (one.mu, one.sigma, one.tables) for one in Rating.objects.select_related("user")}


def rate(wall: Wall) -> int:
    collect_finished(wall.now)
    return rate_new(wall.now)


def test_a_beat_rates_what_is_over_and_the_next_one_finds_nothing(season: Season, wall: Wall) -> None:
    (table,) = over(season, wall, 1)
    run_seasons(wall.now)
    rated = ratings()
    assert len(rated) == 3
    assert rate_new(wall.now) == 0
    won = [seat.seated for seat in facts_of(LeagueTable.objects.get(pk=table.pk)).seats if seat.won]
    winner = season.entries.get(user=won[0]).user.name
    assert max(rated, key=lambda name: rated[name][0]) == winner
    assert rate_new(wall.now) == 0
    assert ratings() == rated


def test_tables_are_rated_in_the_order_in_which_they_ended(season: Season, wall: Wall) -> None:
    first, second = over(season, wall, 1, 2)
    assert collect(second, wall.now)
    assert rate_new(wall.now) == 1
    assert collect(first, wall.now)
    assert rate_new(wall.now) == 1
    late = ratings()
    LeagueTable.objects.update(rated_at=None)
    assert rate_new(wall.now) == 2
    assert ratings() == late
    assert [game.key for game in sorted(rated_games("2007"), key=lambda game: game.at)] == [
        first.table_id,
        second.table_id,
    ]


def test_someone_who_leaves_loses_and_who_takes_their_seat_never_does(
    season: Season, wall: Wall, bruno: User, elena: User
) -> None:
    table = seated(season)
    absent.help_in(season, elena)
    withdrawals.withdraw(season.entries.get(user=bruno))
    absent.tick()
    offer_answers.accept(absent.the_ask(elena))
    world.finish(table)
    rate(wall)
    rated = ratings()
    assert rated["Bruno"][0] < 25 == rated.get("Elena", (25,))[0] or rated["Elena"][0] > 25
    assert rated["Bruno"][1] == pytest.approx(25 / 3)
    assert SubstituteOffer.objects.get().answer == SubstituteOffer.Answer.ACCEPTED


@pytest.mark.parametrize("is_back", [False, True])
def test_a_seat_that_a_bot_plays_to_the_end_was_left_unless_its_player_comes_back(
    season: Season, wall: Wall, bruno: User, is_back: bool
) -> None:
    table = seated(season)
    absent.stay_away(table, bruno)
    if is_back:
        come_back(world.seat_at(table, bruno))
    world.finish(table)
    rate(wall)
    assert (ratings()["Bruno"][1] == pytest.approx(25 / 3)) != is_back


def test_the_clock_that_answers_to_the_end_is_no_one_who_stayed(
    season: Season, wall: Wall, bruno: User
) -> None:
    (table,) = over(season, wall, 1)
    seat = world.seat_at(table, bruno).number
    game = world.game_at(table)
    last = LogEntry.objects.filter(game=game, seat=seat).order_by("-ply")[: table.table.most_misses]
    LogEntry.objects.filter(pk__in=[entry.pk for entry in last]).update(via="clock")
    rate(wall)
    assert ratings()["Bruno"][1] == pytest.approx(25 / 3)
    assert ratings()["Anna"][1] < 25 / 3


def test_no_private_league_shows_in_ratings_nor_one_made_private_later(
    season: Season, wall: Wall, anna: User
) -> None:
    over(season, wall, 1)
    rate(wall)
    rated = ratings()
    for is_private, expected in ((True, {}), (False, rated)):
        told: dict[str, Any] = {"name": "Autumn League", "about": "", "reason": "So we decided"}
        change_league(season.league, anna, is_private=is_private, **told)
        assert rate_new(wall.now) == 1
        assert ratings() == expected


def test_points_awarded_by_an_organiser_take_a_table_out(season: Season, wall: Wall, anna: User) -> None:
    table, _second = over(season, wall, 1, 2)
    rate(wall)
    both = ratings()
    award(table, anna, [5, 0, None], "Two of them were one person")
    assert rate_new(wall.now) == 1
    assert ratings() != both
    assert {tables for _mu, _sigma, tables in ratings().values()} == {1}


@pytest.mark.parametrize("with_winner", [False, True])
def test_a_late_table_is_rated_where_someone_won_it(season: Season, wall: Wall, with_winner: bool) -> None:
    table = seated(season)
    play_until(last_game(table.table), lambda state, _decision: any(state.holdings))
    adjudicate(table.table, with_winner=with_winner, now=wall.now)
    rate(wall)
    assert bool(ratings()) == with_winner


@pytest.mark.sqlite
def test_each_edition_has_ratings_of_its_own(season: Season, wall: Wall) -> None:
    over(season, wall, 1)
    rate(wall)
    older = world.TERMS | {"options_json": {"edition": "1995", "variants": []}}
    people = [entry.user for entry in season.entries.order_by("pk")]
    other = world.a_running_season(people[0], people, size=3, rounds=1, terms=older)
    over(other, wall, 2)
    rate(wall)
    assert sorted(Rating.objects.values_list("edition", "tables")) == [("1995", 1)] * 3 + [("2007", 1)] * 3


def test_an_altered_fact_is_named(season: Season, wall: Wall, capsys: pytest.CaptureFixture[str]) -> None:
    over(season, wall, 1)
    run_seasons(wall.now)
    row = LeagueTable.objects.get(facts__isnull=False)
    row.facts["seats"][0]["regions"] += 1
    row.save()
    with pytest.raises(SystemExit):
        call_command("check_leagues")
    assert "its stored result is" in capsys.readouterr().out


def test_a_broken_edition_stops_no_other(season: Season, wall: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    from games.leagues.services import league_ratings

    over(season, wall, 1)
    collect_finished(wall.now)
    monkeypatch.setattr(league_ratings, "rated_games", lambda _edition: 1 / 0)
    assert rate_new(wall.now) == 0
    monkeypatch.undo()
    assert rate_new(wall.now) == 1
