"""Rounds begin, get reminders and close: pairings, dates and emails."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games import services
from games.leagues.models import AuditEvent, LeagueTable, Registration, Round, Season
from games.leagues.results import seated_rounds
from games.leagues.seating import history_of
from games.leagues.services.adjudication import adjudicate_late, extend_round, give_back_outages, remind_late
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.pairing import begin_round, close_round
from games.models import Heartbeat, Outage, Table
from tests.clocks.passing import Wall, emails
from tests.games.playing import play_until
from tests.leagues import world
from tests.leagues.world import DAY


def begun(wall: Wall, count: int, **plan: Any) -> tuple[Season, Round]:
    """A season of so many in one division, and its first round, which has begun."""
    players = world.people(count)
    season = world.a_running_season(players[0], players, **plan)
    round_ = season.divisions.get().rounds.get(number=1)
    assert begin_round(round_, wall.now)
    round_.refresh_from_db()
    return season, round_


def seated_at(round_: Round) -> list[list[str]]:
    return [
        [assignment.entry.user.shown_name for assignment in table.assignments.order_by("position")]
        for table in round_.tables.order_by("number")
    ]


def out(entry: Registration, state: str = "withdrawn") -> None:
    entry.state = state
    entry.save()


# They begin


def test_everyone_has_a_seat_and_an_email(wall: Wall) -> None:
    season, round_ = begun(wall, 8)
    assert sorted(name for table in seated_at(round_) for name in table) == [
        f"Player{number:02}" for number in range(1, 9)
    ]
    assert round_.state == Round.State.PLAYING
    assert round_.ends_at == wall.now + season.table_days * DAY
    assert {email.to_user_id for email in emails("league_round")} == {
        entry.user_id for entry in season.entries.all()
    }
    assert season.events.filter(kind=AuditEvent.Kind.ROUND_BEGUN, round=round_, by=None).count() == 1


def test_the_tables_play_by_the_season_and_say_what_they_are_part_of(wall: Wall) -> None:
    season, round_ = begun(wall, 4, terms=world.TERMS | {"chat": "none", "pace": "week"})
    table = round_.tables.get().table
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
    round_ = season.divisions.get(level=2).rounds.get(number=1)
    begin_round(round_, wall.now)
    table = round_.tables.get().table
    assert table.name == "The Most Serene League of Northern Con…: B, round 1, table 1"
    assert len(table.name) <= 60
    assert "division B, round 1" in table.source


def test_a_round_begins_once_and_not_before_its_time(wall: Wall) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players)
    first, second = season.divisions.get().rounds.filter(number__in=(1, 2))
    assert not begin_round(first, wall.now - timedelta(seconds=1))
    assert not begin_round(second, wall.now)
    assert begin_round(first, wall.now)
    assert not begin_round(first, wall.now)
    assert not begin_round(second, wall.now + 100 * DAY)
    assert LeagueTable.objects.count() == 1


def test_a_season_that_does_not_begin_early_keeps_its_dates(wall: Wall) -> None:
    season, first = begun(wall, 4, begins_early=False, rounds=2, table_days=30)
    wall.now += 5 * DAY
    world.finish_all(first)
    run_seasons(wall.now)
    second = season.divisions.get().rounds.get(number=2)
    first.refresh_from_db()
    assert (first.state, second.state) == (Round.State.CLOSED, Round.State.PLANNED)
    assert second.starts_at == first.starts_at + 30 * DAY
    run_seasons(wall.now + 25 * DAY - timedelta(seconds=1))
    assert Round.objects.get(pk=second.pk).state == Round.State.PLANNED
    run_seasons(wall.now + 25 * DAY)
    assert Round.objects.get(pk=second.pk).state == Round.State.PLAYING


def test_a_round_begins_as_soon_as_the_one_before_is_over(wall: Wall) -> None:
    season, first = begun(wall, 4, rounds=3, table_days=30)
    wall.now += 5 * DAY
    world.finish_all(first)
    run_seasons(wall.now)
    second, third = season.divisions.get().rounds.filter(number__gt=1)
    assert second.state == Round.State.PLAYING
    assert (second.starts_at, second.ends_at) == (wall.now, wall.now + 30 * DAY)
    assert third.starts_at == wall.now + 30 * DAY
    assert len(emails("league_result")) == 4


# Who sits with whom


@pytest.mark.long
def test_a_planned_season_meets_as_its_plan_has_it(wall: Wall) -> None:
    season, first = begun(wall, 16, size=4, rounds=5, format="all", division_size=16)
    rounds = [first, *season.divisions.get().rounds.filter(number__gt=1)]
    for round_ in rounds:
        begin_round(round_, wall.now)
        Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED)
    past = history_of(seated_rounds(season.divisions.get()).values())
    assert len(past.meetings) == 16 * 15 // 2
    assert set(past.meetings.values()) == {1}


@pytest.mark.long
def test_who_sits_out_is_another_each_round_and_has_an_email(wall: Wall) -> None:
    season, first = begun(wall, 9, size=2, rounds=3)
    division = season.divisions.get()
    for round_ in [first, *division.rounds.filter(number__gt=1)]:
        begin_round(round_, wall.now)
        Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED)
    byes = [seated.byes for seated in seated_rounds(division).values()]
    assert [len(bye) for bye in byes] == [1, 1, 1]
    assert len({player for bye in byes for player in bye}) == 3
    assert len(emails("league_round")) == 27


def test_someone_who_has_left_is_not_seated_and_the_others_meet_new_people(wall: Wall) -> None:
    season, first = begun(wall, 9, size=4, rounds=3)
    division = season.divisions.get()
    Round.objects.filter(pk=first.pk).update(state=Round.State.CLOSED)
    gone = season.entries.get(user__name="Player05")
    out(gone)
    second = division.rounds.get(number=2)
    begin_round(second, wall.now)
    seated = seated_rounds(division)
    assert gone.user_id not in seated[2].players
    assert [sorted(map(len, seated[number].tables)) for number in (1, 2)] == [[4, 5], [4, 4]]
    assert (seated[1].byes, seated[2].byes) == ((), ())


def test_someone_who_comes_later_plays_from_their_round_on(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(players[0], players, rounds=2)
    season.entries.filter(user=players[7]).update(from_round=2)
    division = season.divisions.get()
    first, second = division.rounds.all()
    begin_round(first, wall.now)
    assert players[7].pk not in seated_rounds(division)[1].players
    Round.objects.filter(pk=first.pk).update(state=Round.State.CLOSED)
    begin_round(second, wall.now)
    assert players[7].pk in seated_rounds(division)[2].players


def test_swiss_rounds_gather_equal_scores(wall: Wall) -> None:
    season, first = begun(wall, 8, size=4, rounds=2, format="swiss", scoring="wins")
    winners = set()
    for table in world.finish_all(first):
        game = world.game_at(table)
        (seat,) = game.result["winners"]
        winners.add(table.assignments.get(position=seat).entry.user_id)
    run_seasons(wall.now)
    tables = seated_rounds(season.divisions.get())[2].tables
    assert any(winners <= set(table) for table in tables)


def test_no_one_is_first_twice_before_all_were_in_a_planned_season(wall: Wall) -> None:
    season, first = begun(wall, 8, size=4, rounds=4)
    division = season.divisions.get()
    for round_ in [first, *division.rounds.filter(number__gt=1)]:
        begin_round(round_, wall.now)
        Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED)
    firsts = [table[0] for seated in seated_rounds(division).values() for table in seated.tables]
    assert len(set(firsts)) == 8


@pytest.mark.parametrize(("left", "sizes"), [(4, [4]), (3, [3])])
def test_too_few_for_a_table_sit_at_a_smaller_one(wall: Wall, left: int, sizes: list[int]) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players, size=4, rounds=1)
    for entry in season.entries.order_by("pk")[left:]:
        out(entry)
    round_ = season.divisions.get().rounds.get()
    begin_round(round_, wall.now)
    assert [len(table) for table in seated_at(round_)] == sizes


@pytest.mark.parametrize(("size", "left"), [(4, 2), (4, 1), (4, 0), (2, 1), (2, 0)])
def test_a_division_with_too_few_for_any_table_closes_its_rounds(wall: Wall, size: int, left: int) -> None:
    players = world.people(4)
    season = world.a_running_season(players[0], players, size=size, rounds=3)
    for entry in season.entries.order_by("pk")[left:]:
        out(entry)
    run_seasons(wall.now)
    rounds = season.divisions.get().rounds.all()
    assert {round_.state for round_ in rounds} == {Round.State.CLOSED}
    assert {round_.byes.count() for round_ in rounds} == {left}
    assert not LeagueTable.objects.exists()
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED


def test_at_an_anonymous_season_assignments_are_the_drawn_seats(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, terms=world.TERMS | {"is_anonymous": True})
    table = round_.tables.get()
    drawn = dict(table.table.seats.values_list("number", "user_id"))
    assert dict(table.assignments.values_list("position", "entry__user_id")) == drawn
    first = world.game_at(table).first_condottiere
    assert seated_rounds(round_.division)[1].tables[0][0] == drawn[first]


# They are late


LATE = {"table_days": 30, "extension_days": 14}


def test_someone_who_is_asked_at_a_late_table_is_reminded_once(wall: Wall) -> None:
    _season, round_ = begun(wall, 8, **LATE)
    over, late = round_.tables.all()
    world.finish(over)
    run_seasons(round_.ends_at - 7 * DAY - timedelta(seconds=1))
    assert not emails("league_reminder")
    run_seasons(round_.ends_at - 7 * DAY)
    run_seasons(round_.ends_at - 6 * DAY)
    asked = set(late.table.seats.filter(asked_since__isnull=False).values_list("user_id", flat=True))
    assert {email.to_user_id for email in emails("league_reminder")} == asked
    assert len(emails("league_reminder")) == 1


def test_a_late_round_is_extended_once_and_its_tables_reminded_again(wall: Wall) -> None:
    season, round_ = begun(wall, 4, rounds=2, **LATE)
    end = round_.ends_at
    run_seasons(end - 7 * DAY)
    run_seasons(end - timedelta(seconds=1))
    assert not season.events.filter(kind=AuditEvent.Kind.EXTENDED).exists()
    run_seasons(end)
    run_seasons(end + DAY)
    round_.refresh_from_db()
    assert round_.is_extended
    assert round_.ends_at == end + 14 * DAY
    assert season.events.filter(kind=AuditEvent.Kind.EXTENDED, round=round_).count() == 1
    assert season.divisions.get().rounds.get(number=2).starts_at == end + 14 * DAY
    assert len(emails("league_reminder")) == 1
    run_seasons(end + 7 * DAY)
    assert len(emails("league_reminder")) == 2


@pytest.mark.long
def test_a_table_that_is_late_even_so_is_won_by_most_regions(wall: Wall) -> None:
    season, round_ = begun(wall, 4, rounds=1, **LATE)
    table = round_.tables.get()
    play_until(world.game_at(table), lambda state, _question: any(state.holdings))
    run_seasons(round_.ends_at)
    run_seasons(round_.ends_at + 14 * DAY - timedelta(seconds=1))
    assert not world.game_at(table).is_over
    run_seasons(round_.ends_at + 14 * DAY)
    game = world.game_at(table)
    assert game.ended == "adjudicated"
    assert game.result["winners"]
    event = season.events.get(kind=AuditEvent.Kind.ADJUDICATED)
    assert (event.table, event.by, event.touched.count()) == (table, None, 4)
    round_.refresh_from_db()
    season.refresh_from_db()
    assert (round_.state, season.state) == (Round.State.CLOSED, Season.State.CLOSED)


def test_by_another_rule_no_one_wins_it(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, rounds=1, late="nobody", table_days=30, extension_days=0)
    run_seasons(round_.ends_at)
    game = world.game_at(round_.tables.get())
    assert (game.ended, game.result["winners"]) == ("adjudicated", [])


@pytest.mark.long
def test_where_an_organiser_decides_nothing_ends_by_itself(wall: Wall) -> None:
    season, round_ = begun(wall, 4, late="organiser", **LATE)
    for days in (0, 7, 14, 100):
        run_seasons(round_.ends_at + days * DAY)
    assert not world.game_at(round_.tables.get()).is_over
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
    game = world.game_at(table)
    play_to_the_end(game)
    assert adjudicate_late(round_, round_.ends_at) == 0
    for seat in table.table.seats.people():
        services.be_ready(seat, 2)
    assert adjudicate_late(round_, round_.ends_at) == 1
    table.table.refresh_from_db()
    assert table.table.state == Table.State.FINISHED


# The site was down


def down(start: Any, end: Any) -> None:
    Outage.objects.create(start=start, end=end)


def test_a_round_gets_back_the_time_of_an_outage_once(wall: Wall) -> None:
    season, round_ = begun(wall, 4, rounds=2, **LATE)
    end = round_.ends_at
    down(wall.now - 2 * DAY, wall.now + DAY)  # of which one day lies in the round
    run_seasons(wall.now + 2 * DAY)
    run_seasons(wall.now + 2 * DAY)
    round_.refresh_from_db()
    assert round_.ends_at == end + DAY
    assert season.divisions.get().rounds.get(number=2).starts_at == end + DAY
    down(wall.now, wall.now + 3 * DAY)  # a day of it is known already
    assert give_back_outages(round_, wall.now + 3 * DAY)
    assert not give_back_outages(round_, wall.now + 3 * DAY)
    round_.refresh_from_db()
    assert round_.ends_at == end + 3 * DAY


def test_an_outage_before_the_round_gives_nothing(wall: Wall) -> None:
    down(wall.now - 2 * DAY, wall.now - DAY)
    _season, round_ = begun(wall, 4, **LATE)
    assert not give_back_outages(round_, wall.now + DAY)


def test_no_one_is_late_before_the_time_of_an_outage_is_given_back(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, rounds=1, table_days=30, extension_days=0)
    Heartbeat.objects.create(at=round_.ends_at - DAY)
    run_seasons(round_.ends_at)
    assert not world.game_at(round_.tables.get()).is_over
    wall.now = round_.ends_at
    services.run_tick(wall.now)
    run_seasons(wall.now)
    round_.refresh_from_db()
    assert round_.ends_at == wall.now + DAY
    assert not world.game_at(round_.tables.get()).is_over
    wall.now = round_.ends_at
    Heartbeat.objects.update(at=wall.now)
    run_seasons(wall.now)
    assert world.game_at(round_.tables.get()).is_over


# They are over


@pytest.mark.long
def test_a_round_closes_when_its_last_result_is_in(wall: Wall) -> None:
    season, round_ = begun(wall, 8)
    first, second = round_.tables.all()
    world.finish(first)
    run_seasons(wall.now)
    assert not close_round(round_, wall.now)
    world.finish(second)
    run_seasons(wall.now)
    round_.refresh_from_db()
    assert (round_.state, round_.closed_at) == (Round.State.CLOSED, wall.now)
    assert season.events.filter(kind=AuditEvent.Kind.ROUND_CLOSED).count() == 1
    assert len(emails("league_result")) == 8


def test_each_step_taken_twice_is_taken_once(wall: Wall) -> None:
    _season, round_ = begun(wall, 4, **LATE)
    end = round_.ends_at
    assert remind_late(round_, end)
    assert not remind_late(round_, end)
    assert extend_round(round_, end)
    assert not extend_round(round_, end + 14 * DAY)
    assert adjudicate_late(round_, end) == 0
    assert adjudicate_late(round_, end + 14 * DAY) == 1
    assert adjudicate_late(round_, end + 14 * DAY) == 0
