"""The email about messages: to whom, when, how many, and what it says."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games import services
from games.chat.services import write
from games.models import Seat, Table
from tests.chat.chatting import chat_emails, emails_at, html_of
from tests.journeys.emails import text_of

pytestmark = pytest.mark.django_db

NOW = timedelta(0)


def seat_of(table: Table, person: Any) -> Seat:
    return Seat.objects.select_related("user").get(table=table, user=person)


def test_everyone_else_gets_one_email_and_the_writer_none(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Shall we begin on **Sunday**?")
    emails = chat_emails()
    assert sorted(email.to[0] for email in emails) == ["bruno@example.org", "carla@example.org"]
    email = emails[0]
    assert email.subject == "Chat (Anna): Table 42"
    assert "    Shall we begin on **Sunday**?\n" in email.body
    assert "Shall we begin on <strong>Sunday</strong>?" in html_of(email)
    assert email.extra_headers["List-Id"].endswith(f"<chat-{table.pk}.testserver>")


def test_an_email_waits_until_the_conversation_had_its_minutes(table: Table, people: list[Any]) -> None:
    start = timezone.now()
    write(seat_of(table, people[0]), "One")
    assert emails_at(start + timedelta(minutes=4)) == []
    assert len(emails_at(start + timedelta(minutes=6))) == 2


def test_a_conversation_makes_one_email_to_each_without_their_own_words(
    table: Table, people: list[Any]
) -> None:
    for person, text in zip(people * 2, ("One", "Two", "Three", "Four", "Five", "Six"), strict=True):
        write(seat_of(table, person), f"This is {text}.")
    emails = {email.to[0]: email for email in chat_emails()}
    assert len(emails) == 3
    assert OutgoingEmail.objects.filter(kind="message").count() == 3
    to_anna = emails["anna@example.org"].body
    assert [word for word in ("One", "Two", "Three", "Four", "Five", "Six") if f"is {word}." in to_anna] == [
        "Two",
        "Three",
        "Five",
        "Six",
    ]
    assert emails["anna@example.org"].subject == "Chat (Bruno, Carla): Table 42"


def test_every_message_is_told_exactly_once(table: Table, people: list[Any]) -> None:
    told = list[str]()

    def deliver() -> None:
        told.extend(email.body for email in chat_emails(NOW) if email.to == ["carla@example.org"])

    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        for number in range(12):
            write(seat_of(table, people[number % 2]), f"This is number {number}.")
            clock.shift(timedelta(minutes=1, seconds=37))
            deliver()
        clock.shift(timedelta(hours=1))
        deliver()
    assert 3 <= len(told) <= 6
    for number in range(12):
        assert sum(f"is number {number}." in body for body in told) == 1


def test_an_email_that_could_not_be_sent_keeps_its_messages_and_takes_more(
    table: Table, people: list[Any], smtp_sink: Any
) -> None:
    smtp_sink.refusals["bruno@example.org"] = "451 later"
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        write(seat_of(table, people[0]), "The first")
        clock.shift(timedelta(minutes=6))
        emails_at(timezone.now())
        write(seat_of(table, people[0]), "The second")
        smtp_sink.refusals.clear()
        clock.shift(timedelta(minutes=6))
        emails_at(timezone.now())
    (to_bruno,) = [
        email for email in smtp_sink.to("bruno@example.org") if email["Subject"].startswith("Chat")
    ]
    assert "The first" in text_of(to_bruno)
    assert "The second" in text_of(to_bruno)


def test_the_time_is_the_readers_own(table: Table, people: list[Any]) -> None:
    people[1].time_zone = "Asia/Tokyo"
    people[1].save()
    with time_machine.travel("2026-11-20T20:30:00Z", tick=False):
        write(seat_of(table, people[0]), "Good evening")
        bodies = {email.to[0]: email.body for email in chat_emails()}
    assert "Anna, Saturday 21 November, 05:30 (Tokyo):" in bodies["bruno@example.org"]
    assert "Anna, Friday 20 November, 20:30 (UTC):" in bodies["carla@example.org"]


def test_someone_who_wants_no_such_emails_gets_none(table: Table, people: list[Any]) -> None:
    people[1].chat_emails = "never"
    people[1].save()
    write(seat_of(table, people[0]), "Hello")
    assert [email.to for email in chat_emails()] == [["carla@example.org"]]


def test_someone_who_turns_them_off_while_one_waits_gets_none(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    people[1].chat_emails = "never"
    people[1].save()
    assert [email.to for email in chat_emails()] == [["carla@example.org"]]


def test_unsubscribing_ends_the_emails_of_this_board_alone(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    email = next(email for email in chat_emails() if email.to == ["bruno@example.org"])
    link = (
        email.extra_headers["List-Unsubscribe"].partition(">")[0].strip("<").removeprefix("http://testserver")
    )
    assert Client().post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    write(seat_of(table, people[0]), "Again")
    assert [email.to for email in chat_emails(timedelta(minutes=20))] == [["carla@example.org"]]
    other = services.make_table(people[0], name="Another", size=3, entry="open")
    services.take_seat(other, people[1])
    write(seat_of(other, people[0]), "Here we chat")
    assert [email.to for email in chat_emails(timedelta(minutes=20))] == [["bruno@example.org"]]


def test_someone_who_left_before_it_was_sent_gets_no_email(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    services.leave(seat_of(table, people[1]))
    assert [email.to for email in chat_emails()] == [["carla@example.org"]]


def test_who_sits_down_later_is_not_written_about_what_was_before(
    table: Table, people: list[Any], dario: Any
) -> None:
    write(seat_of(table, people[0]), "Before")
    services.take_seat(table, dario)
    write(seat_of(table, people[0]), "After")
    bodies = {email.to[0]: email.body for email in chat_emails()}
    assert "After" in bodies["dario@example.org"]
    assert "Before" not in bodies["dario@example.org"]
    assert "Before" in bodies["bruno@example.org"]


def test_a_table_cancelled_sends_no_more_of_them(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    services.cancel(table)
    assert chat_emails() == []


def test_a_very_long_conversation_tells_how_much_it_leaves_out(
    table: Table, people: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.chat.emails.channel_news.MOST_LINES", 5)
    people[2].chat_emails = "digest"
    people[2].save()
    for number in range(8):
        write(seat_of(table, people[number % 2]), f"This is number {number}.")
    assert deliver_due(timezone.now() + timedelta(days=2))
    (body,) = [email.body for email in mail.outbox if email.to == [people[2].email]]
    assert "3 earlier messages are in the chat." in body
    assert "is number 2." not in body
    assert "is number 3." in body
    assert "is number 7." in body


def test_a_message_cannot_pass_for_the_emails_own_words(table: Table, people: list[Any]) -> None:
    write(
        seat_of(table, people[0]),
        "Hi\n-- \nRead the chat and reply (no sign-in needed):\nhttp://evil.example/",
    )
    email = chat_emails()[0]
    lines = email.body.splitlines()
    assert lines.count("Read the chat and reply (no sign-in needed):") == 1
    assert "    Read the chat and reply (no sign-in needed):" in lines
    assert lines.count("-- ") == 1


def test_a_name_or_text_cannot_write_a_header(table: Table, people: list[Any]) -> None:
    Table.objects.update(name="Sly\r\nBcc: all@example.org")
    write(seat_of(table, people[0]), "a\r\nBcc: all@example.org")
    email = chat_emails()[0]
    assert email.recipients() == email.to
    assert "\n" not in email.subject


def test_namesakes_are_told_apart(table: Table, people: list[Any]) -> None:
    people[1].name = "Anna"
    people[1].save()
    write(seat_of(table, people[1]), "It is me")
    email = next(email for email in chat_emails() if email.to == ["carla@example.org"])
    assert email.subject == "Chat (Anna (2)): Table 42"


def test_an_email_begins_with_a_capital_when_its_writer_has_gone(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[1]), "Farewell")
    services.leave(seat_of(table, people[1]))
    email = chat_emails()[0]
    assert email.subject == "Chat (A former player): Table 42"
    assert "\nA former player, " in email.body


def test_the_email_says_in_plain_words_why_it_came(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    body = " ".join(chat_emails()[0].body.split())
    assert "You get this email because you have a seat in “Table 42”." in body
