"""Results are collected, and standings computed from them are compared with hand-computed ones."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import services
from games.leagues.integrity import recomputed
from games.leagues.models import Award, LeagueTable, Season
from games.leagues.results.division_standings import division_standings
from games.leagues.results.stored_facts import facts_json, facts_of
from games.leagues.results.table_results import facts_of_table
from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.services.result_collection import collect, collect_finished
from games.models import Seat
from tests.clocks.passing import Wall
from tests.games.playing import play_until
from tests.leagues import world
from tests.leagues.played_by_hand import CAME_TO, NAMES, WON, played


def standing_of(season: Season) -> list[tuple[str, Fraction]]:
    computed = division_standings(season.divisions.get())
    return [(computed.entries[row.player].user.name, row.points) for row in computed.standings.rows]


def test_each_table_came_to_what_was_reckoned_with(wall: Wall) -> None:
    season = played()
    for table, came_to, winner in zip(LeagueTable.objects.order_by("pk"), CAME_TO, WON, strict=True):
        facts = facts_of(table)
        names = {entry.user_id: entry.user.name for entry in season.entries.select_related("user")}
        found = {names[seat.seated or 0]: (seat.regions, seat.bonus) for seat in facts.seats}
        assert found == came_to
        assert [names[seat.seated or 0] for seat in facts.seats if seat.won] == [winner]


def test_by_points_of_regions(wall: Wall) -> None:
    # Anna 5 + 10 + 3; Elena 2 + 5, and 3 for the round she sat out, what a seat brought on average; Dario
    # 2 + 2 and 2; Bruno 2 + 2 + 1; Carla 1 + 1 and 1.
    assert standing_of(played(scoring="points")) == [
        ("Anna", 18),
        ("Elena", 10),
        ("Dario", 6),
        ("Bruno", 5),
        ("Carla", 3),
    ]


def test_by_places(wall: Wall) -> None:
    # 6, 3, 1 and 0. Round 1: Bruno and Dario share the second place, 2 each. Round 2: three share it, 4/3
    # each. Round 3: Carla and Bruno share the last two, 1/2 each. Anyone who sits out has their average, and
    # Elena 5/2, what a seat brought on average.
    assert standing_of(played(scoring="placement")) == [
        ("Anna", 15),
        ("Elena", Fraction(59, 6)),
        ("Dario", 5),
        ("Bruno", Fraction(23, 6)),
        ("Carla", Fraction(3, 4)),
    ]


def test_by_places_with_points_of_ones_own_and_nothing_for_someone_who_sits_out(wall: Wall) -> None:
    # 10, 5, 2 and 0: Bruno 7/2 + 7/3 + 1, Dario 7/2 + 7/3, Elena 7/3 + 10, Anna 10 + 10 + 5, Carla 0 + 1.
    season = played(scoring="placement", placement=[10, 5, 2, 0], bye_points="nothing")
    assert standing_of(season) == [
        ("Anna", 25),
        ("Elena", Fraction(37, 3)),
        ("Bruno", Fraction(41, 6)),
        ("Dario", Fraction(35, 6)),
        ("Carla", 1),
    ]


def test_by_victories_and_then_by_regions(wall: Wall) -> None:
    # Bruno, Dario and Carla have met each other and won nothing: they held 5, 4 and 2 regions.
    season = played(scoring="wins")
    assert standing_of(season) == [
        ("Anna", 2),
        ("Elena", Fraction(5, 4)),  # for the bye ¼, what a seat brought on average
        ("Bruno", 0),
        ("Dario", 0),
        ("Carla", 0),
    ]
    rows = division_standings(season.divisions.get()).standings.rows
    assert [row.decided_by and (row.decided_by.tie_break, row.decided_by.value) for row in rows] == [
        None,
        None,
        None,
        (TieBreak.REGIONS, 4),
        (TieBreak.REGIONS, 2),
    ]


def test_what_was_computed_is_what_is_stored(wall: Wall) -> None:
    season = played()
    season.refresh_from_db()
    assert recomputed(season) == []


@pytest.mark.long
def test_a_wrong_copy_is_found(wall: Wall) -> None:
    season = played()
    table = LeagueTable.objects.earliest("pk")
    table.facts["seats"][0]["regions"] += 1
    table.save()
    season.refresh_from_db()
    assert any("its stored result is" in told for told in recomputed(season))


@pytest.mark.long
def test_an_award_stands_instead_of_what_was_played(wall: Wall) -> None:
    season = played(scoring="points")
    table = LeagueTable.objects.earliest("pk")
    for points in ([0, 0, 0, 0], [None, None, None, 7]):
        Award.objects.create(table=table, points=points, reason="They agreed.", by=world.person("Anna"))
    points = dict(standing_of(season))
    assert points["Anna"] == 18
    assert points["Dario"] == 7 + 2 + Fraction(41, 12)  # a bye gives at most what a seat gave on average
    facts = facts_of(LeagueTable.objects.get(pk=table.pk))
    assert (facts.reason, facts.how) == ("They agreed.", TableEnding.RULES)
    season.refresh_from_db()
    assert recomputed(season) == []


@pytest.mark.long
def test_a_seat_that_changed_hands_is_shared_by_turns(wall: Wall) -> None:
    people = [world.person(name) for name in NAMES]
    season = world.a_running_season(people[0], people[:4], rounds=1, scoring="placement")
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(), people[:4])
    game = world.game_at(table)
    play_until(game, lambda state, _decision: state.ply >= 30)
    services.give_up(world.seat_at(table, people[0]))
    services.fill_seat(Seat.objects.get(table=table.table_id, number=0), people[4])
    world.finish(table)
    collect_finished(wall.now)
    computed = division_standings(season.divisions.get())
    (help_,) = computed.standings.substitute_results
    row = next(row for row in computed.standings.rows if row.player == people[0].pk)
    assert computed.people[help_.player] == people[4]
    own = game.log.filter(seat=0, ply__lt=game.seat_changes.latest("pk").ply, via="web").count()
    bots = game.log.filter(seat=0, via="bot").count()
    turns = game.log.filter(seat=0).count()
    assert row.results[0].share == Fraction(own, turns)
    assert help_.share == Fraction(turns - own - bots, turns)
    season.refresh_from_db()
    assert recomputed(season) == []
    table.assignments.get(position=0).delete()  # as if someone had altered the database
    assert any("but these assignments" in told for told in recomputed(season))


def test_only_what_is_over_is_collected_and_once(wall: Wall) -> None:
    people = world.people(8)
    season = world.a_running_season(people[0], people, rounds=1)
    over, running = world.seat_by_hand(season.divisions.get().rounds.get(), people[:4], people[4:])
    world.finish(over)
    assert collect_finished(wall.now) == 1
    assert collect_finished(wall.now) == 0
    assert not collect(running, wall.now)
    over.refresh_from_db()
    assert over.facts == facts_json(facts_of_table(over))
    assert over.collected_at == wall.now


def test_a_broken_log_stops_no_other_table(wall: Wall, caplog: pytest.LogCaptureFixture) -> None:
    people = world.people(8)
    season = world.a_running_season(people[0], people, rounds=1)
    tables = world.seat_by_hand(season.divisions.get().rounds.get(), people[:4], people[4:])
    for table in tables:
        world.finish(table)
    world.game_at(tables[0]).log.filter(ply=0).update(move="nonsense")
    assert collect_finished(wall.now) == 1
    tables[1].refresh_from_db()
    assert tables[1].collected_at == wall.now
    assert "could not go on" in caplog.text


def test_a_standing_asks_as_often_for_three_tables_as_for_one(wall: Wall) -> None:
    season = played()
    division = season.divisions.select_related("season").get()
    with CaptureQueriesContext(connection) as of_three:
        division_standings(division)
    LeagueTable.objects.filter(round__number__gt=1).update(facts=None)
    with CaptureQueriesContext(connection) as of_one:
        division_standings(division)
    assert len(of_one) == len(of_three) <= 5
