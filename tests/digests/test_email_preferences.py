"""The page of email preferences: a choice applies from now on, and loses or repeats no email."""

import html
import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.utils.html import strip_tags

from accounts.mail.models import OutgoingEmail, Unsubscription
from games.models import Seat
from tests.digests.days import (
    DAY,
    HOUR,
    MINUTE,
    Days,
    asked,
    fresh,
    games_of,
    of_kind,
    play_until_asked,
    to,
    wants,
)
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db

PAGE = "/me/emails/preferences/"
CHOICES: dict[str, Any] = {
    "how": "at once",
    "batch_minutes": "60",
    "digest_at": "08:00",
    "reminders": ["24", "6"],
}


def choose(client: Any, **changes: Any) -> Any:
    return client.post(PAGE, {**CHOICES, **changes}, follow=True)


def test_someone_who_wants_no_email_a_day_need_not_say_at_which_hour(anna: Any, signed_in: Any) -> None:
    hour = anna.digest_at
    assert "Saved." in choose(signed_in(anna), how="batched", digest_at="").content.decode()
    assert (fresh(anna).frequency, fresh(anna).digest_at) == ("batched", hour)


@pytest.mark.parametrize(
    ("how", "frequency", "every_move"),
    [
        ("at once", "at once", False),
        ("every move", "at once", True),
        ("batched", "batched", False),
        ("digest", "digest", False),
        ("never", "never", False),
    ],
)
def test_one_of_five_ways_is_chosen_and_shown_as_chosen(
    anna: Any, signed_in: Any, how: str, frequency: str, every_move: bool
) -> None:
    client = signed_in(anna)
    page = choose(
        client, how=how, batch_minutes="15", digest_at="21:45", reminders=["1", "48"]
    ).content.decode()
    assert "Saved." in page
    person = fresh(anna)
    assert (person.frequency, person.every_move) == (frequency, every_move)
    assert (person.batch_minutes, person.digest_at, person.reminders) == (15, time(21, 45), [48, 1])
    checked = re.findall(r'<input type="radio" name="how" value="([^"]+)"[^>]* checked', page)
    assert checked == [how]
    assert re.findall(r'name="reminders" value="(\d+)"[^>]* checked', page) == ["48", "1"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"reminders": ["5"]}, "That isn’t one of the choices."),
        ({"how": "weekly"}, "That isn’t one of the choices."),
        ({"batch_minutes": "0"}, "That isn’t one of the choices."),
        ({"digest_at": "25:00"}, "This isn’t a time"),
        ({"how": "digest", "digest_at": ""}, "Choose a time for the daily email."),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_nothing_is_changed(
    anna: Any, signed_in: Any, changes: dict[str, Any], sentence: str
) -> None:
    answer = choose(signed_in(anna), hand_in_emails="", **changes)
    assert answer.status_code == 422
    assert sentence in html.unescape(answer.content.decode())
    person = fresh(anna)
    assert (person.frequency, person.batch_minutes, person.reminders) == ("at once", 60, [24, 6])
    assert person.hand_in_emails


def test_no_one_elses_emails_are_changed(anna: Any, bruno: Any, signed_in: Any) -> None:
    choose(signed_in(anna), how="digest")
    assert fresh(bruno).frequency == "at once"


@pytest.mark.long
def test_a_decision_asked_before_the_change_is_told_once(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    ways = ("digest", "at once", "batched", "digest", "every move", "batched", "at once")
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="batched", batch_minutes=60)
    days.clear()
    client = signed_in(person)
    rounds = 0
    for how in ways:
        for minutes in (0, 5):
            play_until_asked(game, person)
            rounds += 1
            days.pass_by(timedelta(minutes=minutes))
            choose(client, how=how, digest_at="18:00")
            days.pass_by(26 * HOUR)
            emails = of_kind("your_turn", to(person, [email for _, email in days.sent]))
            emails += of_kind("waiting", to(person, [email for _, email in days.sent]))
            assert len(emails) == rounds, how


def test_someone_who_no_longer_wants_to_wait_gets_what_was_kept_for_them(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest", digest_at=time(11))
    days.clear()
    play_until_asked(game, person)
    days.pass_by(3 * HOUR)
    assert to(person, [email for _, email in days.sent]) == []
    choose(signed_in(person), how="at once")
    assert len(to(person, days.pass_by(MINUTE))) == 1
    assert to(person, days.pass_by(2 * DAY)) == []


def test_another_hour_or_zone_moves_the_email_that_collects(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest", digest_at=time(8))
    days.clear()
    play_until_asked(game, person)
    client = signed_in(person)
    choose(client, how="digest", digest_at="20:00")
    due = OutgoingEmail.objects.get(kind="waiting").not_before
    assert due == datetime(2026, 11, 2, 20, tzinfo=UTC)
    client.post("/me/", {"name": person.name, "language": "en", "time_zone": "Asia/Tokyo"})
    due = OutgoingEmail.objects.get(kind="waiting").not_before
    assert due == datetime(2026, 11, 3, 11, tzinfo=UTC)


def test_other_leads_hold_for_decisions_that_are_open(days: Days, people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, pace="day")
    person = asked(game)
    seat = Seat.objects.get(table=game.table, user=person)
    assert seat.due_at is not None
    choose(signed_in(person), reminders=["3"])
    days.until(seat.due_at - MINUTE)
    reminded = [at for at, email in days.sent if email.subject.startswith("Reminder: ")]
    assert reminded == [seat.due_at - 3 * HOUR]


def test_emails_turned_off_are_listed_with_what_is_missed_and_turned_on_again(
    anna: Any, signed_in: Any
) -> None:
    for list_id, words in (
        ("game-7", "we don’t tell you that the game started"),
        ("moves-7", "we don’t tell you about the other players’ moves"),
    ):
        Unsubscription.objects.create(address=anna.email, list_id=list_id, list_name=list_id)
        client = signed_in(anna)
        assert words in client.get(PAGE).content.decode()
        client.post("/me/emails/turn-on/", {"list_id": list_id})
        assert not Unsubscription.objects.exists()
        assert 'id="emails-off"' not in client.get(PAGE).content.decode()


def test_the_list_of_emails_tells_each_fate_in_plain_words(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, frequency="digest", digest_at=time(18, 30))
    days.clear()
    play_until_asked(game, person)
    client = signed_in(person)
    page = client.get("/me/emails/").content.decode()
    assert "Waits until Monday 2 November, 18:30" in strip_tags(page)
    days.now = datetime(2026, 11, 2, 18, 31, tzinfo=UTC)
    assert "<td>On its way<" in client.get("/me/emails/").content.decode()
    days.tick()
    page = client.get("/me/emails/").content.decode()
    assert "Games where it’s your turn" in page
    assert "Sent Monday 2 November, 18:31" in strip_tags(page)
    for state, error, words in (
        ("failed", "550 5.1.1 no such person", "Your mail server refused it: 550 5.1.1 no such person"),
        ("failed", "LookupError: the battle", "operator can see why"),
        ("bounced", "", "Your mail server sent it back."),
    ):
        OutgoingEmail.objects.update(state=state, last_error=error)
        page = html.unescape(client.get("/me/emails/").content.decode())
        assert words in page
        assert "LookupError" not in page
