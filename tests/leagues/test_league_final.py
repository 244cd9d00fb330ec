"""The final of a season: who plays it, when it begins, and who wins the season by it."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import strip_tags

from accounts.availability import announce_holiday
from accounts.models import User
from games.leagues.integrity import recomputed
from games.leagues.models import Award, LeagueTable, Registration, Season, Standing
from games.leagues.scoring.table_facts import SeatCorrection
from games.leagues.selectors.all_time import all_time_table
from games.leagues.selectors.date_rules import expected_dates
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.selectors.season_rules import rules_of
from games.leagues.selectors.season_summary import winners_of
from games.leagues.services.awards import award
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.plan_checks import PLAN, problems_of
from games.leagues.services.withdrawals import withdraw
from games.narration.cast import and_list
from tests import recompute_season
from tests.clocks.passing import Wall, emails
from tests.leagues import world
from tests.leagues.league_pages import path_of, read, words_of
from tests.leagues.test_league_random_seasons import run_ticks
from tests.leagues.world import DAY

FIVE = ("Anna", "Bruno", "Carla", "Dario", "Elena")
OTHERS = ("Fabio", "Gina", "Hugo")
Final = Season.Final

pytestmark = pytest.mark.django_db


def named(*names: str) -> list[User]:
    return [world.person(name) for name in names]


def before_the_final(wall: Wall, *divisions: list[User], **plan: Any) -> Season:
    """A season of one round whose tables were awarded so that everyone stands in the order given."""
    most = {"rounds": 1, "size": 5, "most_divisions": len(divisions), "final": Final.FIRST}
    season = world.a_running_season(divisions[0][0], *divisions, **(most | plan))
    for division, players in zip(season.divisions.order_by("level"), divisions, strict=True):
        (table,) = world.seat_by_hand(division.rounds.get(), players)
        world.finish(table)
        points = list(range(len(players), 0, -1))
        Award.objects.create(table=table, points=points, reason="By hand.", by=players[0])
    return season


def final_of(season: Season) -> LeagueTable:
    return LeagueTable.objects.get(round__division__season=season, round__is_final=True)


def seated(season: Season) -> list[str]:
    rows = final_of(season).assignments.order_by("position").select_related("entry__user")
    return [row.entry.user.name for row in rows]


def away(wall: Wall, user: User, days: int) -> None:
    """Announce a holiday of so many days from tomorrow on."""
    first = wall.now.date() + timedelta(days=1)
    announce_holiday(user, first, first + timedelta(days=days - 1))


def end_with(season: Season, wall: Wall, *places: int) -> None:
    """Play the final, correct it to these places of its seats, and close the season."""
    table = final_of(season)
    world.finish(table)
    run_seasons(wall.now)
    organiser = season.league.organisers.get().user
    results = [SeatCorrection(place, 1) for place in places]
    award(LeagueTable.objects.get(pk=table.pk), organiser, [None] * len(places), "So it was.", results)


def winner_of(season: Season) -> str:
    season.refresh_from_db()
    return winners_of([season]).get(season.pk, "")


def is_sound(season: Season) -> bool:
    """Whether the site and the script that knows nothing of it find the same."""
    file = json.loads(read(Client(), path_of("season_json", season)))
    assert recompute_season.winner(file) == file["winner"]
    for division in file["divisions"]:
        assert recompute_season.recomputed(file, division) == recompute_season.stated(division)
    return recomputed(Season.objects.get(pk=season.pk)) == []


def test_the_first_four_play_it_in_the_order_of_their_places(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    season.refresh_from_db()
    assert season.state == Season.State.RUNNING
    assert seated(season) == ["Anna", "Bruno", "Carla", "Dario"]
    assert final_of(season).ends_at == wall.now + season.table_days * DAY
    told = {email.to_user.name for email in emails("league_table") if email.to_user}
    assert told == {"Anna", "Bruno", "Carla", "Dario"}
    assert is_sound(season)


def test_its_winner_wins_the_season_and_points_stay_those_before_it(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    world.finish(final_of(season))
    run_ticks(wall)
    (won,) = Standing.objects.filter(won_final=True).select_related("entry__user")
    table = final_of(season)
    assert table.facts is not None
    assert winner_of(season) == won.entry.user.name
    best = min(range(4), key=lambda seat: (table.facts or {})["seats"][seat]["place"])
    assert won.entry.user.name == seated(season)[best]
    assert list(Standing.objects.order_by("place").values_list("points", flat=True)) == list("54321")
    assert set(Standing.objects.values_list("tables", flat=True)) == {1}
    assert is_sound(season)
    call_command("check_leagues", stdout=StringIO())


def test_its_winner_has_the_title(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    end_with(season, wall, 2, 3, 1, 4)
    assert winner_of(season) == "Carla"
    titles = {row.name: row.titles for row in all_time_table(season.league)}
    assert titles == dict.fromkeys(FIVE, 0) | {"Carla": 1}


@pytest.mark.long
def test_a_correction_of_the_final_makes_another_the_winner(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    end_with(season, wall, 2, 3, 1, 4)
    assert winner_of(season) == "Carla"
    assert is_sound(season)


def test_of_several_in_first_place_the_higher_in_the_standings_wins(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    end_with(season, wall, 3, 1, 1, 4)
    assert winner_of(season) == "Bruno"
    assert is_sound(season)


def test_the_first_of_each_division_play_it(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE), named(*OTHERS), final=Final.DIVISIONS)
    run_ticks(wall)
    assert seated(season) == ["Anna", "Fabio"]
    assert is_sound(season)
    end_with(season, wall, 2, 1)
    assert winner_of(season) == "Fabio"
    assert is_sound(season)
    assert not Standing.objects.filter(next_level__isnull=False, place=1).exclude(next_level__in=(1, 2))


def test_a_division_of_three_plays_a_final_of_three(wall: Wall) -> None:
    season = before_the_final(wall, named(*OTHERS), size=3)
    run_ticks(wall)
    assert seated(season) == list(OTHERS)
    assert is_sound(season)


def test_duels_have_a_final_of_two(wall: Wall) -> None:
    season = before_the_final(wall, named("Anna", "Bruno"), size=2)
    run_ticks(wall)
    assert seated(season) == ["Anna", "Bruno"]


def test_who_is_away_is_waited_for_as_at_other_tables(wall: Wall) -> None:
    players = named(*FIVE)
    season = before_the_final(wall, players, table_days=20)
    away(wall, players[1], 3)
    wall.now += DAY
    run_ticks(wall)
    assert not LeagueTable.objects.filter(round__is_final=True).exists()
    page = words_of(read(Client(), path_of("season", season)))
    assert "Final Anna, Bruno, Carla and Dario The final waits for players who are away." in page
    assert is_sound(season)
    wall.now += 3 * DAY
    run_ticks(wall)
    assert seated(season) == ["Anna", "Bruno", "Carla", "Dario"]


def test_after_the_wait_the_next_place_plays(wall: Wall) -> None:
    players = named(*FIVE)
    season = before_the_final(wall, players, table_days=20)
    away(wall, players[1], 30)
    wall.now += DAY
    run_ticks(wall)
    wall.now += season.away_days * DAY
    run_ticks(wall)
    assert seated(season) == ["Anna", "Carla", "Dario", "Elena"]
    assert is_sound(season)


def test_the_next_of_a_division_plays_for_who_is_away(wall: Wall) -> None:
    players = named(*OTHERS)
    season = before_the_final(wall, named(*FIVE), players, final=Final.DIVISIONS, table_days=20)
    away(wall, players[0], 30)
    wall.now += DAY
    run_ticks(wall)
    wall.now += season.away_days * DAY
    run_ticks(wall)
    assert seated(season) == ["Anna", "Gina"]


def test_a_holiday_that_is_announced_while_it_waits_counts(wall: Wall) -> None:
    players = named(*FIVE)
    season = before_the_final(wall, players, table_days=20)
    away(wall, players[1], 2)
    wall.now += DAY
    run_ticks(wall)
    away(wall, players[2], 4)
    wall.now += 2 * DAY
    run_ticks(wall)
    assert not LeagueTable.objects.filter(round__is_final=True).exists()
    wall.now += 3 * DAY
    run_ticks(wall)
    assert seated(season) == ["Anna", "Bruno", "Carla", "Dario"]


def test_who_left_does_not_play_and_who_leaves_cannot_win(wall: Wall) -> None:
    players = named(*FIVE)
    season = before_the_final(wall, players)
    withdraw(season.entries.get(user=players[0]))
    run_ticks(wall)
    assert seated(season) == ["Bruno", "Carla", "Dario", "Elena"]
    withdraw(season.entries.get(user=players[2]))
    end_with(season, wall, 2, 1, 3, 4)
    assert winner_of(season) == "Bruno"
    assert is_sound(season)


def test_without_two_players_the_standings_decide(wall: Wall) -> None:
    players = named(*OTHERS)
    season = before_the_final(wall, players, size=3)
    for player in players[:2]:
        withdraw(season.entries.get(user=player))
    run_ticks(wall)
    assert not LeagueTable.objects.filter(round__is_final=True).exists()
    assert winner_of(season) == "Hugo"
    assert is_sound(season)


def test_an_anonymous_private_final_tells_no_seat(wall: Wall) -> None:
    terms = world.TERMS | {"is_anonymous": True}
    players = named(*FIVE)
    season = before_the_final(wall, players, terms=terms)
    season.league.is_private = True
    season.league.save()
    run_ticks(wall)
    member = Client()
    member.force_login(players[4])
    page = read(member, path_of("season", season))
    assert and_list(sorted(seated(season))) in page
    table = final_of(season)
    seats = read(member, path_of("league_table", season, 1, table.round.number, 1))
    assert "The seats are secret until the end." in seats
    assert Client().get(path_of("season", season)).status_code != 200
    assert recomputed(Season.objects.get(pk=season.pk)) == []


def test_the_plans_dates_have_room_for_it(wall: Wall) -> None:
    plan = {"rounds": 1, "table_days": 30, "extension_days": 10, "terms": world.TERMS | {"pace": "day"}}
    season = world.a_season(world.a_league(world.person("Anna")), **plan)
    without = strip_tags(" ".join(expected_dates(season)))
    assert f"would end around {season.begins_at + 40 * DAY:%A} {(season.begins_at + 40 * DAY).day}" in without
    assert "The final" not in without
    season.final = Final.FIRST
    told = strip_tags(" ".join(expected_dates(season)))
    assert f"would end around {season.begins_at + 80 * DAY:%A} {(season.begins_at + 80 * DAY).day}" in told
    assert "The final begins once all tables are over, and usually takes about 14 days." in told


def test_its_pages_and_rules_name_it(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    rules = {rule.key: rule.sentences for rule in rules_of(season)}
    assert any("the first four of the highest division play a final" in one for one in rules["after"])
    run_ticks(wall)
    number = final_of(season).round.number
    assert number == 2
    for path in (path_of("round", season, 1, number), path_of("league_table", season, 1, number, 1)):
        page = read(Client(), path)
        assert "Final" in page
        assert "Round 2" not in page
    world.finish(final_of(season))
    run_ticks(wall)
    page = read(Client(), path_of("league_table", season, 1, number, 1))
    assert "It gives no points." in page
    assert "1st place" in page
    assert "1st place:" not in page, "that would be points"
    assert "Final" in read(Client(), path_of("division", season, 1))
    page = read(Client(), path_of("season", season))
    assert f"{winner_of(season)} won season 1." in page
    told = [line.text for line in lines_of(events_of(season.league), with_reasons=True)]
    assert "The final began with Anna, Bruno, Carla and Dario." in told


@pytest.mark.parametrize(
    ("final", "divisions", "is_wrong"),
    [
        (Final.FIRST, 1, False),
        (Final.DIVISIONS, 1, True),
        (Final.DIVISIONS, 2, False),
        (Final.DIVISIONS, 6, False),
        (Final.DIVISIONS, 7, True),
    ],
)
def test_a_final_of_divisions_needs_two_to_six(
    wall: Wall, final: str, divisions: int, is_wrong: bool
) -> None:
    season = world.a_season(world.a_league(world.person("Anna")), final=final, most_divisions=divisions)
    plan = {name: getattr(season, name) for name in PLAN}
    assert ("final" in problems_of(plan, wall.now)) == is_wrong


SEEDS = [pytest.param(seed, marks=pytest.mark.long) if seed else seed for seed in range(20)]


@pytest.mark.parametrize("seed", SEEDS)
def test_in_random_seasons_the_best_who_can_play_do(wall: Wall, seed: int) -> None:
    """A rule written once more: the seat of a player who is away or left goes to the next."""
    rng = Random(seed)
    divisions = [world.people(rng.choice((3, 4, 5)), f"P{level}") for level in range(rng.choice((1, 2, 3)))]
    kind = rng.choice((Final.FIRST, Final.DIVISIONS)) if len(divisions) > 1 else Final.FIRST
    season = before_the_final(wall, *divisions, final=kind, table_days=8)
    gone, absent = set(), set()
    for player in [player for players in divisions for player in players]:
        if rng.random() < 0.2:
            withdraw(season.entries.get(user=player))
            gone.add(player)
        elif rng.random() < 0.3:
            away(wall, player, 30)
            absent.add(player)
    wall.now += DAY
    run_ticks(wall)
    assert is_sound(season)
    wall.now += 2 * DAY
    run_ticks(wall)
    assert is_sound(season)
    groups = divisions[:1] if kind == Final.FIRST else divisions
    seats = 4 if kind == Final.FIRST else 1
    staying = [[player for player in group if player not in gone] for group in groups]
    here = [[player for player in group if player not in absent][:seats] for group in staying]
    begun = LeagueTable.objects.filter(round__is_final=True)
    season.refresh_from_db()
    if sum([len(group[:seats]) for group in staying]) < 2:
        assert season.state == Season.State.CLOSED
        assert not begun.exists()
    elif sum(map(len, here)) < 2:
        assert season.state == Season.State.RUNNING
        assert not begun.exists()
        wall.now += 30 * DAY
        run_ticks(wall)
        assert begun.exists()
    else:
        assert seated(season) == [player.name for group in here for player in group]
    if begun.exists():
        world.finish(begun.get())
        run_ticks(wall)
        season.refresh_from_db()
        assert season.state == Season.State.CLOSED
        assert Standing.objects.filter(won_final=True).count() == 1
    assert is_sound(season)
    assert season.entries.exclude(state=Registration.State.PLAYING).count() == len(gone)
