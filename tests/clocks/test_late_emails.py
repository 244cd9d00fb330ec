"""No one runs out of time before their email leaves; time lost to a late email is given back then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any

import pytest
from django.core import mail

from accounts import availability
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games import services
from games.models import LogEntry, Seat
from tests.clocks import failing_backend
from tests.clocks.passing import HOUR, MONDAY, Wall, asked_seat, emails, timed_game

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def post(settings: Any) -> Iterator[None]:
    settings.EMAIL_BACKEND = failing_backend.BACKEND
    failing_backend.is_down = False
    failing_backend.put_off.clear()
    yield
    failing_backend.is_down = False
    failing_backend.put_off.clear()


def tick_through(wall: Wall, span: timedelta, step: timedelta = 10 * MINUTE) -> int:
    """Tick at regular steps, whether anything is due or not."""
    until, played = wall.now + span, 0
    while wall.now < until:
        wall.now += step
        played += wall.tick()
    return played


def test_an_email_that_leaves_in_time_changes_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(HOUR)
    assert emails("your_turn")[0].state == OutgoingEmail.State.SENT
    assert asked_seat(game).counted_from == MONDAY
    assert not game.time_events.exists()


def test_while_the_mail_server_is_away_nobodys_time_runs_out(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="hours")
    failing_backend.is_down = True
    assert tick_through(wall, 36 * HOUR, 4 * HOUR) == 0
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    seat = asked_seat(game)
    sent = emails("your_turn")[0].sent_at
    assert sent is not None
    assert (seat.counted_from, seat.time_left, seat.reserve) == (sent, 6 * HOUR, 24 * HOUR)
    event = game.time_events.get()
    assert (event.kind, event.seat, event.at) == ("credited", seat.number, sent)
    assert wall.pass_to(sent + 30 * HOUR - MINUTE) == 0
    assert wall.pass_to(sent + 30 * HOUR) == 1


@pytest.mark.long
def test_the_reserve_is_given_back_though_it_was_found_used_meanwhile(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno], pace="hours")
    failing_backend.is_down = True
    tick_through(wall, 20 * HOUR, HOUR)
    availability.change(asked_seat(game).person, quiet_from=time(1), quiet_until=time(2), days_off=[])
    assert asked_seat(game).reserve == 10 * HOUR
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    seat = asked_seat(game)
    assert (seat.time_left, seat.reserve) == (6 * HOUR, 24 * HOUR)


@pytest.mark.long
def test_an_email_that_leaves_late_in_a_pause_gives_time_back_after_it(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno], pace="day", time_by="host")
    failing_backend.is_down = True
    tick_through(wall, 20 * HOUR, HOUR)
    services.host_pauses(game, anna, 3)
    until = wall.now + timedelta(days=3)
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left, seat.reserve) == (until, 24 * HOUR, 72 * HOUR)


@pytest.mark.long
def test_an_email_that_is_a_little_late_gives_nothing_back(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    failing_backend.is_down = True
    tick_through(wall, 10 * MINUTE, MINUTE)
    failing_backend.is_down = False
    tick_through(wall, 4 * MINUTE, MINUTE)
    assert emails("your_turn")[0].state == OutgoingEmail.State.SENT
    assert asked_seat(game).counted_from == MONDAY


@pytest.mark.long
def test_an_address_that_is_put_off_is_waited_for(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="hours")
    asked = asked_seat(game)
    failing_backend.put_off.add(asked.person.email)
    assert tick_through(wall, 33 * HOUR) == 0
    failing_backend.put_off.clear()
    tick_through(wall, 3 * HOUR)
    assert asked_seat(game).counted_from == emails("your_turn")[0].sent_at


@pytest.mark.long
def test_an_email_that_is_given_up_stops_no_game(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="hours")
    asked = asked_seat(game)
    failing_backend.put_off.add(asked.person.email)
    tick_through(wall, timedelta(days=4), HOUR / 2)
    assert emails("your_turn")[0].state == OutgoingEmail.State.FAILED
    assert LogEntry.objects.filter(game=game, via="clock", seat=asked.number).exists()


def test_an_email_that_will_be_tried_again_stops_the_clock(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.reminders = []
        person.save()
    timed_game([anna, bruno], pace="hours")
    OutgoingEmail.objects.update(attempts=1, last_error="451 later", not_before=MONDAY + 40 * HOUR)
    wall.now = MONDAY + 31 * HOUR
    assert wall.tick() == 0


def test_a_refused_address_stops_no_game_either(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="hours")
    asked = asked_seat(game)
    asked.person.email = "no body@example.org"
    asked.person.save()
    assert wall.pass_to(MONDAY + 30 * HOUR) == 1
    assert game.log.filter(via="clock").exists()


@pytest.mark.long
def test_a_late_email_of_several_games_gives_time_back_in_each(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.frequency, person.batch_minutes = User.Frequency.BATCHED, 60
        person.at_once_when_alone = False
        person.save()
    games = [timed_game([anna, bruno], name=f"Table {number}") for number in range(2)]
    assert {email.kind for email in OutgoingEmail.objects.filter(kind__in=("your_turn", "waiting"))} == {
        "waiting"
    }
    failing_backend.is_down = True
    tick_through(wall, 30 * HOUR, HOUR)
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    for game in games:
        seat = asked_seat(game)
        sent = emails("waiting", seat.user)[0].sent_at
        assert (seat.counted_from, seat.time_left) == (sent, 24 * HOUR)


def test_a_daily_email_at_its_hour_is_not_late(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.frequency, person.digest_at = User.Frequency.DIGEST, time(11)
        person.at_once_when_alone = False
        person.save()
    game = timed_game([anna, bruno], pace="week")
    wall.pass_by(30 * HOUR)
    assert emails("waiting")[0].state == OutgoingEmail.State.SENT
    assert asked_seat(game).counted_from == MONDAY
    assert not game.time_events.exists()


@pytest.mark.long
def test_after_a_late_reminder_there_is_time_to_answer(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.reminders = [6, 1]
        person.save()
    game = timed_game([anna, bruno])
    wall.pass_to(MONDAY + 89 * HOUR)
    failing_backend.is_down = True
    assert tick_through(wall, 8 * HOUR) == 0, "no time is out before the reminder has left"
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    sent = emails("reminder")[0].sent_at
    assert sent is not None
    assert sent > MONDAY + 96 * HOUR
    seat = asked_seat(game)
    assert seat.due_at == sent + 2 * HOUR
    event = game.time_events.get()
    assert (event.kind, event.seat, event.at) == ("credited", seat.number, sent)
    wall.pass_to(sent + HOUR + MINUTE)
    last = mail.outbox[-1]
    assert last.subject.startswith("Reminder: ")
    assert "Time left: 1 hour." in last.body
    assert "Our email to you was late, so you got that time back." in last.body


def test_a_late_reminder_of_a_secret_decision_is_noted_nowhere(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.reminders = [6]
        person.save()
    game = timed_game([anna, bruno])
    due = MONDAY + 24 * HOUR
    secret = {"pending_decision": "hand", "due_at": due, "remind_at": due - 6 * HOUR}
    Seat.objects.filter(pk=asked_seat(game).pk).update(**secret)
    wall.pass_to(due - 7 * HOUR)
    failing_backend.is_down = True
    tick_through(wall, 8 * HOUR, HOUR)
    failing_backend.is_down = False
    tick_through(wall, HOUR)
    assert asked_seat(game).due_at == emails("reminder")[0].sent_at + 2 * HOUR
    assert not game.time_events.exists()


def test_a_reminder_in_time_moves_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.reminders = [1]
        person.save()
    game = timed_game([anna, bruno])
    wall.pass_to(MONDAY + 95 * HOUR + 5 * MINUTE)
    assert emails("reminder")[0].state == OutgoingEmail.State.SENT
    assert asked_seat(game).due_at == MONDAY + 96 * HOUR
