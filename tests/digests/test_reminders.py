"""Reminders: one for each lead time and deadline, about open decisions, never before their email."""

import html
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from accounts import times
from accounts.mail.models import OutgoingEmail, Unsubscription
from games.models import Game, Seat, TimeEvent
from games.services.reminders import remind_due
from games.services.tick import run_tick
from tests.digests.days import DAY, HOUR, MINUTE, Days, asked, of_kind, play_on, to, wants
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db

MOST_WORDS = 80


def seat_of(game: Game, person: Any) -> Seat:
    return Seat.objects.get(table=game.table_id, user=person)


def reminder_emails(person: Any, days: Days) -> list[datetime]:
    """Return when this person was reminded."""
    ids = set(
        OutgoingEmail.objects.filter(kind="reminder", to_user=person).values_list("message_id", flat=True)
    )
    return [at for at, email in days.sent if email.extra_headers["Message-ID"] in ids]


def slow_game(people: list[Any], **terms: Any) -> Game:
    return begin_game(people, **({"name": "Table 1", "pace": "day"} | terms))


def told(days: Days, game: Game) -> Game:
    """Return the game, after everyone in it was emailed."""
    days.pass_by(2 * MINUTE)
    return game


def due_at(game: Game) -> datetime:
    found = seat_of(game, asked(game)).due_at
    assert found is not None
    return found


def test_one_reminder_comes_at_each_lead_its_reader_chose(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[24, 6, 1])
    game = slow_game(people)
    due, person = due_at(game), asked(game)
    days.until(due - MINUTE)
    assert reminder_emails(person, days) == [due - 24 * HOUR, due - 6 * HOUR, due - HOUR]
    for other in people:
        if other != person:
            assert reminder_emails(other, days) == []


def test_a_reminder_says_how_long_by_when_and_what_the_clock_would_do(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[6], time_zone="Europe/Warsaw")
    game = slow_game(people)
    due, person = due_at(game), asked(game)
    days.until(due - MINUTE)
    (email,) = of_kind("reminder", to(person, [email for _, email in days.sent]))
    assert email.subject == "Reminder: Table 1"
    words = f"Move by {times.moment_with_city(due, person.zone)}"
    assert "Reserve left: 6 hours." in " ".join(email.body.split())
    assert "Time left" not in email.body
    assert len(email.body.partition("-- ")[0].split()) <= MOST_WORDS
    assert words in " ".join(email.body.split())
    assert words in " ".join(html.unescape(str(email.alternatives[0][0])).split())
    assert "After that, the site draws a region for you." in " ".join(email.body.split())
    assert "/answer/" in email.body
    assert "begin with “say:”" in email.body
    assert email.extra_headers["References"] == f"<game-{game.pk}@testserver>"
    assert "<reminders.testserver>" in email.extra_headers["List-Id"]


def test_no_reminder_comes_once_the_decision_is_answered(days: Days, people: list[Any]) -> None:
    game = slow_game(people)
    due, person = due_at(game), asked(game)
    days.until(due - 23 * HOUR)
    assert len(reminder_emails(person, days)) == 1
    while asked(game) == person:
        play_on(game)
    days.until(due)
    assert len(reminder_emails(person, days)) == 1


def test_a_reminder_that_waits_in_the_outbox_is_overtaken_by_the_answer(
    days: Days, people: list[Any]
) -> None:
    game = told(days, slow_game(people))
    person = asked(game)
    days.now = due_at(game) - 24 * HOUR
    assert remind_due(days.now) == 1
    play_on(game)
    assert of_kind("reminder", to(person, days.tick())) == []
    assert OutgoingEmail.objects.get(kind="reminder").state == "overtaken"


def test_ticks_at_once_or_again_remind_once(days: Days, people: list[Any]) -> None:
    game = told(days, slow_game(people))
    days.now = due_at(game) - 24 * HOUR
    assert [remind_due(days.now) for _number in range(3)] == [1, 0, 0]
    Seat.objects.filter(table=game.table).update(remind_at=due_at(game) - 24 * HOUR)
    remind_due(days.now)
    assert OutgoingEmail.objects.filter(kind="reminder").count() == 1


def test_where_no_lead_fits_one_reminder_comes_half_way(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[48])
    game = slow_game(people, pace="hours")
    person, decision_step = asked(game), days.now
    due = due_at(game)
    days.until(due - MINUTE)
    assert reminder_emails(person, days) == [decision_step + (due - decision_step) / 2]


def test_after_a_silence_of_the_site_the_nearest_reminder_alone_is_sent(
    days: Days, people: list[Any]
) -> None:
    for person in people:
        wants(person, reminders=[48, 24, 12])
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    days.tick()
    days.pass_by(2 * MINUTE)
    days.now = due - 11 * HOUR
    days.tick()
    days.until(due - HOUR)
    assert len(reminder_emails(person, days)) == 1


def test_a_deadline_that_was_moved_is_called_so_and_reminded_of_again(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[6])
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    days.until(due - 5 * HOUR)
    seat = seat_of(game, person)
    seat.due_at = due + 20 * HOUR
    seat.remind_at = due + 14 * HOUR
    seat.save()
    TimeEvent.objects.create(
        game=game, kind="extended", ply=game.ply, by=people[0], amount=20 * HOUR, at=days.now
    )
    days.until(due + 19 * HOUR)
    assert reminder_emails(person, days) == [due - 6 * HOUR, due + 14 * HOUR]
    first, second = of_kind("reminder", to(person, [email for _, email in days.sent]))
    assert "gave everyone" not in first.body
    giver = "You" if person == people[0] else "Anna"
    assert f"{giver} gave 20 hours more to everyone whose turn it was." in " ".join(second.body.split())


def test_a_reason_that_one_reminder_told_is_not_repeated_by_the_next(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[24, 6])
    game = told(days, slow_game(people))
    person, due = asked(game), due_at(game)
    days.pass_by(HOUR)
    TimeEvent.objects.create(game=game, kind="credited", ply=game.ply, amount=24 * MINUTE, at=days.now)
    days.until(due - MINUTE)
    first, second = of_kind("reminder", to(person, [email for _, email in days.sent]))
    words = " ".join(first.body.split())
    assert "The site couldn’t be reached for 24 minutes, so everyone got that time back." in words
    assert "be reached for" not in " ".join(second.body.split())


def test_what_the_email_of_the_decision_came_after_is_no_reason_either(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, reminders=[6])
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    TimeEvent.objects.create(game=game, kind="credited", ply=game.ply, amount=24 * MINUTE, at=days.now)
    days.now += MINUTE
    days.until(due - MINUTE)
    (reminder,) = of_kind("reminder", to(person, [email for _, email in days.sent]))
    assert "be reached for" not in " ".join(reminder.body.split())


def test_a_reminder_of_a_deadline_that_is_another_by_now_is_overtaken(days: Days, people: list[Any]) -> None:
    game = told(days, slow_game(people))
    days.now = due_at(game) - 24 * HOUR
    remind_due(days.now)
    Seat.objects.filter(table=game.table, due_at__isnull=False).update(due_at=due_at(game) + DAY)
    days.tick()
    assert OutgoingEmail.objects.get(kind="reminder").state == "overtaken"


def test_no_reminder_leaves_before_the_decisions_own_email(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, frequency="digest", digest_at=time(11), reminders=[48])
    game = slow_game(people, pace="days")
    person = asked(game)
    assert days.now == datetime(2026, 11, 2, 12, tzinfo=UTC)
    # Something moved the deadline nearer than the hour of the digest.
    Seat.objects.filter(table=game.table, user=person).update(remind_at=days.now + 3 * HOUR)
    days.pass_by(3 * HOUR + MINUTE)
    kinds = [email.subject for email in to(person, [email for _, email in days.sent])]
    assert kinds == ["Your turn: Table 1"]
    assert reminder_emails(person, days) == []
    days.until(due_at(game) - MINUTE)
    assert len(reminder_emails(person, days)) == 1


@pytest.mark.long
def test_while_the_decisions_email_cannot_leave_the_reminder_waits(
    days: Days, people: list[Any], settings: Any
) -> None:
    game = slow_game(people, pace="hours")
    person, due = asked(game), due_at(game)
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "tests.digests.down.NoServer"
    days.until(due - 20 * HOUR)
    assert not OutgoingEmail.objects.filter(kind="reminder").exists()
    settings.EMAIL_BACKEND = backend
    days.until(due - 19 * HOUR)
    emails = to(person, [email for _, email in days.sent])
    assert of_kind("your_turn", emails)[0] == emails[0]


def test_a_reminder_that_was_queued_before_reminders_were_turned_off_is_not_sent(
    days: Days, people: list[Any]
) -> None:
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    days.until(due - 24 * HOUR - MINUTE)
    days.now = due - 24 * HOUR
    remind_due(days.now)
    wants(person, reminders=[])
    days.tick()
    assert OutgoingEmail.objects.get(kind="reminder").state == "unsubscribed"


def test_with_a_games_news_turned_off_reminders_still_come(days: Days, people: list[Any]) -> None:
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    Unsubscription.objects.create(address=person.email, list_id=f"game-{game.pk}")
    days.until(due - 20 * HOUR)
    assert reminder_emails(person, days) == [due - 24 * HOUR]


def test_reminders_are_never_collected(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, frequency="digest", reminders=[24])
    game = slow_game(people)
    person, due = asked(game), due_at(game)
    days.until(due - MINUTE)
    assert reminder_emails(person, days) == [due - 24 * HOUR]


def test_one_seat_that_cannot_be_reminded_stops_no_other(
    days: Days, people: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from games.services import reminders

    games = [told(days, slow_game(people, name=f"Table {number}")) for number in (1, 2)]
    plain = reminders.email_about

    def broken(game: Game, seat: Seat) -> Any:
        if game.pk == games[0].pk:
            raise LookupError("broken")
        return plain(game, seat)

    monkeypatch.setattr(reminders, "email_about", broken)
    days.now = due_at(games[1]) - 24 * HOUR
    assert remind_due(days.now) == 1


def test_without_a_clock_no_one_is_reminded(days: Days, people: list[Any]) -> None:
    begin_game(people)
    days.pass_by(timedelta(days=30))
    assert not OutgoingEmail.objects.filter(kind="reminder").exists()


def test_someone_who_could_not_be_reminded_in_time_gets_time_and_a_reminder(
    days: Days, people: list[Any]
) -> None:
    game = told(days, slow_game(people))
    person = asked(game)
    days.now = due_at(game) + MINUTE
    assert run_tick(days.now) == 0
    days.tick()
    given = due_at(game)
    assert given == days.now + 2 * HOUR
    assert asked(game) == person
    days.until(given - MINUTE)
    assert reminder_emails(person, days) == [given - HOUR]
    (reminder,) = of_kind("reminder", to(person, [email for _, email in days.sent]))
    assert "Our email to you was late, so you got that time back." in reminder.body
