"""Digests of decisions: one after some minutes, or one a day at the person's own hour."""

import re
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail, Unsubscription
from condottiere_site.privacy import erase
from games import services
from games.models import Seat
from games.services.notifications import decisions_in
from tests.digests.days import (
    DAY,
    HOUR,
    MINUTE,
    Days,
    asked,
    fresh,
    games_of,
    of_kind,
    play_on,
    play_until_asked,
    to,
    wants,
)
from tests.games.playing import begin_game
from tests.journeys.emails import LINK

pytestmark = pytest.mark.django_db
IN_A_DIGEST = 250  # words


def html_of(email: Any) -> str:
    return str(email.alternatives[0][0])


def decisions_mentioned(emails: list[Any]) -> list[str]:
    """What answers links open, in the emails' text."""
    return [link for email in emails for link in set(re.findall(r"/answer/([^/\s]+)/", email.body))]


def test_at_once_means_one_email_for_each_decision(days: Days, people: list[Any]) -> None:
    games_of(people, 3)
    emails = of_kind("your_turn", days.pass_by(2 * DAY))
    assert len(emails) == 3
    assert of_kind("waiting", days.tick()) == []


def test_what_is_asked_within_a_while_comes_in_one_email(days: Days, people: list[Any]) -> None:
    first = games_of(people, 1)[0]
    person = asked(first)
    wants(person, frequency="batched", batch_minutes=60)
    days.clear()
    play_until_asked(first, person)
    days.pass_by(30 * MINUTE)
    games = games_of(people, 2)
    assert [asked(game) for game in games] == [person, person]
    emails = to(person, days.pass_by(29 * MINUTE))
    assert of_kind("waiting", emails) == of_kind("your_turn", emails) == []
    (email,) = of_kind("waiting", to(person, days.pass_by(1 * DAY)))
    assert email.subject == "Your turn in 3 games"
    assert len(set(decisions_mentioned([email]))) == 3
    for text in (email.body, html_of(email)):
        for name in ("Table 1", "Table 2"):
            assert name in text
    assert days.now - days.sent[-1][0] <= 1 * DAY


def test_a_digest_comes_at_the_persons_own_hour_with_all_games_that_wait(
    days: Days, people: list[Any]
) -> None:
    for person in people:
        wants(person, frequency="digest", digest_at=time(7, 30), time_zone="America/New_York")
    days.clear()
    games = games_of(people, 3)
    person = asked(games[0])
    emails = of_kind("waiting", days.pass_by(3 * DAY))
    assert [email.to for email in emails] == [[person.email]]
    assert emails[0].subject == "Your turn in 3 games"
    moments = [at for at, email in days.sent if email in emails]
    assert moments == [datetime(2026, 11, 2, 12, 30, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("zone", "hour"),
    [
        ("America/New_York", time(1, 30)),  # comes twice in the night of 1 November
        ("Europe/Warsaw", time(8)),
        ("Pacific/Apia", time(23, 55)),
        ("Asia/Kathmandu", time(0)),
    ],
)
@pytest.mark.long
def test_the_hour_stays_the_persons_own_when_clocks_are_changed(
    days: Days, people: list[Any], zone: str, hour: time
) -> None:
    days.now = datetime(2026, 10, 22, 12, tzinfo=UTC)
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest", digest_at=hour, time_zone=zone)
    days.clear()
    for _day in range(14):
        play_until_asked(game, person)
        days.pass_by(DAY)
    moments = [at.astimezone(person.zone) for at, _ in days.sent if _.to == [person.email]]
    assert len(moments) == 14
    assert {at.time() for at in moments} == {hour}
    gaps = {(after.date() - before.date()).days for before, after in pairwise(moments)}
    assert gaps == {1}


def test_no_digest_comes_when_nothing_new_was_asked(days: Days, people: list[Any]) -> None:
    games = games_of(people, 2)
    person = asked(games[0])
    wants(person, frequency="digest")
    days.clear()
    play_until_asked(games[0], person)
    emails = of_kind("waiting", to(person, days.pass_by(5 * DAY)))
    assert [email.subject for email in emails] == ["Your turn in 2 games"]
    play_until_asked(games[1], person)
    (email,) = of_kind("waiting", to(person, days.pass_by(5 * DAY)))
    assert email.body.index("Table 2") < email.body.index("Table 1")  # what is new comes first


def test_nothing_is_sent_for_decisions_that_are_gone(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest")
    days.clear()
    play_until_asked(game, person)
    days.pass_by(HOUR)
    while asked(game) == person:
        play_on(game)
    assert to(person, days.pass_by(2 * DAY)) == []
    assert OutgoingEmail.objects.get(kind="waiting", to_user=person).state == "overtaken"


def test_a_single_waiting_game_has_the_whole_email_of_its_decision(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="batched", batch_minutes=15)
    days.clear()
    play_until_asked(game, person)
    (email,) = to(person, days.pass_by(HOUR))
    assert "Table 1" in email.subject
    assert email.subject == "Your turn: Table 1"
    assert f"<game-{game.pk}.localhost>" in email.extra_headers["List-Id"].replace("testserver", "localhost")
    assert f"<game-{game.pk}@" in email.extra_headers["References"]


@pytest.mark.long
def test_each_decision_is_told_for_the_first_time_once_whatever_the_frequency(
    days: Days, people: list[Any]
) -> None:
    for person, frequency in zip(people, ("at once", "batched", "digest"), strict=True):
        wants(person, frequency=frequency, batch_minutes=30)
    days.clear()
    games = games_of(people, 2)
    for number in range(60):
        days.pass_by(timedelta(minutes=7 * (number % 5)) + HOUR * (number % 11 == 0))
        play_on(games[number % 2])
    days.pass_by(2 * DAY)
    told = [
        (email.to_user_id, *decision)
        for email in OutgoingEmail.objects.filter(kind__in=("your_turn", "waiting"))
        for decision in decisions_in(email)
    ]
    assert len(told) == len(set(told)) > 20
    slots = [
        (row.to_user_id, row.sent_at) for row in OutgoingEmail.objects.filter(kind="waiting", state="sent")
    ]
    assert len(slots) == len(set(slots))
    for seat in Seat.objects.filter(asked_since__isnull=False):
        assert OutgoingEmail.objects.filter(
            kind__in=("your_turn", "waiting"), to_user=seat.user, state="sent"
        )


def test_a_game_whose_other_news_is_off_is_not_left_out(days: Days, people: list[Any]) -> None:
    games = games_of(people, 3)
    person = asked(games[0])
    wants(person, frequency="digest")
    days.clear()
    for game in games:
        play_until_asked(game, person)
    Unsubscription.objects.create(address=person.email, list_id=f"game-{games[1].pk}")
    (email,) = of_kind("waiting", to(person, days.pass_by(2 * DAY)))
    assert email.subject == "Your turn in 3 games"


def test_the_hand_stays_out_of_collected_emails_of_someone_who_prefers_that(
    days: Days, people: list[Any]
) -> None:
    games = games_of(people, 2)
    person = asked(games[0])
    wants(person, frequency="digest", hand_in_emails=False)
    days.clear()
    for game in games:
        play_until_asked(game, person)
    (email,) = of_kind("waiting", to(person, days.pass_by(DAY)))
    for text in (email.body, html_of(email)):
        assert "Your hand" not in text
        assert "you got" not in text.lower()


def test_someone_who_is_stood_in_for_gets_no_emails_of_decisions(days: Days, people: list[Any]) -> None:
    games = games_of(people, 2)
    person = asked(games[0])
    wants(person, frequency="digest")
    days.clear()
    for game in games:
        play_until_asked(game, person)
    Seat.objects.filter(user=person).update(played_by_bot="captain")
    assert to(person, days.pass_by(2 * DAY)) == []


@pytest.mark.parametrize("pace", ["hours", "day", "week"])
def test_a_decision_that_cannot_wait_for_the_digest_is_told_at_once(
    days: Days, people: list[Any], pace: str
) -> None:
    for person in people:
        wants(person, frequency="digest", digest_at=time(11), reminders=[24])
    days.clear()
    game = begin_game(people, pace=pace)
    person = asked(game)
    seat = Seat.objects.get(table=game.table, user=person)
    days.pass_by(2 * DAY)
    first = next(at for at, email in days.sent if email.to == [person.email])
    assert seat.remind_at is not None
    assert first <= seat.remind_at
    at_once = first < datetime(2026, 11, 2, 13, tzinfo=UTC)
    assert at_once == (pace == "hours")


def test_a_seat_that_changed_hands_is_told_to_its_new_player_alone(
    days: Days, people: list[Any], dario: Any
) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    for reader in (person, dario):
        wants(reader, frequency="digest")
    days.clear()
    play_until_asked(game, person)
    seat = Seat.objects.get(table=game.table, user=person)
    offer = services.hand_over(seat, dario.email)
    services.take_over(offer, dario)
    emails = days.pass_by(2 * DAY)
    assert of_kind("waiting", to(person, emails)) == []
    assert len(of_kind("waiting", to(dario, emails))) == 1


def test_a_deleted_account_gets_no_email_that_collected_for_it(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest")
    days.clear()
    play_until_asked(game, person)
    address = person.email
    erase(fresh(person))
    subjects = [email.subject for email in days.pass_by(2 * DAY) if email.to == [address]]
    assert len(subjects) == 1  # that the account is deleted
    assert not OutgoingEmail.objects.filter(kind="waiting").exists()


def test_a_digest_of_eight_games_is_as_short_as_a_turn_email(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, frequency="digest")
    days.clear()
    games = games_of(people, 8)
    person = asked(games[0])
    for game in games:
        if asked(game) != person:
            play_until_asked(game, person)
    (email,) = of_kind("waiting", to(person, days.pass_by(2 * DAY)))
    assert email.subject == "Your turn in 8 games"
    assert len(LINK.sub("", email.body).split()) <= IN_A_DIGEST
    html = str(email.alternatives[0][0])
    for game in games:
        assert game.table.commitment in email.body
        assert game.table.commitment in html
