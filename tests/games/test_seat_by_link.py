"""The page of a seat by its link: it answers what emails ask, without signing in, and shows no hand."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.mail.suppression import Cause, suppress, unsuppress
from accounts.models import User
from games import services
from games.links import LinkedDecision, answer_token, seat_token
from games.models import Game, Invitation, Seat, Table
from games.rules import apply, legal_moves, pending
from games.services.turn_links import MOST_A_DAY
from tests.games.playing import answer, begin_game, decision_of, game_where, play_to_the_end, play_until
from tests.journeys.rows import all_rows
from tests.tidy import tidy

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def asked_seat(game: Game) -> Seat:
    number = decision_of(game).seat
    return Seat.objects.select_related("table", "user").get(table=game.table_id, number=number)


def address(seat: Seat) -> str:
    return f"/seat/{seat_token(seat)}/"


def read(path: str) -> str:
    return tidy(Client().get(path).content.decode())


def press(path: str, action: str, **more: Any) -> str:
    return tidy(Client().post(path, {"action": action, **more}, follow=True).content.decode())


def emails_to(person: Any) -> list[Any]:
    mail.outbox.clear()
    deliver_due()
    return [email for email in mail.outbox if email.to == [person.email]]


def test_on_ones_turn_it_emails_the_turns_link_to_ones_own_address(game: Game) -> None:
    seat = asked_seat(game)
    emails_to(seat.person)
    before = all_rows()
    page = read(address(seat))
    assert all_rows() == before
    assert re.search(r'<button class="button" name="action" value="turn_link">Email me my turn’s link', page)
    assert "Your hand" not in page
    assert "We’ve emailed you your turn’s link." in press(address(seat), "turn_link")
    (email,) = emails_to(seat.person)
    assert email.subject == "Your turn: Table 42"
    link = re.search(r"Open the game \(no sign-in needed\):\nhttp://testserver(/answer/\S+)", email.body)
    assert link is not None
    assert "Your hand" in read(link[1])
    press(address(seat), "turn_link")
    press(address(seat), "turn_link")
    assert len(emails_to(seat.person)) <= 1  # one a minute


def test_it_says_that_the_turns_email_is_about_to_leave_only_while_that_is_so(game: Game) -> None:
    seat, promise = asked_seat(game), "it’s your turn. We’re emailing you a link."
    person = User.objects.filter(pk=seat.person.pk)
    assert promise in read(address(seat))
    person.update(frequency=User.Frequency.NEVER)
    assert promise not in read(address(seat))
    person.update(frequency=User.Frequency.AT_ONCE)
    row = OutgoingEmail.objects.get(kind="your_turn", to_user=seat.person)
    suppress(row, Cause.FAILURE, "550 no such person", clock.now())
    assert promise not in read(address(seat))
    unsuppress(seat.person.email)
    assert promise in read(address(seat))
    emails_to(seat.person)
    assert promise not in read(address(seat))


def test_it_promises_no_email_to_readers_of_the_daily_one(people: list[Any]) -> None:
    User.objects.update(frequency=User.Frequency.DIGEST, at_once_when_alone=False)
    seat = asked_seat(begin_game(people))
    assert OutgoingEmail.objects.filter(kind="waiting", to_user=seat.person).exists()
    page = read(address(seat))
    assert "The game has started, and it’s your turn." in page
    assert "emailing you" not in page


def test_it_is_sent_also_to_people_who_want_no_turn_emails(game: Game) -> None:
    seat = asked_seat(game)
    emails_to(seat.person)
    User.objects.filter(pk=seat.person.pk).update(frequency=User.Frequency.NEVER)
    press(address(seat), "turn_link")
    assert len(emails_to(seat.person)) == 1


def test_it_sends_so_many_links_a_day_and_no_more(game: Game) -> None:
    seat = asked_seat(game)
    for _ in range(MOST_A_DAY):
        press(address(seat), "turn_link")
    assert "We have emailed you enough links today." in press(address(seat), "turn_link")


def test_someone_who_is_not_asked_gets_no_link(game: Game) -> None:
    other = (
        Seat.objects.select_related("table", "user")
        .filter(table=game.table)
        .exclude(pk=asked_seat(game).pk)[0]
    )
    emails_to(other.person)
    assert 'value="turn_link"' not in read(address(other))
    assert "It’s not your turn now." in press(address(other), "turn_link")
    assert emails_to(other.person) == []


def test_a_secret_decision_is_told_to_its_own_player_alone(people: list[Any]) -> None:
    game, state = game_where(people, lambda state, decision: decision.kind == "hand")
    asked = {decision.seat for decision in pending(state)}
    for seat in Seat.objects.select_related("table", "user").filter(table=game.table):
        assert ('value="turn_link"' in read(address(seat))) == (seat.number in asked)


def test_a_time_to_play_together_is_accepted_and_declined_there(game: Game, people: list[Any]) -> None:
    start = clock.now() + timedelta(days=1)
    seats = [game.table.seats.select_related("table", "user").get(user=person) for person in people]
    (hour,) = services.propose_hours(seats[0], [(start, start + timedelta(hours=1))], is_weekly=False)
    (email,) = [one for one in emails_to(people[1]) if "hours" in one.body]
    link = re.search(r"http://testserver(/seat/\S+)#hours", email.body)
    assert link is not None
    before = all_rows()
    page = read(link[1])
    assert all_rows() == before
    assert 'id="hours"' in page
    assert "All times are in your time zone" in page
    assert "You accepted this time." in press(link[1], "accept_hour", hour=hour.pk)
    assert hour.answers.get(user=people[1]).accepts
    assert "You declined this time." in press(link[1], "decline_hour", hour=hour.pk)
    assert not hour.answers.get(user=people[1]).accepts
    assert "No one proposes this time any more." in press(link[1], "accept_hour", hour=hour.pk + 99)
    other = Table.objects.create(name="Other", size=3, host=people[0], secret=b"x" * 32)
    hour.table = other
    hour.save()
    assert "No one proposes this time any more." in press(link[1], "accept_hour", hour=hour.pk)


def test_after_the_last_move_by_link_the_chronicle_and_a_rematch_are_there(
    game: Game, people: list[Any]
) -> None:
    def is_last(state: Any, decision: Any) -> bool:
        return any(apply(state, decision.seat, move)[0].is_over for move in legal_moves(state, decision.seat))

    state = play_until(game, is_last, seed=5)
    decision = next(one for one in pending(state) if is_last(state, one))
    move = next(
        one for one in legal_moves(state, decision.seat) if apply(state, decision.seat, one)[0].is_over
    )
    linked = LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    path, client = f"/answer/{answer_token(linked)}/", Client()
    page = tidy(client.post(f"{path}move/", {"move": str(move)}, follow=True).content.decode())
    assert Game.objects.get(pk=game.pk).is_over
    chronicle = re.search(r'href="http://testserver(/chronicle/[^"]+)"', page)
    seat = re.search(r'href="http://testserver(/seat/[^"]+)"', page)
    assert chronicle is not None
    assert seat is not None
    assert Client().get(chronicle[1]).status_code == 200
    before = all_rows()
    assert 'value="rematch"' in read(seat[1])
    assert all_rows() == before
    assert "You have a seat in the rematch." in press(seat[1], "rematch")
    made = Table.objects.get(rematch_of=game)
    assert made.host == people[decision.seat]
    assert Invitation.objects.filter(table=made).count() == 2
    page = read(seat[1])
    assert 'value="rematch"' not in page
    assert f"/tables/{made.pk}/" not in page
    assert seat_token(made.seats.get(user=made.host)) not in page


def test_while_the_game_runs_its_link_gives_no_key_to_more(game: Game, people: list[Any]) -> None:
    decision = decision_of(game)
    linked = LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    path = f"/answer/{answer_token(linked)}/"
    for page in (read(path), (answer(game, "place siena"), read(path))[1]):
        assert "/seat/" not in page
        assert "/chronicle/" not in page
    assert "You can ask for a rematch when the game is over." in press(address(asked_seat(game)), "rematch")


def test_the_last_email_offers_the_rematch_without_signing_in(game: Game, people: list[Any]) -> None:
    emails_to(people[0])
    play_to_the_end(game)
    (email,) = [one for one in emails_to(people[0]) if "Game over" in one.subject]
    link = re.search(r"Play a rematch \(no sign-in needed\):\nhttp://testserver(/seat/\S+)", email.body)
    assert link is not None
    assert 'value="rematch"' in read(link[1])
