"""Players withdraw, are expelled or are absent: their seats, registrations, and the messages about it."""

from __future__ import annotations

from typing import Any

import pytest

from games import services
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season
from games.leagues.results.division_standings import division_standings
from games.leagues.services import absences, offer_answers, withdrawals
from games.leagues.services.result_collection import collect_finished
from games.models import Game, Table
from games.selectors.integrity import differences
from games.services import Refused
from tests.games.playing import begin_game, play_to_the_end
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db

State = Registration.State


@pytest.fixture
def season(wall: Any, anna: Any, bruno: Any, carla: Any) -> Season:
    return world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=2)


@pytest.fixture
def table(season: Season, anna: Any, bruno: Any, carla: Any) -> LeagueTable:
    round_ = season.divisions.get().rounds.get(number=1)
    return world.seat_by_hand(round_, [anna, bruno, carla])[0]


def entry_of(season: Season, user: Any) -> Registration:
    return season.entries.get(user=user)


def test_someone_who_withdraws_gives_their_seat_up_and_says_why_if_they_like(
    season: Season, table: LeagueTable, bruno: Any
) -> None:
    withdrawals.withdraw(entry_of(season, bruno), note="Mind the Courtesan", reason="A new job")
    entry = entry_of(season, bruno)
    assert (entry.state, entry.reason, entry.out_at is not None) == (State.WITHDRAWN, "A new job", True)
    open_seat = table.open_seats.get()
    assert (open_seat.why, open_seat.left_by, open_seat.note) == ("withdrawn", bruno, "Mind the Courtesan")
    assert world.game_at(table).table.seats.get(number=1).bot
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.reason) == (AuditEvent.Kind.WITHDREW, bruno, "A new job")
    assert absent.emails("league_event") == []
    assert differences(world.game_at(table).pk) == []


def test_withdrawing_twice_is_once_and_says_nothing_new(
    season: Season, table: LeagueTable, bruno: Any
) -> None:
    for reason in ("First", "Second"):
        withdrawals.withdraw(entry_of(season, bruno), reason=reason)
    assert entry_of(season, bruno).reason == "First"
    assert AuditEvent.objects.count() == 1
    assert table.open_seats.count() == 1


def test_the_tick_seeks_no_one_twice_for_a_seat(season: Season, table: LeagueTable, bruno: Any) -> None:
    withdrawals.withdraw(entry_of(season, bruno))
    for _time in range(3):
        absent.tick()
    assert table.open_seats.count() == 1


def test_all_seats_of_all_tables_are_given_up_those_they_helped_with_too(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any, fabio: Any
) -> None:
    division = season.divisions.get()
    for one in (dario, elena, fabio):
        season.entries.create(user=one, state=State.PLAYING, division=division)
    own = world.seat_by_hand(division.rounds.get(number=2), [dario, elena, fabio])[0]
    absent.help_in(season, dario)
    absent.give_up(table, bruno)
    absent.tick()
    offer_answers.accept(absent.the_ask(dario))
    withdrawals.withdraw(entry_of(season, dario))
    assert own.open_seats.get().left_by == dario
    assert table.open_seats.latest("pk").left_by == dario
    assert season.substitutes.get().stopped_at is not None


def test_what_was_open_for_them_as_a_substitute_goes_to_the_next(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    season.entries.create(user=dario, state=State.PLAYING, division=season.divisions.get())
    absent.help_in(season, dario, elena)
    absent.give_up(table, bruno)
    absent.tick()
    withdrawals.withdraw(entry_of(season, dario))
    assert absent.asked(table.open_seats.get()) == [dario, elena]


def test_anyone_who_does_not_play_has_nothing_to_withdraw_from(
    season: Season, dario: Any, elena: Any, anna: Any
) -> None:
    waiting = season.entries.create(user=dario, state=State.WAITING)
    with pytest.raises(Refused, match="only from a season in progress"):
        withdrawals.withdraw(waiting)
    Season.objects.update(state=Season.State.CLOSED)
    with pytest.raises(Refused, match="only from a season in progress"):
        withdrawals.withdraw(entry_of(season, anna))


@pytest.mark.parametrize("words", [{"note": "x" * 2001}, {"reason": "x" * 1001}])
def test_no_speeches_are_left(season: Season, table: LeagueTable, bruno: Any, words: Any) -> None:
    with pytest.raises(Refused):
        withdrawals.withdraw(entry_of(season, bruno), **words)
    assert entry_of(season, bruno).state == State.PLAYING


def test_organisers_who_play_may_withdraw(season: Season, table: LeagueTable, anna: Any) -> None:
    withdrawals.withdraw(entry_of(season, anna))
    assert entry_of(season, anna).state == State.WITHDRAWN
    assert season.league.organisers.filter(user=anna).exists()


def test_when_no_one_is_left_the_table_is_abandoned_and_no_one_is_sought(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    for one in (anna, bruno, carla):
        withdrawals.withdraw(entry_of(season, one))
    absent.tick()
    game = world.game_at(table)
    assert game.ended == Game.Ended.ABANDONED
    assert set(table.open_seats.values_list("state", flat=True)) == {OpenSeat.State.CLOSED}


def test_between_two_games_of_a_match_a_seat_is_given_up_and_filled_as_well(
    wall: Any, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    points = {"edition": "2007", "variants": ["playing-for-points"]}
    terms = world.TERMS | {"options_json": points, "target": 30, "chain": 101}
    season = world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=1, terms=terms)
    table = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])[0]
    play_to_the_end(world.game_at(table))
    absent.help_in(season, dario)
    withdrawals.withdraw(entry_of(season, bruno), note="Three points ahead")
    offer_answers.accept(absent.the_ask(dario))
    for seat in Table.objects.get(pk=table.table_id).seats.people():
        services.be_ready(seat, 2)
    assert world.game_at(table).number == 2
    assert world.seat_at(table, dario).number == 1
    assert dario.notes.get().text.endswith("Three points ahead")


def test_someone_who_is_out_is_seated_at_no_later_table(wall: Any, anna: Any) -> None:
    players = world.people(8)
    season = world.a_running_season(anna, players, size=3, rounds=2)
    world.begin(season)
    withdrawals.withdraw(entry_of(season, players[0]))
    withdrawals.expel(entry_of(season, players[1]), anna, "He cheats")
    first, second = season.divisions.get().rounds.all()
    world.finish_all(first)
    collect_finished(wall.now)
    world.begin(season)
    seated = set(second.tables.values_list("assignments__entry__user", flat=True))
    byes = set(second.byes.values_list("entry__user", flat=True))
    assert seated | byes == {one.pk for one in players[2:]}
    assert not second.byes.filter(entry__user__in=players[:2]).exists()
    assert players[0] not in absent.emails("league_result")


# Expelled


def test_someone_who_is_expelled_is_told_why_and_their_seats_are_given_up(
    season: Season, table: LeagueTable, anna: Any, bruno: Any
) -> None:
    absent.help_in(season, bruno)
    withdrawals.expel(entry_of(season, bruno), anna, "He told his hand to Carla")
    entry = entry_of(season, bruno)
    assert (entry.state, entry.reason) == (State.EXPELLED, "He told his hand to Carla")
    assert table.open_seats.get().why == OpenSeat.Why.EXPELLED
    assert season.substitutes.get().stopped_at is not None
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, list(event.touched.all())) == (AuditEvent.Kind.EXPELLED, anna, [bruno])
    assert absent.emails("league_event") == [bruno]


def test_expelling_twice_is_once(season: Season, anna: Any, bruno: Any) -> None:
    for reason in ("First", "Second"):
        withdrawals.expel(entry_of(season, bruno), anna, reason)
    assert (entry_of(season, bruno).reason, AuditEvent.objects.count()) == ("First", 1)


@pytest.mark.parametrize("reason", ["", " \n", "\u200b\u2800", "x" * 1001, "x" * 100_000])
def test_no_one_is_expelled_without_a_reason(season: Season, anna: Any, bruno: Any, reason: str) -> None:
    with pytest.raises(Refused):
        withdrawals.expel(entry_of(season, bruno), anna, reason)
    assert entry_of(season, bruno).state == State.PLAYING


def test_only_an_organiser_of_this_very_league_expels_and_not_themselves(
    season: Season, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    world.a_league(dario, "Another League")
    for nobody in (carla, dario):
        with pytest.raises(Refused, match="organiser"):
            withdrawals.expel(entry_of(season, bruno), nobody, "He wins too often")
    with pytest.raises(Refused, match="can’t expel yourself"):
        withdrawals.expel(entry_of(season, anna), anna, "I am tired")


def test_someone_who_is_out_already_or_in_a_season_that_is_over_is_not_expelled(
    season: Season, anna: Any, bruno: Any, carla: Any
) -> None:
    withdrawals.withdraw(entry_of(season, bruno))
    with pytest.raises(Refused, match="no longer in the season"):
        withdrawals.expel(entry_of(season, bruno), anna, "Good riddance")
    Season.objects.update(state=Season.State.CLOSED)
    with pytest.raises(Refused, match="finished"):
        withdrawals.expel(entry_of(season, carla), anna, "Too late")


def test_before_the_start_the_first_who_waits_has_their_place(
    wall: Any, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    season = world.a_season(world.a_league(anna), division_size=2, size=2, state=Season.State.SIGN_UP)
    for one, state in ((bruno, State.SIGNED_UP), (carla, State.SIGNED_UP), (dario, State.WAITING)):
        season.entries.create(user=one, state=state)
    withdrawals.expel(entry_of(season, bruno), anna, "He was asked not to come")
    assert entry_of(season, dario).state == State.SIGNED_UP
    assert absent.emails("league_place") == [dario]


def test_someone_who_is_out_stands_after_all_others_with_what_they_have(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    withdrawals.withdraw(entry_of(season, bruno))
    standing = division_standings(season.divisions.get()).standings
    assert standing.order[-1] == bruno.pk
    assert standing.rows[-1].is_out


# Staying away


def test_a_substitute_is_sought_for_an_absent_player_whose_entry_stays(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.stay_away(table, bruno)
    absent.tick()
    open_seat = table.open_seats.get()
    assert (open_seat.why, open_seat.left_by) == (OpenSeat.Why.AWAY, bruno)
    absent.help_in(season, dario)
    offer_answers.accept(absent.the_ask(dario))
    assert entry_of(season, bruno).state == State.PLAYING
    absent.tick()
    assert table.open_seats.count() == 1


def test_staying_away_again_is_another_search(
    wall: Any, season: Season, table: LeagueTable, bruno: Any
) -> None:
    for _time in range(2):
        absent.stay_away(table, bruno)
        absent.tick()
        services.come_back(world.seat_at(table, bruno))
        absent.tick()
        wall.now += world.DAY
    assert list(table.open_seats.values_list("state", flat=True)) == [OpenSeat.State.CLOSED] * 2


def test_someone_who_stays_away_and_then_leaves_for_good_leaves_one_free_seat(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.stay_away(table, bruno)
    absent.tick()
    wall.now += world.DAY
    withdrawals.withdraw(entry_of(season, bruno), note="Sorry")
    absent.tick()
    open_seat = table.open_seats.get()
    assert (open_seat.why, open_seat.note) == (OpenSeat.Why.WITHDRAWN, "Sorry")


def test_giving_up_on_the_page_while_away_changes_why_and_is_noticed_once(
    wall: Any, season: Season, table: LeagueTable, bruno: Any
) -> None:
    absent.stay_away(table, bruno)
    absent.tick()
    wall.now += world.DAY
    absent.give_up(table, bruno)
    assert absences.notice_absences(wall.now) == 1
    assert absences.notice_absences(wall.now) == 0
    assert table.open_seats.get().why == OpenSeat.Why.LEFT


def test_a_note_for_a_seat_that_no_one_takes_is_forgotten_with_the_game(
    season: Season, table: LeagueTable, bruno: Any
) -> None:
    withdrawals.withdraw(entry_of(season, bruno), note="Between us")
    world.finish(table)
    absent.tick()
    assert (table.open_seats.get().state, table.open_seats.get().note) == (OpenSeat.State.CLOSED, "")


def test_tables_that_are_no_leagues_are_left_alone(anna: Any, bruno: Any, carla: Any, wall: Any) -> None:
    game = begin_game([anna, bruno, carla])
    services.give_up(game.table.seats.get(number=1))
    assert absences.notice_absences(wall.now) == 0


def test_a_tick_without_absences_asks_little(
    season: Season, table: LeagueTable, wall: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(8):
        absent.tick()
