"""Substitutes are asked for seats that players leave, in order, and take them with all that belongs there."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.blocking import block
from accounts.mail.delivery import deliver_due
from accounts.mail.models import SuppressedAddress
from games import services
from games.leagues.links import ask_url
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season, SubstituteOffer
from games.leagues.results.division_standings import division_standings
from games.leagues.results.table_results import facts_of_table
from games.leagues.selectors.league_tables import table_views
from games.leagues.services import offer_answers, seat_decisions, substitutes, withdrawals
from games.leagues.services.result_collection import collect_finished
from games.models import Note, Seat
from games.rules import verify
from games.selectors.integrity import differences
from games.selectors.records import record_of
from games.services import Refused
from tests.clocks.passing import HOUR
from tests.games.playing import play_until
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db

Answer = SubstituteOffer.Answer


@pytest.fixture
def season(wall: Any, anna: Any, bruno: Any, carla: Any) -> Season:
    return world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=2)


@pytest.fixture
def table(season: Season, anna: Any, bruno: Any, carla: Any) -> LeagueTable:
    """Anna, Bruno and Carla play; Anna organises the league as well."""
    round_ = season.divisions.get().rounds.get(number=1)
    return world.seat_by_hand(round_, [anna, bruno, carla])[0]


def left(table: LeagueTable, user: Any) -> OpenSeat:
    """A seat that its player gave up on the game's page, and the site has noticed."""
    absent.give_up(table, user)
    absent.tick()
    return table.open_seats.latest("pk")


def answers(open_seat: OpenSeat) -> list[str]:
    return list(open_seat.asks.values_list("answer", flat=True))


def test_someone_who_helped_first_is_asked_first_and_by_email(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    assert (open_seat.why, open_seat.left_by, open_seat.seat) == ("left", bruno, 1)
    assert absent.asked(open_seat) == [dario]
    assert absent.emails("league_ask") == [dario]
    ask = absent.the_ask(dario)
    assert ask.until - ask.asked_at == timedelta(hours=24)


def test_an_offer_names_those_with_whom_one_would_play(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, client: Client
) -> None:
    absent.help_in(season, dario)
    left(table, bruno)
    deliver_due()
    (email,) = [one for one in mail.outbox if "A seat for a substitute" in one.subject]
    assert "Players: Anna and Carla." in email.body
    link = re.search(r"http://testserver(/leagues/by-link/\S+)", email.body)
    assert link is not None
    assert "Players there: Anna and Carla." in client.get(link[1]).content.decode()


def test_saying_no_or_nothing_moves_on_and_in_the_end_an_organiser_is_told(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    offer_answers.decline(absent.the_ask(dario))
    assert absent.asked(open_seat) == [dario, elena]
    wall.now += 23 * HOUR
    absent.tick()
    assert answers(open_seat) == ["declined", "open"]
    assert absent.emails("league_open_seat_over") == []
    wall.now += HOUR
    absent.tick()
    absent.tick()
    open_seat.refresh_from_db()
    assert answers(open_seat) == ["declined", "silent"]
    assert open_seat.state == OpenSeat.State.NOBODY
    assert absent.emails("league_open_seat_over") == [anna]


def test_seats_that_one_player_left_at_once_are_named_in_one_email(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    second = season.divisions.get().rounds.get(number=2)
    world.seat_by_hand(second, [anna, bruno, carla])
    withdrawals.expel(season.entries.get(user=bruno), anna, "They insulted others.")
    assert absent.emails("league_open_seat_over") == [anna]
    deliver_due()
    (email,) = [one for one in mail.outbox if "No substitute found" in one.subject]
    assert "the free seat at table 1 of round 1." in email.body
    assert "the free seat at table 1 of round 2." in email.body
    assert "give each to someone" in email.body
    left(table, carla)
    assert absent.emails("league_open_seat_over") == [anna, anna]


def test_anyone_who_was_asked_last_is_asked_last_the_next_time(
    season: Season, table: LeagueTable, bruno: Any, carla: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    left(table, bruno)
    offer_answers.accept(absent.the_ask(dario))
    open_seat = left(table, carla)
    assert absent.asked(open_seat) == [elena]


def test_no_one_is_asked_twice_at_once(
    season: Season, table: LeagueTable, bruno: Any, carla: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    first, second = left(table, bruno), left(table, carla)
    assert absent.asked(first) == [dario]
    assert absent.asked(second) == []
    second.refresh_from_db()
    assert second.state == OpenSeat.State.OPEN, "their answer is still open"
    offer_answers.decline(absent.the_ask(dario))
    absent.tick()
    assert absent.asked(second) == [dario]


def test_nor_by_two_leagues_at_once(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any, elena: Any, fabio: Any
) -> None:
    other = world.a_running_season(anna, [anna, elena, fabio], size=3, rounds=1)
    there = world.seat_by_hand(other.divisions.get().rounds.get(), [anna, elena, fabio])[0]
    absent.help_in(season, dario)
    absent.help_in(other, dario)
    left(table, bruno)
    assert absent.asked(left(there, elena)) == []
    offer_answers.accept(absent.the_ask(dario))
    absent.tick()
    assert absent.the_ask(dario).open_seat.table == there


def test_who_sits_or_sat_there_or_is_not_liked_there_is_never_asked(
    season: Season, table: LeagueTable, bruno: Any, carla: Any, dario: Any, elena: Any, fabio: Any, anna: Any
) -> None:
    absent.help_in(season, bruno, carla, dario, elena, fabio)
    block(carla, dario)
    block(elena, anna)
    open_seat = left(table, bruno)
    assert absent.asked(open_seat) == [fabio]
    offer_answers.accept(absent.the_ask(fabio))
    absent.give_up(table, fabio)
    absent.tick()
    again = table.open_seats.latest("pk")
    assert (again.left_by, again.state) == (fabio, OpenSeat.State.NOBODY)
    assert absent.asked(again) == []


def test_blocking_the_one_who_leaves_is_no_hindrance(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    absent.stay_away(table, bruno)
    block(bruno, dario)
    absent.tick()
    offer_answers.accept(absent.the_ask(dario))
    assert world.seat_at(table, dario).number == 1


def test_someone_who_is_not_liked_any_more_when_they_accept_is_not_seated_and_the_next_is_asked(
    season: Season, table: LeagueTable, bruno: Any, carla: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    block(carla, dario)
    with pytest.raises(Refused, match="can’t take a seat"):
        offer_answers.accept(absent.the_ask(dario))
    assert answers(open_seat) == ["declined", "open"]
    assert absent.asked(open_seat)[-1] == elena


@pytest.mark.long
def test_anyone_who_accepts_gets_the_seat_its_hand_its_log_and_a_fresh_decision(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, signed_in: Any
) -> None:
    game = world.game_at(table)
    play_until(game, lambda state, decision: state.ply > 20 and decision.seat == 1)
    hand = signed_in(bruno).get(f"/games/{game.pk}/").context["page"].hand
    absent.help_in(season, dario)
    absent.stay_away(table, bruno)
    absent.tick()
    assert hand
    seat = offer_answers.accept(absent.the_ask(dario))
    assert (seat.user, seat.number, seat.played_by_bot, seat.misses) == (dario, 1, "", 0)
    page = signed_in(dario).get(f"/games/{game.pk}/")
    assert page.status_code == 200
    assert signed_in(bruno).get(f"/games/{game.pk}/").status_code == 404
    assert table.open_seats.get().state == OpenSeat.State.TAKEN
    assert table.open_seats.get().taken_by == dario
    assert absent.emails("seat_taken") == [bruno]
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.SUBSTITUTED)
    assert (event.by, list(event.touched.all()), event.table) == (None, [dario], table)
    assert differences(game.pk) == []


def test_accepting_twice_is_accepting_once(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    left(table, bruno)
    ask = absent.the_ask(dario)
    assert offer_answers.accept(ask) == offer_answers.accept(ask)
    assert world.game_at(table).seat_changes.count() == 2
    with pytest.raises(Refused, match="You have already taken this seat"):
        offer_answers.decline(ask)


def test_the_note_that_was_left_comes_before_ones_own(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    game = world.game_at(table)
    absent.help_in(season, dario)
    services.write_note(game, dario, "I looked on before")
    withdrawals.withdraw(season.entries.get(user=bruno), note="Anna wants Venezia")
    offer_answers.accept(absent.the_ask(dario))
    left_for_dario, own = Note.objects.get(game=game, user=dario).text.split("\n\n")
    assert left_for_dario == "> Anna wants Venezia"
    assert own == "I looked on before"


def test_someone_who_answers_too_late_has_the_seat_while_no_one_else_is_asked(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    ask = absent.the_ask(dario)
    wall.now += 25 * HOUR
    absent.tick()
    with pytest.raises(Refused, match="offered to someone else"):
        offer_answers.accept(ask)
    wall.now += 25 * HOUR
    absent.tick()
    assert answers(open_seat) == ["silent", "silent"]
    offer_answers.accept(ask)
    assert world.seat_at(table, dario).number == 1
    with pytest.raises(Refused, match="Someone else has already taken"):
        offer_answers.accept(open_seat.asks.get(substitute__user=elena))


def test_a_player_who_is_back_is_asked_for_no_more(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    absent.stay_away(table, bruno)
    absent.tick()
    open_seat, ask = table.open_seats.get(), absent.the_ask(dario)
    assert open_seat.why == OpenSeat.Why.AWAY
    services.come_back(world.seat_at(table, bruno))
    absent.tick()
    open_seat.refresh_from_db()
    ask.refresh_from_db()
    assert (open_seat.state, ask.answer) == (OpenSeat.State.CLOSED, Answer.NEEDLESS)
    with pytest.raises(Refused, match="no longer free"):
        offer_answers.accept(ask)
    offer_answers.decline(ask)


def test_accepting_before_the_site_has_noticed_that_they_are_back_is_refused_and_noticed(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    absent.stay_away(table, bruno)
    absent.tick()
    ask = absent.the_ask(dario)
    services.come_back(world.seat_at(table, bruno))
    with pytest.raises(Refused, match="no longer free"):
        offer_answers.accept(ask)
    assert table.open_seats.get().state == OpenSeat.State.CLOSED
    assert SubstituteOffer.objects.get().answer == Answer.NEEDLESS
    assert world.seat_at(table, bruno).played_by_bot == ""


def test_someone_who_helps_later_is_asked_for_what_no_one_wanted(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    open_seat = left(table, bruno)
    assert open_seat.state == OpenSeat.State.NOBODY
    absent.help_in(season, dario)
    assert absent.asked(open_seat) == [dario]
    offer_answers.decline(absent.the_ask(dario))
    absent.help_in(season, dario)
    assert answers(open_seat) == ["declined"]
    open_seat.refresh_from_db()
    assert open_seat.state == OpenSeat.State.NOBODY


def test_helping_can_be_ended_and_begun_again_at_the_end_of_the_queue(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, carla: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    substitutes.stop_volunteering(season, dario)
    substitutes.stop_volunteering(season, dario)
    assert absent.asked(open_seat) == [dario, elena]
    assert answers(open_seat) == ["declined", "open"]
    offer_answers.accept(absent.the_ask(elena))
    assert absent.asked(left(table, carla)) == []
    wall.now += HOUR
    absent.help_in(season, dario)
    assert list(season.substitutes.values_list("user", flat=True)) == [elena.pk, dario.pk]
    assert absent.the_ask(dario).open_seat.left_by == carla


def test_someone_who_gives_a_taken_seat_back_leaves_a_free_seat_and_its_note(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    withdrawals.withdraw(season.entries.get(user=bruno), note="Keep the Bishop")
    offer_answers.accept(absent.the_ask(dario))
    again = left(table, dario)
    assert (again.why, again.left_by) == (OpenSeat.Why.LEFT, dario)
    offer_answers.accept(absent.the_ask(elena))
    assert "Keep the Bishop" in Note.objects.get(user=elena).text
    world.finish(table)
    holders = [holder.player for holder in facts_of_table(table).seats[1].holders]
    assert holders == [bruno.pk, None, dario.pk, None, elena.pk]


@pytest.mark.long
def test_helping_changes_nothing_of_ones_own(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any, fabio: Any
) -> None:
    division = season.divisions.get()
    for one in (dario, elena, fabio):
        season.entries.create(user=one, state=Registration.State.PLAYING, division=division)
    own = world.seat_by_hand(division.rounds.get(number=2), [dario, elena, fabio])[0]
    absent.help_in(season, dario)
    before = Registration.objects.values().get(season=season, user=dario)
    left(table, bruno)
    offer_answers.accept(absent.the_ask(dario))
    absent.give_up(table, dario)
    absent.tick()
    assert Registration.objects.values().get(season=season, user=dario) == before
    assert world.seat_at(own, dario).number == 0


@pytest.mark.long
def test_what_a_helper_plays_in_anothers_seat_changes_no_number_of_their_own(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any, fabio: Any
) -> None:
    division = season.divisions.get()
    for one in (dario, elena, fabio):
        season.entries.create(user=one, state=Registration.State.PLAYING, division=division)
    own = world.seat_by_hand(division.rounds.get(number=2), [dario, elena, fabio])[0]
    world.finish(own)
    collect_finished(wall.now)
    before = next(row for row in division_standings(division).standings.rows if row.player == dario.pk)
    absent.help_in(season, dario)
    left(table, bruno)
    offer_answers.accept(absent.the_ask(dario))
    world.finish(table)
    collect_finished(wall.now)
    after = division_standings(division).standings
    row = next(row for row in after.rows if row.player == dario.pk)
    assert (row.points, row.played, row.wins, row.results) == (
        before.points,
        before.played,
        before.wins,
        before.results,
    )
    assert [(one.player, one.seated) for one in after.substitute_results] == [(dario.pk, bruno.pk)]


def test_no_one_helps_in_a_season_that_is_over_or_that_expelled_them(
    season: Season, anna: Any, bruno: Any, dario: Any
) -> None:
    withdrawals.expel(season.entries.get(user=bruno), anna, "He shouts")
    with pytest.raises(Refused, match="expelled"):
        substitutes.volunteer(season, bruno)
    Season.objects.update(state=Season.State.CLOSED)
    with pytest.raises(Refused, match="ended"):
        substitutes.volunteer(season, dario)


def test_whom_an_organiser_blocks_does_not_help(season: Season, anna: Any, dario: Any) -> None:
    block(anna, dario)
    with pytest.raises(Refused):
        substitutes.volunteer(season, dario)


def test_a_closed_account_is_not_asked_and_takes_nothing(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    type(dario).objects.filter(pk=dario.pk).update(is_active=False)
    open_seat = left(table, bruno)
    assert absent.asked(open_seat) == [elena]


def test_who_cannot_be_reached_by_mail_is_not_waited_for(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    SuppressedAddress.objects.create(address=dario.email, since=wall.now)
    open_seat = left(table, bruno)
    assert absent.asked(open_seat) == [elena]
    SuppressedAddress.objects.all().delete()
    offer_answers.decline(absent.the_ask(elena))
    assert absent.asked(open_seat) == [elena, dario]


def test_when_the_game_is_over_no_one_is_sought(
    season: Season, table: LeagueTable, bruno: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    open_seat = left(table, bruno)
    ask = absent.the_ask(dario)
    world.finish(table)
    with pytest.raises(Refused, match="game is over"):
        offer_answers.accept(ask)
    open_seat.refresh_from_db()
    ask.refresh_from_db()
    assert (open_seat.state, ask.answer) == (OpenSeat.State.CLOSED, Answer.NEEDLESS)
    assert verify(record_of(world.game_at(table), ("A", "B", "C"))).ok


@pytest.mark.long
def test_someone_who_is_asked_finds_it_on_the_seasons_page_until_they_have_answered(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any, signed_in: Any
) -> None:
    absent.help_in(season, dario, elena)
    left(table, bruno)
    path = f"/leagues/{season.league_id}/season/1/"
    asked = "A seat needs a substitute, and you are next in line."
    page = signed_in(dario).get(path).content.decode()
    assert asked in page
    assert asked not in signed_in(elena).get(path).content.decode()
    link = re.search(r'href="http://testserver(/leagues/by-link/[^"]+)">See the seat', page)
    assert link is not None
    assert "Take the seat" in signed_in(dario).get(link[1]).content.decode()
    signed_in(dario).post(link[1], {"action": "accept"})
    assert world.seat_at(table, dario).number == 1
    assert asked not in signed_in(dario).get(path).content.decode()


# What an organiser decides


def test_an_organiser_seats_someone_who_helps_with_a_reason(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario, elena)
    open_seat = left(table, bruno)
    for _click in range(2):
        seat_decisions.seat_substitute(open_seat, anna, elena, "Dario is on a boat")
    assert world.seat_at(table, elena).number == 1
    assert answers(open_seat) == ["needless"]
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.SUBSTITUTED)
    assert (event.by, event.reason, list(event.touched.all())) == (anna, "Dario is on a boat", [elena])
    assert absent.emails("league_event") == [elena]


def test_an_organiser_takes_a_seat_themselves(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, fabio: Any
) -> None:
    season.league.organisers.create(user=fabio)
    seat_decisions.seat_substitute(left(table, bruno), fabio, fabio, "Nobody else would")
    assert world.seat_at(table, fabio).number == 1


def test_an_organiser_seats_no_one_against_their_will_and_no_one_else_seats_anyone(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any, dario: Any, elena: Any
) -> None:
    absent.help_in(season, dario)
    open_seat = left(table, bruno)
    with pytest.raises(Refused, match="only to a substitute"):
        seat_decisions.seat_substitute(open_seat, anna, elena, "She is good")
    with pytest.raises(Refused, match="organiser"):
        seat_decisions.seat_substitute(open_seat, carla, dario, "I say so")
    for nothing in ("", "  \n", "\u200b", "x" * 1001):
        with pytest.raises(Refused):
            seat_decisions.seat_substitute(open_seat, anna, dario, nothing)
    offer_answers.decline(absent.the_ask(dario))
    with pytest.raises(Refused, match="declined"):
        seat_decisions.seat_substitute(open_seat, anna, dario, "All the same")
    with pytest.raises(Refused, match="can’t take a seat"):
        seat_decisions.seat_substitute(open_seat, anna, anna, "I play two seats")
    assert Seat.objects.get(table=table.table_id, number=1).bot


def test_an_organiser_leaves_a_seat_to_its_bot_for_good(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    absent.help_in(season, dario)
    open_seat = left(table, bruno)
    with pytest.raises(Refused, match="organiser"):
        seat_decisions.play_on(open_seat, carla, "Why not")
    seat_decisions.play_on(open_seat, anna, "Nearly over")
    seat_decisions.play_on(open_seat, anna, "Nearly over")
    absent.tick()
    open_seat.refresh_from_db()
    assert (open_seat.state, answers(open_seat)) == (OpenSeat.State.CLOSED, ["needless"])
    assert table.open_seats.count() == 1
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.LEFT_TO_BOT)
    assert (event.reason, list(event.touched.all())) == ("Nearly over", [bruno])
    with pytest.raises(Refused, match="no longer needs"):
        seat_decisions.seat_substitute(open_seat, anna, dario, "On second thoughts")


def test_the_page_of_a_seat_that_was_taken_leads_to_it(
    season: Season, table: LeagueTable, bruno: Any, dario: Any, elena: Any, client: Client
) -> None:
    absent.help_in(season, dario)
    left(table, bruno)
    path = reverse("league_by_link", args=[ask_url(absent.the_ask(dario)).rstrip("/").rpartition("/")[2]])
    assert "Go to your seat" not in client.get(path).content.decode()
    taken = client.post(path, {"action": "accept"}, follow=True).content.decode()
    link = re.search(r'href="http://testserver(/seat/[^"]+)">Go to your seat', taken)
    assert link is not None
    assert client.get(link[1]).status_code == 200
    absent.give_up(table, dario)
    assert "Go to your seat" not in client.get(path).content.decode()


def test_the_email_about_a_seat_that_was_given_leads_to_it(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any, client: Client
) -> None:
    absent.help_in(season, dario)
    seat_decisions.replace_seated(table, 1, anna, dario, "Asked for it.")
    deliver_due()
    (email,) = [one for one in mail.outbox if "Anna gave you a seat at a table." in one.body]
    link = re.search(r"Go to your seat:\s+http://testserver(/seat/\S+)", email.body)
    assert link is not None
    assert client.get(link[1]).status_code == 200


def test_winners_are_named_as_in_the_game_by_who_played_last(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any, client: Client
) -> None:
    absent.help_in(season, dario)
    seat_decisions.replace_seated(table, 1, anna, dario, "Asked for it.")
    world.finish(table)
    collect_finished(clock.now())
    row = LeagueTable.objects.get(pk=table.pk)
    assert row.facts is not None
    for seat in row.facts["seats"]:
        seat["won"], seat["place"] = seat["holders"][0][0] == bruno.pk, 1
    row.save(update_fields=["facts"])
    rows = LeagueTable.objects.filter(pk=table.pk)
    said = {reader: table_views(rows, reader)[0].ending for reader in (None, anna, bruno, dario)}
    assert said == {
        None: "Dario (for Bruno) won.",
        anna: "Dario (for Bruno) won.",
        bruno: "Dario (for you) won.",
        dario: "You won.",
    }
