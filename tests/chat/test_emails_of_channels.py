"""When emails of each channel come, and that no message is lost between two emails or told by both."""

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
from accounts.mail.models import OutgoingEmail
from accounts.mail.preferences import follow_frequency
from accounts.mail.subscriptions import Subscription, unsubscribe
from accounts.models import User
from accounts.own_name import site_name
from games import services
from games.chat.models import Channel, Mute
from games.chat.services import begin_channel, choose_emails, messages, write
from games.chat.services.shown_cards import hand_of, show_cards
from games.models import Seat, Table
from games.models.replay import replayed
from tests.chat.chatting import chat_emails, emails_at, html_of, said_emails
from tests.digests.days import HOUR, MINUTE, Days, asked, play_until_asked, wants
from tests.games.playing import begin_game, seat_table
from tests.journeys.emails import text_of
from tests.servers import HANGS

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def seat_of(table: Table, person: Any) -> Seat:
    return Seat.objects.select_related("user", "table").get(table=table, user=person)


def chat_behind(email: Any) -> str:
    """The page to which an email's only link to the chat leads, opened by a stranger."""
    (path,) = set(re.findall(r"http://testserver(/chat/\S+)", email.body))
    return Client().get(path).content.decode()


def channel_of(table: Table, *people: Any) -> Channel:
    first, *others = [seat_of(table, person) for person in people]
    return begin_channel(first, others)


def to(person: Any, emails: list[Any]) -> list[Any]:
    return [email for email in emails if email.to == [person.email]]


# Secrecy and what a private email says


def test_a_private_email_goes_to_its_people_and_says_that_it_is_private(
    table: Table, people: list[Any], dario: Any
) -> None:
    anna, bruno, carla = people
    services.take_seat(table, dario)
    channel = channel_of(table, anna, bruno, carla)
    write(seat_of(table, anna), "Let us take *Roma* from Dario.", channel=channel)
    emails = chat_emails()
    assert sorted(email.to[0] for email in emails) == ["bruno@example.org", "carla@example.org"]
    (email,) = to(bruno, emails)
    assert email.subject == "Private chat (Anna): Table 42"
    assert email.body.startswith("Table 42 · Private channel: Anna and Carla\n")
    for text in (" ".join(email.body.split()), html_of(email)):
        assert "Only you, Anna and Carla can read this channel." in text
    assert "Let us take" in chat_behind(email)


def test_what_is_said_among_others_changes_nothing_in_a_third_ones_emails(
    table: Table, people: list[Any]
) -> None:
    anna, bruno, carla = people
    channel = channel_of(table, anna, bruno)
    told = [_emails_to(carla, table, anna, channel, private) for private in (0, 3)]
    assert told[0] == told[1]
    assert len(told[0]) == 1


def _emails_to(reader: Any, table: Table, writer: Any, channel: Channel, private: int) -> list[str]:
    """Return all that this reader gets of a public message between this many private ones; then roll back."""
    with transaction.atomic(), time_machine.travel(NOON, tick=False):
        for number in range(private):
            write(seat_of(table, writer), f"Secret {number}", channel=channel)
        write(seat_of(table, writer), "For all to read")
        for number in range(private):
            write(seat_of(table, writer), f"Another secret {number}", channel=channel)
        emails = to(reader, emails_at(NOON + 6 * MINUTE))
        for email in emails:
            email.extra_headers["Message-ID"] = "<one>"
        told = [f"{email.subject}\n{email.extra_headers}\n{email.body}\n{html_of(email)}" for email in emails]
        transaction.set_rollback(True)
    return told


def test_each_channel_is_a_thread_of_its_own_on_the_list_of_its_table(
    table: Table, people: list[Any]
) -> None:
    anna, bruno, _carla = people
    channel = channel_of(table, anna, bruno)
    write(seat_of(table, anna), "To all")
    write(seat_of(table, anna), "To you", channel=channel)
    emails = to(bruno, chat_emails())
    assert {email.extra_headers["References"] for email in emails} == {
        f"<chat-{table.pk}@testserver>",
        f"<chat-{table.pk}-{channel.slug}@testserver>",
    }
    assert {email.extra_headers["List-Id"] for email in emails} == {
        f'"All chat: Table 42" <chat-{table.pk}.testserver>'
    }
    for email in emails:
        page = (
            Client()
            .get(email.extra_headers["List-Unsubscribe"].partition(">")[0].strip("<")[17:])
            .content.decode()
        )
        assert "All chat: Table 42" in page
        assert not [name for name in ("Anna", "Bruno", "Carla", channel.slug) if name in page]


def test_the_epilogue_is_told_as_such(people: list[Any]) -> None:
    game = begin_game(people)
    Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
    OutgoingEmail.objects.all().delete()
    write(seat_of(game.table, people[0]), "Well played.")
    email = chat_emails()[0]
    assert email.subject == f"After the game (Anna): {game.table.name}"
    assert "Well played." in chat_behind(email)


def test_muted_players_are_not_told_of(table: Table, people: list[Any]) -> None:
    anna, bruno, carla = people
    write(seat_of(table, anna), "Before it")
    Mute.objects.create(table=table, by=carla, whom=anna)
    write(seat_of(table, anna), "After it")
    write(seat_of(table, bruno), "I am Bruno")
    (email,) = to(carla, chat_emails())
    assert email.subject == "Chat (Bruno): Table 42"
    assert "I am Bruno" in email.body
    assert "Before it" not in email.body
    assert "After it" not in email.body
    assert len(to(bruno, said_emails())) == 1


def test_someone_who_left_a_channel_is_told_nothing_more_of_it(table: Table, people: list[Any]) -> None:
    anna, bruno, carla = people
    channel = channel_of(table, anna, bruno, carla)
    write(seat_of(table, anna), "A secret", channel=channel)
    channel.members.filter(user=bruno).delete()
    write(seat_of(table, anna), "Another", channel=channel)
    assert [email.to for email in chat_emails()] == [[carla.email]]


def test_emails_stay_short_enough_for_mail_programs(table: Table, people: list[Any]) -> None:
    for number in range(20):
        write(seat_of(table, people[0]), f"{number} " + "word " * 790)
    email = chat_emails()[0]
    assert len(html_of(email)) < 40_000
    assert "19 word" in email.body
    assert "earlier messages are in the chat." in email.body


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
def test_emails_come_as_chosen_for_the_channel_or_for_all_chat(
    table: Table, people: list[Any], usual: str, own: str, moment: datetime | None
) -> None:
    anna, bruno, _carla = people
    channel = channel_of(table, anna, bruno)
    wants(bruno, chat_emails=usual, batch_minutes=60, digest_at=time(8))
    with time_machine.travel(NOON, tick=False):
        choose_emails(channel, bruno, own)
        write(seat_of(table, anna), "Hello", channel=channel)
    due = (
        OutgoingEmail.objects.filter(to_user=bruno, state="queued")
        .exclude(kind="confirm")
        .values_list("not_before")
    )
    assert list(due) == ([(moment,)] if moment else [])


def test_a_choice_for_one_channel_holds_for_no_other(table: Table, people: list[Any]) -> None:
    anna, bruno, _carla = people
    channel = channel_of(table, anna, bruno)
    choose_emails(channel, bruno, "never")
    write(seat_of(table, anna), "To you", channel=channel)
    write(seat_of(table, anna), "To all")
    assert [email.subject for email in to(bruno, chat_emails())] == ["Chat (Anna): Table 42"]


def test_the_choice_is_made_on_a_page_of_the_channel(table: Table, people: list[Any], signed_in: Any) -> None:
    anna, bruno, _carla = people
    client = signed_in(bruno)
    path = f"/tables/{table.pk}/chat-emails/"
    assert f'href="{path}"' in client.get(f"/tables/{table.pk}/chat/").content.decode()
    assert "Your choice was saved." in client.post(path, {"emails": "digest"}, follow=True).content.decode()
    assert re.search(r'value="digest"[^>]* checked', client.get(path).content.decode())
    assert client.post(path, {"emails": "hourly"}).status_code == 422
    write(seat_of(table, anna), "To all")
    assert to(bruno, chat_emails()) == []
    assert OutgoingEmail.objects.filter(to_user=bruno, kind="daily").count() == 1


def test_the_page_is_for_the_channels_own_people(table: Table, people: list[Any], signed_in: Any) -> None:
    channel = channel_of(table, *people[:2])
    path = f"/tables/{table.pk}/chat-emails/{channel.slug}/"
    assert signed_in(people[0]).get(path).status_code == 200
    assert signed_in(people[2]).get(path).status_code == 404
    assert signed_in(people[2]).post(path, {"emails": "never"}).status_code == 404


# The email a day


def test_one_email_a_day_tells_all_channels(table: Table, people: list[Any], days: Days) -> None:
    anna, bruno, _carla = people
    wants(bruno, chat_emails="digest", digest_at=time(8))
    channel = channel_of(table, anna, bruno)
    other = seat_table(people, name="Another table", size=4)
    days.clear()
    write(seat_of(table, anna), "To all")
    write(seat_of(table, anna), "To you", channel=channel)
    write(seat_of(other, anna), "Over here")
    days.pass_by(19 * HOUR)
    assert to(bruno, [email for _at, email in days.sent]) == []
    (email,) = to(bruno, days.pass_by(HOUR))
    assert email.subject == "New messages in 2 games"
    for text, times in ((email.body, 1), (html_of(email), 2)):  # the HTML begins with a preview of the first
        for told in (
            "Table 42 · Public channel",
            "Table 42 · Private channel: Anna",
            "Another table · Public channel",
        ):
            assert told in text
        assert [text.count(said) for said in ("To all", "To you", "Over here")] == [times, 1, 1]
    assert email.extra_headers["List-Id"].endswith("<daily.testserver>")
    assert days.pass_by(48 * HOUR) == []


def test_a_day_without_a_message_has_no_email(table: Table, people: list[Any], days: Days) -> None:
    wants(people[1], chat_emails="digest", frequency="digest")
    days.clear()
    assert days.pass_by(72 * HOUR) == []


def test_games_that_wait_and_what_was_said_come_in_one_email(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    days.clear()
    wants(person, chat_emails="digest", frequency="digest", digest_at=time(8))
    play_until_asked(game, person)
    write(seat_of(game.table, writer), "What will you do?")
    (email,) = to(person, days.pass_by(24 * HOUR))
    assert email.subject == "Your turn and new messages: Table 42"
    for text in (email.body, html_of(email)):
        assert "What will you do?" in text
        assert "/answer/" in text
        assert "/chat/" in text


def test_chat_alone_leaves_as_chat_and_tells_games_that_still_wait(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    wants(person, chat_emails="digest", frequency="digest", digest_at=time(8))
    days.clear()
    play_until_asked(game, person)
    assert len(to(person, days.pass_by(24 * HOUR))) == 1
    write(seat_of(game.table, writer), "Are you there?")
    (email,) = to(person, days.pass_by(24 * HOUR))
    assert "Are you there?" in email.body
    assert "It’s your turn in 1 game" in email.body


def test_chat_turned_off_for_a_table_stays_out_of_the_email_a_day(
    table: Table, people: list[Any], days: Days
) -> None:
    anna, bruno, _carla = people
    wants(bruno, chat_emails="digest")
    days.clear()
    write(seat_of(table, anna), "To all")
    unsubscribe(Subscription(bruno.email, f"chat-{table.pk}", "the chat"))
    assert to(bruno, days.pass_by(24 * HOUR)) == []


def test_chat_is_told_to_someone_who_wants_no_emails_of_what_waits(people: list[Any], days: Days) -> None:
    game = begin_game(people)
    person = asked(game)
    writer = next(one for one in people if one != person)
    wants(person, chat_emails="digest", frequency="never")
    days.clear()
    play_until_asked(game, person)
    write(seat_of(game.table, writer), "Are you there?")
    (email,) = to(person, days.pass_by(24 * HOUR))
    assert "Are you there?" in email.body
    assert "/answer/" not in email.body


# Nothing is lost, nothing told twice


def test_an_email_that_is_tried_again_takes_no_message_from_the_next(
    table: Table, people: list[Any], smtp_sink: Any
) -> None:
    """The first email is refused and waits, the second was sent; later messages are still reported."""
    anna, bruno, _carla = people
    with time_machine.travel(NOON, tick=False) as clock:
        write(seat_of(table, anna), "The first")
        clock.shift(6 * MINUTE)
        smtp_sink.refusals[bruno.email] = "451 later"
        emails_at(timezone.now())
        first = OutgoingEmail.objects.get(to_user=bruno, kind="message")
        OutgoingEmail.objects.filter(pk=first.pk).update(waits_for_server=True, not_before=NOON + 9 * HOUR)
        smtp_sink.refusals.clear()
        write(seat_of(table, anna), "The second")
        clock.shift(6 * MINUTE)
        emails_at(timezone.now())
        write(seat_of(table, anna), "The third")
        clock.shift(10 * HOUR)
        emails_at(timezone.now())
    emails = [email for email in smtp_sink.to(bruno.email) if str(email["Subject"]).startswith("Chat")]
    bodies = [text_of(email) for email in emails]
    assert [sum(f"    The {which}" in body for body in bodies) for which in ("first", "second", "third")] == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.long
def test_every_message_is_told_once_however_often_the_choice_changes(
    table: Table, people: list[Any], days: Days, seed: int
) -> None:
    anna, bruno, _carla = people
    rng = random.Random(seed)
    channel = channel_of(table, anna, bruno)
    days.clear()
    for number in range(60):
        write(seat_of(table, anna), f"This is {number}.", channel=channel if number % 2 else None)
        days.pass_by(rng.choice((0, 1, 4, 90)) * MINUTE)
        person = User.objects.get(pk=bruno.pk)
        if rng.random() < 0.6:
            frequency = rng.choice(("at once", "batched", "digest"))
            wants(person, chat_emails=rng.choice(("at once", "batched", "digest")), frequency=frequency)
            follow_frequency(person)
        if rng.random() < 0.3:
            choose_emails(channel, person, rng.choice(("", "at once", "batched", "digest")))
    days.pass_by(72 * HOUR)
    told = "\n".join(email.body for email in to(bruno, [email for _at, email in days.sent]))
    assert [number for number in range(60) if told.count(f"    This is {number}.\n") != 1] == []
    assert not OutgoingEmail.objects.filter(state="queued").exists()


def test_what_waits_follows_the_choice(table: Table, people: list[Any], days: Days, signed_in: Any) -> None:
    anna, bruno, _carla = people
    wants(bruno, chat_emails="digest")
    days.clear()
    write(seat_of(table, anna), "Hello")
    client = signed_in(bruno)
    path = f"/tables/{table.pk}/chat-emails/"
    client.post(path, {"emails": "never"})
    assert days.pass_by(0 * HOUR) == []
    client.post(path, {"emails": "at once"})
    (email,) = to(bruno, days.pass_by(6 * MINUTE))
    assert "Hello" in email.body
    write(seat_of(table, anna), "And again")
    client.post(path, {"emails": "never"})
    assert to(bruno, days.pass_by(48 * HOUR)) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_what_is_said_while_emails_leave_is_told_once(
    table: Table, people: list[Any], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHAT_HOLD = timedelta(0)
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 1000)
    anna, bruno, carla = people
    wants(carla, chat_emails="batched", batch_minutes=0)
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
    emails = OutgoingEmail.objects.filter(kind="message", to_user=carla)
    assert set(emails.values_list("state", flat=True)) == {"sent"}
    assert emails.count() > 1
    told = Counter(n for email in emails for numbers in email.context["chat"].values() for n in numbers)
    assert told == dict.fromkeys(range(1, 31), 1)


# What the table says in emails


def test_what_the_table_says_is_marked_as_no_text_can_be(people: list[Any]) -> None:
    game = begin_game(people)
    anna, bruno, _carla = people
    OutgoingEmail.objects.all().delete()
    channel = channel_of(game.table, anna, bruno)
    seat = seat_of(game.table, anna)
    cards = hand_of(replayed(game).state, seat)[:1]
    show_cards(seat, cards, channel)
    (email,) = to(bruno, chat_emails())
    true_lines = [line for line in email.body.splitlines() if line.startswith("| ")]
    assert true_lines
    assert f"{site_name()}, " in email.body
    assert '<div class="system-message"' in html_of(email)
    forged = "\n".join([f"{site_name()}, Friday 1 May, 10:00 (UTC):", "", *true_lines])
    write(seat, f'{forged}\n\n<div class="system-message">{true_lines[0]}</div>', channel=channel)
    (email,) = to(bruno, chat_emails(timedelta(hours=1)))
    assert not [line for line in email.body.splitlines() if line.startswith(("|", f"{site_name()}, "))]
    assert '<div class="system-message"' not in html_of(email)
