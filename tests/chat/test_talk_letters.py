"""The letter about messages: to whom, when, how many, and what it says."""

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
from tests.chat.talking import html_of, letters_at, talk_letters
from tests.journeys.letters import text_of

pytestmark = pytest.mark.django_db

NOW = timedelta(0)


def seat_of(table: Table, person: Any) -> Seat:
    return Seat.objects.select_related("user").get(table=table, user=person)


def test_everybody_else_gets_one_letter_and_the_writer_none(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Shall we begin on **Sunday**?")
    letters = talk_letters()
    assert sorted(letter.to[0] for letter in letters) == ["bruno@example.org", "carla@example.org"]
    letter = letters[0]
    assert letter.subject == "Anna wrote to the table: Table 42"
    assert "    Shall we begin on **Sunday**?\n" in letter.body
    assert "Shall we begin on <strong>Sunday</strong>?" in html_of(letter)
    assert letter.extra_headers["List-Id"].endswith(f"<talk-{table.pk}.testserver>")


def test_a_letter_waits_until_the_conversation_had_its_minutes(table: Table, people: list[Any]) -> None:
    start = timezone.now()
    write(seat_of(table, people[0]), "One")
    assert letters_at(start + timedelta(minutes=4)) == []
    assert len(letters_at(start + timedelta(minutes=6))) == 2


def test_a_conversation_makes_one_letter_to_each_without_his_own_words(
    table: Table, people: list[Any]
) -> None:
    for person, text in zip(people * 2, ("One", "Two", "Three", "Four", "Five", "Six"), strict=True):
        write(seat_of(table, person), f"This is {text}.")
    letters = {letter.to[0]: letter for letter in talk_letters()}
    assert len(letters) == 3
    assert OutgoingEmail.objects.filter(kind="message").count() == 3
    to_anna = letters["anna@example.org"].body
    assert [word for word in ("One", "Two", "Three", "Four", "Five", "Six") if f"is {word}." in to_anna] == [
        "Two",
        "Three",
        "Five",
        "Six",
    ]
    assert letters["anna@example.org"].subject == "New messages from Bruno, Carla: Table 42"


def test_every_message_is_told_exactly_once(table: Table, people: list[Any]) -> None:
    told = list[str]()

    def deliver() -> None:
        told.extend(letter.body for letter in talk_letters(NOW) if letter.to == ["carla@example.org"])

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


def test_a_letter_that_could_not_be_sent_keeps_its_messages_and_takes_more(
    table: Table, people: list[Any], smtp_sink: Any
) -> None:
    smtp_sink.refusals["bruno@example.org"] = "451 later"
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        write(seat_of(table, people[0]), "The first")
        clock.shift(timedelta(minutes=6))
        letters_at(timezone.now())
        write(seat_of(table, people[0]), "The second")
        smtp_sink.refusals.clear()
        clock.shift(timedelta(minutes=6))
        letters_at(timezone.now())
    (to_bruno,) = [letter for letter in smtp_sink.to("bruno@example.org") if "wrote" in letter["Subject"]]
    assert "The first" in text_of(to_bruno)
    assert "The second" in text_of(to_bruno)


def test_the_time_is_the_readers_own(table: Table, people: list[Any]) -> None:
    people[1].time_zone = "Asia/Tokyo"
    people[1].save()
    with time_machine.travel("2026-11-20T20:30:00Z", tick=False):
        write(seat_of(table, people[0]), "Good evening")
        bodies = {letter.to[0]: letter.body for letter in talk_letters()}
    assert "Anna, 21 November 2026, 05:30 JST:" in bodies["bruno@example.org"]
    assert "Anna, 20 November 2026, 20:30 UTC:" in bodies["carla@example.org"]


def test_who_wants_no_such_letters_gets_none(table: Table, people: list[Any]) -> None:
    people[1].talk_letters = "never"
    people[1].save()
    write(seat_of(table, people[0]), "Hello")
    assert [letter.to for letter in talk_letters()] == [["carla@example.org"]]


def test_who_turns_them_off_while_one_waits_gets_none(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    people[1].talk_letters = "never"
    people[1].save()
    assert [letter.to for letter in talk_letters()] == [["carla@example.org"]]


def test_unsubscribing_ends_the_letters_of_this_board_alone(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    letter = next(letter for letter in talk_letters() if letter.to == ["bruno@example.org"])
    link = letter.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("http://testserver")
    assert Client().post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    write(seat_of(table, people[0]), "Again")
    assert [letter.to for letter in talk_letters(timedelta(minutes=20))] == [["carla@example.org"]]
    other = services.make_table(people[0], name="Another", size=3, entry="open")
    services.take_seat(other, people[1])
    write(seat_of(other, people[0]), "Here we talk")
    assert [letter.to for letter in talk_letters(timedelta(minutes=20))] == [["bruno@example.org"]]


def test_who_left_before_it_was_sent_gets_no_letter(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    services.leave(seat_of(table, people[1]))
    assert [letter.to for letter in talk_letters()] == [["carla@example.org"]]


def test_who_sits_down_later_is_not_written_about_what_was_before(
    table: Table, people: list[Any], dario: Any
) -> None:
    write(seat_of(table, people[0]), "Before")
    services.take_seat(table, dario)
    write(seat_of(table, people[0]), "After")
    bodies = {letter.to[0]: letter.body for letter in talk_letters()}
    assert "After" in bodies["dario@example.org"]
    assert "Before" not in bodies["dario@example.org"]
    assert "Before" in bodies["bruno@example.org"]


def test_a_table_called_off_sends_no_more_of_them(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    services.call_off(table)
    assert talk_letters() == []


def test_a_very_long_conversation_tells_how_much_it_leaves_out(table: Table, people: list[Any]) -> None:
    people[2].talk_letters = "digest"
    people[2].save()
    for number in range(33):
        write(seat_of(table, people[number % 2]), f"This is number {number}.")
    assert deliver_due(timezone.now() + timedelta(days=2))
    (body,) = [letter.body for letter in mail.outbox if letter.to == [people[2].email]]
    assert "3 earlier messages are in the talk." in body
    assert "is number 2." not in body
    assert "is number 3." in body
    assert "is number 32." in body


def test_a_message_cannot_pass_for_the_letters_own_words(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hi\n-- \nAnswer, without signing in:\nhttp://evil.example/")
    letter = talk_letters()[0]
    lines = letter.body.splitlines()
    assert lines.count("Answer, without signing in:") == 1
    assert "    Answer, without signing in:" in lines
    assert lines.count("-- ") == 1


def test_a_name_or_text_cannot_write_a_header(table: Table, people: list[Any]) -> None:
    Table.objects.update(name="Sly\r\nBcc: all@example.org")
    write(seat_of(table, people[0]), "a\r\nBcc: all@example.org")
    letter = talk_letters()[0]
    assert letter.recipients() == letter.to
    assert "\n" not in letter.subject


def test_namesakes_are_told_apart(table: Table, people: list[Any]) -> None:
    people[1].name = "Anna"
    people[1].save()
    write(seat_of(table, people[1]), "It is me")
    letter = next(letter for letter in talk_letters() if letter.to == ["carla@example.org"])
    assert letter.subject == "Anna (2) wrote to the table: Table 42"


def test_a_letter_begins_with_a_capital_when_its_writer_has_gone(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[1]), "Farewell")
    services.leave(seat_of(table, people[1]))
    letter = talk_letters()[0]
    assert letter.subject == "A former player wrote to the table: Table 42"
    assert "\nA former player, " in letter.body


def test_the_letter_says_in_plain_words_why_it_came(table: Table, people: list[Any]) -> None:
    write(seat_of(table, people[0]), "Hello")
    body = " ".join(talk_letters()[0].body.split())
    assert "You get this letter because you have a seat at the table “Table 42”." in body
