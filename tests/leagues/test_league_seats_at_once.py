"""Substitutes, players who come back, organisers and beats at one moment, on PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from condottiere_site.privacy import erase
from games import services
from games.leagues.models import Award, LeagueTable, OpenSeat, Registration, Season, SubstituteOffer
from games.leagues.services import (
    absences,
    awards,
    left_places,
    offer_answers,
    organiser_messages,
    seat_decisions,
    substitute_offers,
    vanished_organisers,
    withdrawals,
)
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.result_collection import collect
from games.models import Seat, SeatChange, Table
from games.selectors.integrity import differences
from games.services import Refused
from tests.clocks import racing
from tests.clocks.passing import Wall
from tests.leagues import absent, world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

at_once = partial(racing.at_once, allowed=Refused)


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def refused(done: list[object]) -> int:
    return sum(isinstance(result, Refused) for result in done)


def a_table(turn: int, **plan: Any) -> tuple[Season, LeagueTable, list[User]]:
    """A season of three at one table, whose first organises it as well."""
    players = world.people(3, f"Turn{turn}n")
    season = world.a_season(world.a_league(players[0], f"League {turn}"), size=3, rounds=2, **plan)
    world.running(season, players)
    return season, world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)[0], players


def is_sound(table: LeagueTable) -> bool:
    """Each seat is one person's or a bot's, and the game's log leads to what is stored."""
    seats = list(Table.objects.get(pk=table.table_id).seats.all())
    people = [seat.user_id for seat in seats if seat.user_id]
    return len(people) == len(set(people)) and differences(world.game_at(table).pk) == []


def test_two_substitutes_take_one_seat_and_one_has_it(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        first, second = world.person(f"Help{turn}a"), world.person(f"Help{turn}b")
        absent.help_in(season, first, second)
        absent.give_up(table, players[1])
        absent.tick()
        silent = absent.the_ask(first)
        SubstituteOffer.objects.filter(pk=silent.pk).update(answer=SubstituteOffer.Answer.SILENT)
        open_seat = table.open_seats.get()
        substitute_offers.offer_to_next(open_seat, wall.now)
        SubstituteOffer.objects.filter(substitute__user=second).update(answer=SubstituteOffer.Answer.SILENT)
        asks = list(open_seat.asks.all())
        done = at_once(wall, *[partial(offer_answers.accept, ask) for ask in asks])
        assert refused(done) == 1
        assert table.open_seats.get().state == OpenSeat.State.TAKEN
        assert SeatChange.objects.filter(game__table=table.table_id, after__isnull=False).count() == 1
        assert is_sound(table)


def test_one_who_accepts_twice_has_one_seat(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        helper = world.person(f"Help{turn}")
        absent.help_in(season, helper)
        absent.give_up(table, players[1])
        absent.tick()
        ask = absent.the_ask(helper)
        assert refused(at_once(wall, *[partial(offer_answers.accept, ask)] * 2)) == 0
        assert world.seat_at(table, helper).number == 1
        assert is_sound(table)


@pytest.mark.long
def test_either_the_absent_player_is_back_or_another_has_their_seat(wall: Wall) -> None:
    for turn in range(racing.TIMES * 2):
        season, table, players = a_table(turn)
        helper = world.person(f"Help{turn}")
        absent.help_in(season, helper)
        absent.stay_away(table, players[1])
        absent.tick()
        ask, seat = absent.the_ask(helper), world.seat_at(table, players[1])
        done = at_once(wall, partial(offer_answers.accept, ask), partial(services.come_back, seat))
        now = Seat.objects.get(table=table.table_id, number=1)
        assert now.user in (helper, players[1])
        assert now.played_by_bot == ""
        assert refused(done) == 1
        state = table.open_seats.get().state
        assert state == (OpenSeat.State.TAKEN if now.user == helper else OpenSeat.State.CLOSED)
        assert is_sound(table)


def test_accepting_while_the_answer_runs_out_is_one_or_the_other(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        first, second = world.person(f"Help{turn}a"), world.person(f"Help{turn}b")
        absent.help_in(season, first, second)
        absent.give_up(table, players[1])
        absent.tick()
        ask = absent.the_ask(first)
        wall.now = ask.until
        at_once(wall, partial(offer_answers.accept, ask), partial(substitute_offers.run_offers, wall.now))
        open_seat = table.open_seats.get()
        ask.refresh_from_db()
        if ask.answer == SubstituteOffer.Answer.ACCEPTED:
            assert world.seat_at(table, first).number == 1
            assert open_seat.asks.count() == 1
        else:
            assert absent.asked(open_seat) == [first, second]
        assert is_sound(table)


def test_two_beats_ask_one_person_once(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        first, second = world.person(f"Help{turn}a"), world.person(f"Help{turn}b")
        absent.help_in(season, first, second)
        absent.give_up(table, players[1])
        at_once(wall, absent.tick, absent.tick, absent.tick)
        assert absent.asked(table.open_seats.get()) == [first]


@pytest.mark.long
def test_two_leagues_ask_one_person_one_after_the_other(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        helper = world.person(f"Help{turn}")
        open_seats = []
        for league in range(2):
            season, table, players = a_table(2 * turn + league)
            absent.give_up(table, players[1])
            absences.notice_absences(wall.now)
            substitute = season.substitutes.create(user=helper)
            assert substitute
            open_seats.append(table.open_seats.get())
        at_once(
            wall, *[partial(substitute_offers.offer_to_next, open_seat, wall.now) for open_seat in open_seats]
        )
        open_asks = SubstituteOffer.objects.filter(
            substitute__user=helper, answer=SubstituteOffer.Answer.OPEN
        )
        assert open_asks.count() == 1
        offer_answers.decline(open_asks.get())
        absent.tick()
        assert open_asks.count() == 1


def test_of_two_awards_at_once_the_last_counts_and_both_are_kept(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        other = world.person(f"Other{turn}")
        season.league.organisers.create(user=other)
        world.finish(table)
        collect(table, wall.now)
        at_once(
            wall,
            partial(awards.award, table, players[0], [9, 0, 0], "As I saw it"),
            partial(awards.award, table, other, [0, 9, 0], "As it was"),
        )
        assert Award.objects.filter(table=table).count() == 2
        assert season.events.filter(kind="awarded").count() == 2


def test_an_organiser_and_a_substitute_fill_one_seat_once(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        first, second = world.person(f"Help{turn}a"), world.person(f"Help{turn}b")
        absent.help_in(season, first, second)
        absent.give_up(table, players[1])
        absent.tick()
        open_seat, ask = table.open_seats.get(), absent.the_ask(first)
        done = at_once(
            wall,
            partial(offer_answers.accept, ask),
            partial(seat_decisions.seat_substitute, open_seat, players[0], second, "It is urgent"),
        )
        assert refused(done) == 1
        assert table.open_seats.get().state == OpenSeat.State.TAKEN
        assert is_sound(table)


def test_withdrawing_while_a_round_begins_is_playing_or_not(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        players = world.people(4, f"Turn{turn}n")
        season = world.a_season(world.a_league(players[0], f"League {turn}"), size=3, rounds=1)
        world.running(season, players)
        round_, entry = season.divisions.get().rounds.get(), season.entries.get(user=players[1])
        at_once(wall, partial(run_seasons, wall.now), partial(withdrawals.withdraw, entry))
        run_seasons(wall.now)  # a run leaves a season that is busy to the next
        absent.tick()
        table = round_.tables.get()
        seats = Table.objects.get(pk=table.table_id).seats
        assert not seats.filter(user=players[1]).exists()
        was_seated = table.assignments.filter(entry=entry).exists()
        assert table.open_seats.count() == was_seated
        assert is_sound(table)


def test_closing_an_account_while_taking_a_seat_leaves_no_seat_with_it(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, table, players = a_table(turn)
        helper = world.person(f"Help{turn}")
        absent.help_in(season, helper)
        absent.give_up(table, players[1])
        absent.tick()
        ask = absent.the_ask(helper)
        at_once(wall, partial(offer_answers.accept, ask), partial(erase, helper))
        assert not Seat.objects.filter(user=helper).exists()
        assert is_sound(table)


def test_closing_accounts_while_a_round_begins_waits_for_no_one(wall: Wall) -> None:
    """No two of them lock what the other waits for."""
    for turn in range(racing.TIMES):
        players = world.people(5, f"Turn{turn}n")
        season = world.a_season(world.a_league(players[0], f"League {turn}"), size=3, rounds=1)
        world.running(season, players)
        at_once(
            wall,
            partial(run_seasons, wall.now),
            partial(erase, players[1]),
            partial(erase, players[2]),
        )
        gone = [players[1].pk, players[2].pk]
        assert not Seat.objects.filter(user__in=gone).exists()
        assert set(Registration.objects.filter(user__in=gone).values_list("state", flat=True)) == {
            "withdrawn"
        }


def test_two_beats_fill_one_gap_once(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, _table, players = a_table(turn)
        for number in range(2):
            season.entries.create(user=world.person(f"Wait{turn}{number}"), state=Registration.State.WAITING)
        withdrawals.withdraw(season.entries.get(user=players[1]))
        at_once(wall, *[partial(left_places.fill_gaps, wall.now)] * 3)
        assert season.entries.filter(state=Registration.State.WAITING).count() == 1


def test_an_organiser_who_acts_while_others_remove_them_deadlocks_no_one(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season, _table, players = a_table(turn)
        league = season.league
        first, second = players[:2]
        vanished = league.organisers.create(user=second)
        third = league.organisers.create(user=world.person(f"Third{turn}"))
        vanished_organisers.ask_whether_here(vanished, first)
        wall.now += vanished_organisers.TIME_TO_ANSWER
        acts = (
            partial(organiser_messages.write_to_players, season, second, None, "Hello."),
            partial(vanished_organisers.remove_vanished, vanished, first, "No one has heard of them."),
            partial(vanished_organisers.remove_vanished, vanished, third.user, "No one has heard of them."),
        )
        wrote, *_removed = at_once(wall, *acts)
        is_gone = not league.organisers.filter(pk=vanished.pk).exists()
        assert league.events.filter(kind="no organiser").count() == is_gone
        assert is_gone or not isinstance(wrote, Refused)
