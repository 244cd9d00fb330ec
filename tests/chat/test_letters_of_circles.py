"""When letters of each circle come, and that no message is lost between two letters or told by both."""

import random
import re
import threading
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import clock as site_clock
from accounts.mail.delivery import deliver_due
from accounts.mail.digests import follow_frequency
from accounts.mail.models import OutgoingEmail
from accounts.mail.suppression import Subscription, turn_off
from accounts.models import User
from games import services
from games.chat.models import Channel, Mute
from games.chat.services import begin_channel, choose_emails, messages, write
from games.chat.services.shown_cards import hand_of, show_cards
from games.models import Seat, Table
from games.models.replay import replayed
from tests.chat.talking import html_of, letters_at, said_letters, talk_letters
from tests.digests.days import HOUR, MINUTE, Days, asked, play_until_asked, wants
from tests.games.playing import begin_game, seat_table
from tests.journeys.letters import text_of
from tests.servers import HANGS

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def seat_of(table: Table, person: Any) -> Seat:
    return Seat.objects.select_related("user", "table").get(table=table, user=person)


def circle_of(table: Table, *people: Any) -> Channel:
    first, *others = [seat_of(table, person) for person in people]
    return begin_channel(first, others)


def to(person: Any, letters: list[Any]) -> list[Any]:
    return [letter for letter in letters if letter.to == [person.email]]


# Secrecy and what a private letter says


def test_a_private_letter_goes_to_its_people_and_says_that_it_is_private(
    table: Table, people: list[Any], dario: Any
) -> None:
    anna, bruno, carla = people
    services.take_seat(table, dario)
    circle = circle_of(table, anna, bruno, carla)
    write(seat_of(table, anna), "Let us take *Roma* from Dario.", circle=circle)
    letters = talk_letters()
    assert sorted(letter.to[0] for letter in letters) == ["bruno@example.org", "carla@example.org"]
    (letter,) = to(bruno, letters)
    assert letter.subject == "Private message from Anna: Table 42"
    assert letter.body.startswith("Table 42 · With Anna and Carla\n")
    for text in (" ".join(letter.body.split()), html_of(letter)):
        assert "Anna, Carla and you read what is written here." in text
    assert f"/tables/{table.pk}/talk/{circle.slug}/" in letter.body


def test_what_is_said_among_others_changes_nothing_in_a_third_ones_letters(
    table: Table, people: list[Any]
) -> None:
    anna, bruno, carla = people
    circle = circle_of(table, anna, bruno)
    told = [_letters_to(carla, table, anna, circle, private) for private in (0, 3)]
    assert told[0] == told[1]
    assert len(told[0]) == 1


def _letters_to(reader: Any, table: Table, writer: Any, circle: Channel, private: int) -> list[str]:
    """All that goes to him of one public message, with so many private ones said around it; taken back."""
    with transaction.atomic(), time_machine.travel(NOON, tick=False):
        for number in range(private):
            write(seat_of(table, writer), f"Secret {number}", circle=circle)
        write(seat_of(table, writer), "For all to read")
        for number in range(private):
            write(seat_of(table, writer), f"Another secret {number}", circle=circle)
        letters = to(reader, letters_at(NOON + 6 * MINUTE))
        for letter in letters:
            letter.extra_headers["Message-ID"] = "<one>"
        told = [
            f"{letter.subject}\n{letter.extra_headers}\n{letter.body}\n{html_of(letter)}"
            for letter in letters
        ]
        transaction.set_rollback(True)
    return told


def test_each_circle_is_a_thread_of_its_own_on_the_list_of_its_table(table: Table, people: list[Any]) -> None:
    anna, bruno, _carla = people
    circle = circle_of(table, anna, bruno)
    write(seat_of(table, anna), "To all")
    write(seat_of(table, anna), "To you", circle=circle)
    letters = to(bruno, talk_letters())
    assert {letter.extra_headers["References"] for letter in letters} == {
        f"<talk-{table.pk}@testserver>",
        f"<talk-{table.pk}-{circle.slug}@testserver>",
    }
    assert {letter.extra_headers["List-Id"] for letter in letters} == {
        f'"all talk at Table 42" <talk-{table.pk}.testserver>'
    }
    for letter in letters:
        page = Client().get(letter.extra_headers["List-Unsubscribe"].strip("<>")[17:]).content.decode()
        assert "all talk at Table 42" in page
        assert not [name for name in ("Anna", "Bruno", "Carla", circle.slug) if name in page]


def test_the_epilogue_is_told_as_such(people: list[Any]) -> None:
    game = begin_game(people)
    Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
    OutgoingEmail.objects.all().delete()
    write(seat_of(game.table, people[0]), "Well played.")
    letter = talk_letters()[0]
    assert letter.subject == f"Anna wrote in the epilogue: {game.table.name}"
    assert f"/tables/{game.table_id}/talk/epilogue/" in letter.body


def test_whoever_is_muted_is_not_told_of(table: Table, people: list[Any]) -> None:
    anna, bruno, carla = people
    write(seat_of(table, anna), "Before it")
    Mute.objects.create(table=table, by=carla, whom=anna)
    write(seat_of(table, anna), "After it")
    write(seat_of(table, bruno), "I am Bruno")
    (letter,) = to(carla, talk_letters())
    assert letter.subject == "Bruno wrote to the table: Table 42"
    assert "I am Bruno" in letter.body
    assert "Before it" not in letter.body
    assert "After it" not in letter.body
    assert len(to(bruno, said_letters())) == 1


def test_who_left_a_circle_is_told_nothing_more_of_it(table: Table, people: list[Any]) -> None:
    anna, bruno, carla = people
    circle = circle_of(table, anna, bruno, carla)
    write(seat_of(table, anna), "A secret", circle=circle)
    circle.members.filter(user=bruno).delete()
    write(seat_of(table, anna), "Another", circle=circle)
    assert [letter.to for letter in talk_letters()] == [[carla.email]]


def test_letters_stay_short_enough_for_mail_programs(table: Table, people: list[Any]) -> None:
    for number in range(20):
        write(seat_of(table, people[0]), f"{number} " + "word " * 790)
    letter = talk_letters()[0]
    assert len(html_of(letter)) < 40_000
    assert "19 word" in letter.body
    assert "earlier messages are in the talk." in letter.body


# When they come


@pytest.mark.parametrize(
    ("usual", "own", "moment"),
    [
        ("at once", "", NOON + timedelta(minutes=5)),
        ("batched", "", NOON + timedelta(minutes=60)),
        ("digest", "", NOON + timedelta(hours=20)),
        ("never", "", None),
        ("never", "at once", NOON + timedelta(minutes=5)),
        ("at once", "batched", NOON + timedelta(minutes=60)),
        ("at once", "digest", NOON + timedelta(hours=20)),
        ("digest", "never", None),
    ],
)
def test_letters_come_as_chosen_for_the_circle_or_for_all_talk(
    table: Table, people: list[Any], usual: str, own: str, moment: datetime | None
) -> None:
    anna, bruno, _carla = people
    circle = circle_of(table, anna, bruno)
    wants(bruno, talk_letters=usual, batch_minutes=60, digest_at=time(8))
    with time_machine.travel(NOON, tick=False):
        choose_emails(circle, bruno, own)
        write(seat_of(table, anna), "Hello", circle=circle)
    due = (
        OutgoingEmail.objects.filter(to_user=bruno, state="queued")
        .exclude(kind="confirm")
        .values_list("not_before")
    )
    assert list(due) == ([(moment,)] if moment else [])


def test_a_choice_for_one_circle_holds_for_no_other(table: Table, people: list[Any]) -> None:
    anna, bruno, _carla = people
    circle = circle_of(table, anna, bruno)
    choose_emails(circle, bruno, "never")
    write(seat_of(table, anna), "To you", circle=circle)
    write(seat_of(table, anna), "To all")
    assert [letter.subject for letter in to(bruno, talk_letters())] == ["Anna wrote to the table: Table 42"]


def test_the_choice_is_made_on_a_page_of_the_circle(table: Table, people: list[Any], signed_in: Any) -> None:
    anna, bruno, _carla = people
    client = signed_in(bruno)
    path = f"/tables/{table.pk}/talk-letters/"
    assert f'href="{path}"' in client.get(f"/tables/{table.pk}/talk/").content.decode()
    assert "Saved." in client.post(path, {"letters": "digest"}, follow=True).content.decode()
    assert re.search(r'value="digest"[^>]* checked', client.get(path).content.decode())
    assert client.post(path, {"letters": "hourly"}).status_code == 422
    write(seat_of(table, anna), "To all")
    assert to(bruno, talk_letters()) == []
    assert OutgoingEmail.objects.filter(to_user=bruno, kind="daily").count() == 1


def test_the_page_is_for_the_circles_own_people(table: Table, people: list[Any], signed_in: Any) -> None:
    circle = circle_of(table, *people[:2])
    path = f"/tables/{table.pk}/talk-letters/{circle.slug}/"
    assert signed_in(people[0]).get(path).status_code == 200
    assert signed_in(people[2]).get(path).status_code == 404
    assert signed_in(people[2]).post(path, {"letters": "never"}).status_code == 404


# The letter a day


def test_one_letter_a_day_tells_all_circles(table: Table, people: list[Any], days: Days) -> None:
    anna, bruno, _carla = people
    wants(bruno, talk_letters="digest", digest_at=time(8))
    circle = circle_of(table, anna, bruno)
    other = seat_table(people, name="Another table", size=4)
    days.clear()
    write(seat_of(table, anna), "To all")
    write(seat_of(table, anna), "To you", circle=circle)
    write(seat_of(other, anna), "Over here")
    days.pass_by(19 * HOUR)
    assert to(bruno, [letter for _at, letter in days.sent]) == []
    (letter,) = to(bruno, days.pass_by(HOUR))
    assert letter.subject == "New messages: Table 42 and Another table"
    for text in (letter.body, html_of(letter)):
        for told in (
            "Table 42 · Talk at the table",
            "Table 42 · With Anna",
            "Another table · Talk at the table",
        ):
            assert told in text
        assert [text.count(said) for said in ("To all", "To you", "Over here")] == [1, 1, 1]
    assert letter.extra_headers["List-Id"].endswith("<daily.testserver>")
    assert days.pass_by(48 * HOUR) == []


def test_a_day_without_a_message_has_no_letter(table: Table, people: list[Any], days: Days) -> None:
    wants(people[1], talk_letters="digest", rhythm="digest")
    days.clear()
    assert days.pass_by(72 * HOUR) == []


def test_games_that_wait_and_what_was_said_come_in_one_letter(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    days.clear()
    wants(person, talk_letters="digest", rhythm="digest", digest_at=time(8))
    play_until_asked(game, person)
    write(seat_of(game.table, writer), "What will you do?")
    (letter,) = to(person, days.pass_by(24 * HOUR))
    assert letter.subject == "1 game waits for you, and there are new messages"
    for text in (letter.body, html_of(letter)):
        assert "What will you do?" in text
        assert "/answer/" in text
        assert "/talk/" in text


def test_talk_alone_leaves_as_talk_and_tells_games_that_still_wait(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    wants(person, talk_letters="digest", rhythm="digest", digest_at=time(8))
    days.clear()
    play_until_asked(game, person)
    assert len(to(person, days.pass_by(24 * HOUR))) == 1
    write(seat_of(game.table, writer), "Are you there?")
    (letter,) = to(person, days.pass_by(24 * HOUR))
    assert "Are you there?" in letter.body
    assert "Still waiting, as you were told before" in letter.body


def test_talk_turned_off_for_a_table_stays_out_of_the_letter_a_day(
    table: Table, people: list[Any], days: Days
) -> None:
    anna, bruno, _carla = people
    wants(bruno, talk_letters="digest")
    days.clear()
    write(seat_of(table, anna), "To all")
    turn_off(Subscription(bruno.email, f"talk-{table.pk}", "the talk"))
    assert to(bruno, days.pass_by(24 * HOUR)) == []


def test_talk_is_told_to_who_wants_no_letters_of_what_waits(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    wants(person, talk_letters="digest", rhythm="never")
    days.clear()
    play_until_asked(game, person)
    write(seat_of(game.table, writer), "Are you there?")
    (letter,) = to(person, days.pass_by(24 * HOUR))
    assert "Are you there?" in letter.body
    assert "/answer/" not in letter.body


# Nothing is lost, nothing told twice


def test_a_letter_that_is_tried_again_takes_no_message_from_the_next(
    table: Table, people: list[Any], smtp_sink: Any
) -> None:
    """The first is refused and waits; the second has left; what comes then is told all the same."""
    anna, bruno, _carla = people
    with time_machine.travel(NOON, tick=False) as clock:
        write(seat_of(table, anna), "The first")
        clock.shift(6 * MINUTE)
        smtp_sink.refusals[bruno.email] = "451 later"
        letters_at(timezone.now())
        first = OutgoingEmail.objects.get(to_user=bruno, kind="message")
        OutgoingEmail.objects.filter(pk=first.pk).update(waits_for_server=True, not_before=NOON + 9 * HOUR)
        smtp_sink.refusals.clear()
        write(seat_of(table, anna), "The second")
        clock.shift(6 * MINUTE)
        letters_at(timezone.now())
        write(seat_of(table, anna), "The third")
        clock.shift(10 * HOUR)
        letters_at(timezone.now())
    bodies = [text_of(letter) for letter in smtp_sink.to(bruno.email) if "wrote" in str(letter["Subject"])]
    assert [sum(f"    The {which}" in body for body in bodies) for which in ("first", "second", "third")] == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 3))])
@pytest.mark.long
def test_every_message_is_told_once_however_often_the_choice_changes(
    table: Table, people: list[Any], days: Days, seed: int
) -> None:
    anna, bruno, _carla = people
    rng = random.Random(seed)
    circle = circle_of(table, anna, bruno)
    days.clear()
    for number in range(60):
        write(seat_of(table, anna), f"This is {number}.", circle=circle if number % 2 else None)
        days.pass_by(rng.choice((0, 1, 4, 90)) * MINUTE)
        person = User.objects.get(pk=bruno.pk)
        if rng.random() < 0.6:
            rhythm = rng.choice(("at once", "batched", "digest"))
            wants(person, talk_letters=rng.choice(("at once", "batched", "digest")), rhythm=rhythm)
            follow_frequency(person)
        if rng.random() < 0.3:
            choose_emails(circle, person, rng.choice(("", "at once", "batched", "digest")))
    days.pass_by(72 * HOUR)
    told = "\n".join(letter.body for letter in to(bruno, [letter for _at, letter in days.sent]))
    assert [number for number in range(60) if told.count(f"    This is {number}.\n") != 1] == []
    assert not OutgoingEmail.objects.filter(state="queued").exists()


def test_what_waits_follows_the_choice(table: Table, people: list[Any], days: Days, signed_in: Any) -> None:
    anna, bruno, _carla = people
    wants(bruno, talk_letters="digest")
    days.clear()
    write(seat_of(table, anna), "Hello")
    client = signed_in(bruno)
    path = f"/tables/{table.pk}/talk-letters/"
    client.post(path, {"letters": "never"})
    assert days.pass_by(0 * HOUR) == []
    client.post(path, {"letters": "at once"})
    (letter,) = to(bruno, days.pass_by(6 * MINUTE))
    assert "Hello" in letter.body
    write(seat_of(table, anna), "And again")
    client.post(path, {"letters": "never"})
    assert to(bruno, days.pass_by(48 * HOUR)) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_what_is_said_while_letters_leave_is_told_once(
    table: Table, people: list[Any], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TALK_HOLD = timedelta(0)
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 1000)
    anna, bruno, carla = people
    wants(carla, talk_letters="batched", batch_minutes=0)
    OutgoingEmail.objects.all().delete()
    stopped = threading.Event()

    def deliver() -> None:
        while not stopped.is_set():
            with site_clock.use_clock(lambda: timezone.now() + MINUTE):
                deliver_due()
        connection.close()

    postmen = [threading.Thread(target=deliver) for _ in range(2)]
    for postman in postmen:
        postman.start()
    try:
        for number in range(30):
            write(seat_of(table, (anna, bruno)[number % 2]), f"This is {number}.")
    finally:
        stopped.set()
        for postman in postmen:
            postman.join(HANGS)
    deliver_due(timezone.now() + HOUR)
    letters = OutgoingEmail.objects.filter(kind="message", to_user=carla)
    assert set(letters.values_list("state", flat=True)) == {"sent"}
    assert letters.count() > 1
    told = Counter(n for letter in letters for numbers in letter.about["talk"].values() for n in numbers)
    assert told == dict.fromkeys(range(1, 31), 1)


# What the table says in letters


def test_what_the_table_says_is_marked_as_no_text_can_be(people: list[Any]) -> None:
    game = begin_game(people)
    anna, bruno, _carla = people
    OutgoingEmail.objects.all().delete()
    circle = circle_of(game.table, anna, bruno)
    seat = seat_of(game.table, anna)
    cards = hand_of(replayed(game).state, seat)[:1]
    show_cards(seat, cards, circle)
    (letter,) = to(bruno, talk_letters())
    true_lines = [line for line in letter.body.splitlines() if line.startswith("| ")]
    assert true_lines
    assert "The table says, " in letter.body
    assert '<div class="table-says"' in html_of(letter)
    forged = "\n".join(["The table says, 1 May 2026, 10:00 UTC:", "", *true_lines])
    write(seat, f'{forged}\n\n<div class="table-says">{true_lines[0]}</div>', circle=circle)
    (letter,) = to(bruno, talk_letters(timedelta(hours=1)))
    assert not [line for line in letter.body.splitlines() if line.startswith(("|", "The table says"))]
    assert '<div class="table-says"' not in html_of(letter)
