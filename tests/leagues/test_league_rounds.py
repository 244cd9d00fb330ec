"""Rounds are drawn, tables begin as their players have room, are late and end: seats, dates and emails."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from games import services
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, LeagueTable, Registration, Round, Season, SeatAssignment
from games.leagues.results.drawn_rounds import seated_rounds
from games.leagues.seating import history_of
from games.leagues.services.adjudication import adjudicate_late
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.result_collection import collect
from games.leagues.services.round_draws import draw_rounds
from games.leagues.services.table_deadlines import extend_late, give_back_outages
from games.leagues.services.table_reminders import remind_late
from games.models import Heartbeat, Outage, Table
from tests.clocks.passing import Wall, emails
from tests.games.playing import play_until
from tests.leagues import world
from tests.leagues.world import DAY


def begun(wall: Wall, count: int, **plan: Any) -> tuple[Season, Round]:
    """A season of so many in one division, and its first round, whose tables have begun."""
    players = world.people(count)
    season = world.a_running_season(players[0], players, **plan)
    world.begin(season, wall.now)
    return season, season.divisions.get().rounds.get(number=1)


def seated_at(round_: Round) -> list[list[str]]:
    return [
        [assignment.entry.user.shown_name for assignment in table.assignments.order_by("position")]
        for table in round_.tables.order_by("number")
    ]


def numbers(season: Season) -> list[int]:
    """The rounds of the tables that run, in order."""
    running = LeagueTable.objects.running().filter(round__division__season=season)
    return list(running.order_by("round__number", "number").values_list("round__number", flat=True))


def out(entry: Registration, state: str = "withdrawn") -> None:
    entry.state = state
    entry.save()


# They begin


def test_everyone_has_a_seat_and_an_email(wall: Wall) -> None:
    season, round_ = begun(wall, 8)
    assert sorted(name for table in seated_at(round_) for name in table) == [
        f"Player{number:02}" for number in range(1, 9)
    ]
    assert {table.ends_at for table in round_.tables.all()} == {wall.now + season.table_days * DAY}
    assert {email.to_user_id for email in emails("league_table")} == {
        entry.user_id for entry in season.entries.all()
    }
    assert season.events.filter(kind=AuditEvent.Kind.ROUND_DRAWN, round=round_, by=None).count() == 1


def test_the_tables_play_by_the_season_and_say_what_they_are_part_of(wall: Wall) -> None:
    season, round_ = begun(wall, 4, terms=world.TERMS | {"chat": "none", "pace": "week"})
    table = round_.tables.get().game_table
    assert (table.chat, table.pace, table.host) == ("none", "week", None)
    assert table.state == Table.State.PLAYING
    assert table.name == "Autumn League: round 1, table 1"
    assert table.source == "Autumn League, season 1, round 1"
    assert table.source_path == (f"/leagues/{season.league_id}/season/1/division/1/round/1/table/1/")
    game = table.games.get()
    assert game.is_first_set
    assert game.first_condottiere == 0


def test_a_long_name_is_cut_and_the_division_told(wall: Wall) -> None:
    players = world.people(8)
    league = world.a_league(players[0], "The Most Serene League of Northern Condottieri in Autumn")
    season = world.running(
        world.a_season(league, most_divisions=2, division_size=4), players[:4], players[4:]
    )
    world.begin(season)
    table = season.divisions.get(level=2).rounds.get(number=1).tables.get().game_table
    assert table.name == "The Most Serene League of Northern Con…: B, round 1, table 1"
    assert len(table.name) <= 60
    assert "division B, round 1" in table.source


def test_a_balanced_season_is_drawn_at_its_start_and_not_before(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(players[0], players, rounds=3)
    world.begin(season, wall.now - timedelta(seconds=1))
    assert not LeagueTable.objects.exists()
    world.begin(season)
    world.begin(season)
    assert list(seated_rounds(season.divisions.get())) == [1, 2, 3]
    assert numbers(season) == [1, 1]
    assert LeagueTable.objects.planned().count() == 4


def test_two_tables_at_once_are_told_in_one_email(wall: Wall) -> None:
    season, _round = begun(wall, 4, rounds=3, tables_at_once=2)
    assert numbers(season) == [1, 2]
    assert sorted(len(email.context["tables"]) for email in emails("league_table")) == [2] * 4


def test_a_table_that_takes_its_time_holds_up_no_one_but_its_players(wall: Wall) -> None:
    season, first = begun(wall, 8, rounds=4, size=2)
    slow = first.tables.order_by("number")[0]
    while running := list(LeagueTable.objects.running().exclude(pk=slow.pk)):
        services.adjudicate(running[-1].game_table, with_winner=False, now=wall.now)
        run_seasons(wall.now)
    held = {at.entry_id for at in slow.assignments.all()}
    for left in LeagueTable.objects.filter(collected_at=None):
        assert held & {at.entry_id for at in left.assignments.all()}
    assert LeagueTable.objects.filter(collected_at__isnull=False).count() == 16 - 7
    season.refresh_from_db()
    assert season.state == Season.State.RUNNING


@pytest.mark.parametrize("at_once", [2, *(pytest.param(number, marks=pytest.mark.long) for number in (1, 3))])
def test_no_one_plays_more_than_the_season_says_and_every_table_is_played(wall: Wall, at_once: int) -> None:
    """In whatever order tables end."""
    chance = Random(at_once)
    season, _round = begun(wall, 7, size=3, rounds=4, tables_at_once=at_once)
    planned = LeagueTable.objects.count()
    while running := list(LeagueTable.objects.running().order_by("pk")):
        seats = SeatAssignment.objects.filter(table__in=running).values_list("entry", flat=True)
        assert max(Counter(seats).values()) <= at_once
        services.adjudicate(chance.choice(running).game_table, with_winner=False, now=wall.now)
        run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    assert LeagueTable.objects.filter(collected_at__isnull=False).count() == planned
    assert recomputed(season) == []


# Seating


@pytest.mark.long
def test_a_planned_season_meets_as_its_plan_has_it(wall: Wall) -> None:
    season, _first = begun(wall, 16, size=4, rounds=5, format="all", division_size=16)
    past = history_of(seated_rounds(season.divisions.get()).values())
    assert len(past.meetings) == 16 * 15 // 2
    assert set(past.meetings.values()) == {1}


def test_who_sits_out_is_another_each_round_and_has_an_email(wall: Wall) -> None:
    season, _first = begun(wall, 9, size=2, rounds=3)
    byes = [seated.byes for seated in seated_rounds(season.divisions.get()).values()]
    assert [len(bye) for bye in byes] == [1, 1, 1]
    assert {email.to_user_id for email in emails("league_bye")} == {bye for (bye,) in byes}
    assert len(emails("league_bye")) == 3


def test_a_table_plays_without_someone_who_left_before_it_began(wall: Wall) -> None:
    season, first = begun(wall, 8, size=4, rounds=2)
    gone = first.tables.order_by("number")[0].assignments.order_by("position")[0].entry
    later = LeagueTable.objects.get(round__number=2, assignments__entry=gone)
    out(gone)
    for table in world.finish_all(first):
        collect(table, wall.now)
    world.begin(season)
    assert [at.position for at in later.assignments.all()] == [0, 1, 2]
    assert gone.pk not in later.assignments.values_list("entry", flat=True)
    assert (
        seated_rounds(season.divisions.get())[2].players == seated_rounds(season.divisions.get())[1].players
    )


def test_too_few_for_a_table_that_was_to_begin_have_byes(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(players[0], players, size=4, rounds=1)
    (division,) = season.divisions.all()
    draw_rounds(division, wall.now)
    table = LeagueTable.objects.order_by("number")[0]
    *leave, last, also = [at.entry for at in table.assignments.all()]
    for entry in leave:
        out(entry)
    run_seasons(wall.now)
    assert not LeagueTable.objects.filter(pk=table.pk).exists()
    round_ = division.rounds.get()
    assert set(round_.byes.values_list("entry", flat=True)) == {last.pk, also.pk}
    assert len(emails("league_bye")) == 2
    world.finish_all(round_)
    run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    assert recomputed(season) == []


def test_swiss_rounds_gather_equal_scores(wall: Wall) -> None:
    season, first = begun(wall, 8, size=4, rounds=2, format="swiss", scoring="wins")
    assert list(seated_rounds(season.divisions.get())) == [1]
    winners = set()
    for table in world.finish_all(first):
        game = world.game_at(table)
        (seat,) = game.result["winners"]
        winners.add(table.assignments.get(position=seat).entry.user_id)
    run_seasons(wall.now)
    tables = seated_rounds(season.divisions.get())[2].tables
    assert any(winners <= set(table) for table in tables)


@pytest.mark.parametrize(
    ("at_once", "drawn"),
    [pytest.param(1, [1, 1, 1, 2, 2, 2], marks=pytest.mark.long), (2, [1, 2, 2, 2, 2, 3])],
)
def test_swiss_rounds_overlap_by_one_round_at_most(wall: Wall, at_once: int, drawn: list[int]) -> None:
    """How many rounds are drawn after each of the tables of the first two has ended, in order."""
    season, _first = begun(wall, 8, size=2, rounds=3, format="swiss", tables_at_once=at_once)
    division, seen = season.divisions.get(), []
    for number, count in ((1, 4), (2, 2)):
        for table in division.rounds.get(number=number).tables.order_by("number")[:count]:
            if table.table is None:
                continue
            services.adjudicate(table.game_table, with_winner=False, now=wall.now)
            run_seasons(wall.now)
            seen.append(len(seated_rounds(division)))
    assert seen == drawn


def test_no_one_is_first_twice_before_all_were_in_a_planned_season(wall: Wall) -> None:
    season, _first = begun(wall, 8, size=4, rounds=4)
    division = season.divisions.get()
    firsts = [table[0] for seated in seated_rounds(division).values() for table in seated.tables]
    assert len(set(firsts)) == 8


@pytest.mark.parametrize(("left", "sizes"), [(4, [4]), (3, [3])])
def test_too_few_for_a_table_sit_at_a_smaller_one(wall: Wall, left: int, sizes: list[int]) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players, size=4, rounds=1)
    for entry in season.entries.order_by("pk")[left:]:
        out(entry)
    world.begin(season)
    assert [len(table) for table in seated_at(season.divisions.get().rounds.get())] == sizes


@pytest.mark.parametrize(("size", "left"), [(4, 2), (4, 1), (2, 0)])
def test_a_division_with_too_few_for_any_table_plays_none(wall: Wall, size: int, left: int) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players, size=size, rounds=3)
    for entry in season.entries.order_by("pk")[left:]:
        out(entry)
    run_seasons(wall.now)
    rounds = season.divisions.get().rounds.all()
    assert {round_.byes.count() for round_ in rounds} == {left}
    assert not LeagueTable.objects.exists()
    assert not emails("league_bye")
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED


def test_at_an_anonymous_season_assignments_are_the_drawn_seats(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, terms=world.TERMS | {"is_anonymous": True})
    table = round_.tables.get()
    drawn = dict(table.game_table.seats.values_list("number", "user_id"))
    assert dict(table.assignments.values_list("position", "entry__user_id")) == drawn


# They are late


LATE = {"table_days": 30, "extension_days": 14}


def test_someone_who_is_asked_at_a_late_table_is_reminded_once(wall: Wall) -> None:
    _season, round_ = begun(wall, 8, **LATE)
    over, late = round_.tables.all()
    end = late.deadline
    world.finish(over)
    run_seasons(end - 7 * DAY - timedelta(seconds=1))
    assert not emails("league_reminder")
    run_seasons(end - 7 * DAY)
    run_seasons(end - 6 * DAY)
    asked = set(late.game_table.seats.filter(asked_since__isnull=False).values_list("user_id", flat=True))
    reminded = [one for one in emails("league_reminder") if one.context["table"] == late.pk]
    assert {email.to_user_id for email in reminded} == asked
    assert len(reminded) == 1


def test_a_late_table_is_extended_once_and_its_players_reminded_again(wall: Wall) -> None:
    season, round_ = begun(wall, 4, rounds=2, **LATE)
    table = round_.tables.get()
    end = table.deadline
    run_seasons(end - 7 * DAY)
    run_seasons(end - timedelta(seconds=1))
    assert not season.events.filter(kind=AuditEvent.Kind.EXTENDED).exists()
    run_seasons(end)
    run_seasons(end + DAY)
    table.refresh_from_db()
    assert table.is_extended
    assert table.ends_at == end + 14 * DAY
    assert season.events.filter(kind=AuditEvent.Kind.EXTENDED, table=table).count() == 1
    assert len(emails("league_reminder")) == 1
    run_seasons(end + 7 * DAY)
    assert len(emails("league_reminder")) == 2


@pytest.mark.long
def test_a_table_that_is_late_even_so_is_won_by_most_regions(wall: Wall) -> None:
    season, round_ = begun(wall, 4, rounds=1, **LATE)
    table = round_.tables.get()
    play_until(world.game_at(table), lambda state, _decision: any(state.holdings))
    end = table.deadline
    run_seasons(end)
    run_seasons(end + 14 * DAY - timedelta(seconds=1))
    assert not world.game_at(table).is_over
    run_seasons(end + 14 * DAY)
    game = world.game_at(table)
    assert game.ended == "adjudicated"
    assert game.result["winners"]
    event = season.events.get(kind=AuditEvent.Kind.ADJUDICATED)
    assert (event.table, event.by, event.touched.count()) == (table, None, 4)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED


def test_by_another_rule_no_one_wins_it(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, rounds=1, late="nobody", table_days=30, extension_days=0)
    table = round_.tables.get()
    run_seasons(table.deadline)
    game = world.game_at(table)
    assert (game.ended, game.result["winners"]) == ("adjudicated", [])


@pytest.mark.long
def test_where_an_organiser_decides_nothing_ends_by_itself(wall: Wall) -> None:
    season, round_ = begun(wall, 4, late="organiser", **LATE)
    table = round_.tables.get()
    for days in (0, 7, 14, 100):
        run_seasons(table.deadline + days * DAY)
    assert not world.game_at(table).is_over
    season.refresh_from_db()
    assert season.next_action_at is None
    assert len(emails("league_reminder")) == 2


def test_a_match_between_two_games_is_adjudicated_when_the_next_has_begun(wall: Wall) -> None:
    from games.rules import MOST_GAMES
    from tests.games.playing import play_to_the_end

    points = {"edition": "2007", "variants": ["playing-for-points"]}
    terms = {"options_json": points, "pace": "none", "target": 40, "chain": MOST_GAMES + 1}
    _season, round_ = begun(wall, 3, size=3, terms=terms, table_days=30, extension_days=0)
    table = round_.tables.get()
    play_to_the_end(world.game_at(table))
    assert not adjudicate_late(table, table.deadline)
    for seat in table.game_table.seats.people():
        services.be_ready(seat, 2)
    assert adjudicate_late(table, table.deadline)
    table.game_table.refresh_from_db()
    assert table.game_table.state == Table.State.FINISHED


# The site was down


def down(start: Any, end: Any) -> None:
    Outage.objects.create(start=start, end=end)


def test_a_table_gets_back_the_time_of_an_outage_once(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, rounds=2, **LATE)
    table = round_.tables.get()
    end = table.deadline
    down(wall.now - 2 * DAY, wall.now + DAY)  # of which one day is the table's
    run_seasons(wall.now + 2 * DAY)
    run_seasons(wall.now + 2 * DAY)
    table.refresh_from_db()
    assert table.ends_at == end + DAY
    down(wall.now, wall.now + 3 * DAY)  # a day of it is known already
    assert give_back_outages(table, wall.now + 3 * DAY)
    assert not give_back_outages(table, wall.now + 3 * DAY)
    table.refresh_from_db()
    assert table.ends_at == end + 3 * DAY


def test_an_outage_before_the_table_gives_nothing(wall: Wall) -> None:
    down(wall.now - 2 * DAY, wall.now - DAY)
    _season, round_ = begun(wall, 4, **LATE)
    assert not give_back_outages(round_.tables.get(), wall.now + DAY)


def test_no_one_is_late_before_the_time_of_an_outage_is_given_back(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, rounds=1, table_days=30, extension_days=0)
    table = round_.tables.get()
    Heartbeat.objects.create(at=table.deadline - DAY)
    run_seasons(table.deadline)
    assert not world.game_at(table).is_over
    wall.now = table.deadline
    services.run_tick(wall.now)
    run_seasons(wall.now)
    table.refresh_from_db()
    assert table.ends_at == wall.now + DAY
    assert not world.game_at(table).is_over
    wall.now = table.deadline
    Heartbeat.objects.update(at=wall.now)
    run_seasons(wall.now)
    assert world.game_at(table).is_over


# They are over


@pytest.mark.long
def test_the_players_of_a_table_learn_its_result(wall: Wall) -> None:
    _season, round_ = begun(wall, 8)
    first, _second = round_.tables.all()
    world.finish(first)
    run_seasons(wall.now)
    run_seasons(wall.now)
    told = {email.to_user_id for email in emails("league_result")}
    assert told == set(first.assignments.values_list("entry__user", flat=True))
    assert len(emails("league_result")) == 4


def test_each_step_taken_twice_is_taken_once(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, **LATE)
    table = round_.tables.get()
    end = table.deadline
    assert remind_late(table, end)
    assert not remind_late(table, end)
    assert extend_late(table, end)
    assert not extend_late(table, end + 14 * DAY)
    assert not adjudicate_late(table, end)
    assert adjudicate_late(table, end + 14 * DAY)
    assert not adjudicate_late(table, end + 14 * DAY)
