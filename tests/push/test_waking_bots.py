"""A bot's program is woken by a signed webhook: the game and the step, and nothing that a hand tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.bots import make_bot
from accounts.mail.delivery import deliver_due
from accounts.models import User
from accounts.push.models import NoticeTarget, TargetNotice
from accounts.push.target_requests import signature
from accounts.push.target_sending import MOST_FAILURES, send_due
from accounts.push.targets import queue_test
from games.clocks.counted_hours import HIDDEN
from games.models import Game, Seat
from tests.digests.days import MINUTE, Days
from tests.games.playing import begin_game, decision_of
from tests.push.receivers import DISCORD, PROGRAM, Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def robin(days: Days, anna: User) -> User:
    bot = make_bot(anna, "Robin")
    assert bot is not None
    return bot


@pytest.fixture
def client(anna: User, signed_in: Any) -> Client:
    found: Client = signed_in(anna)
    return found


def woken(client: Client, robin: User, receiver: Receiver) -> NoticeTarget:
    """Enter the address at which the bot is woken."""
    answer = client.post(f"/me/bots/{robin.pk}/waking/", {"endpoint": receiver.address(PROGRAM)})
    assert answer.status_code == 302, answer.content.decode()
    return NoticeTarget.objects.get(user=robin)


def asked_game(asked: User, other: User) -> Game:
    """Begin a game in which this player is the first to decide."""
    for order in ([asked, other], [other, asked]):
        game = begin_game(order, takes_bots=True)
        if decision_of(game).seat == game.table.seats.get(user=asked).number:
            return game
    raise AssertionError("the other one begins both games")


def test_a_bot_is_woken_at_once_with_the_game_and_the_step_alone(
    client: Client, robin: User, bruno: User, receiver: Receiver
) -> None:
    target = woken(client, robin, receiver)
    robin.refresh_from_db()
    game = asked_game(robin, bruno)
    TargetNotice.objects.exclude(context__game=game.pk).delete()
    assert send_due() == 1
    (got,) = receiver.got
    step = decision_of(game).decision_step
    assert got.told == {
        "type": "your_turn",
        "timestamp": got.told["timestamp"],
        "data": {"game": game.pk, "step": step},
    }
    identifier, sent_at = got.headers["webhook-id"], int(got.headers["webhook-timestamp"])
    assert got.headers["webhook-signature"] == signature(target.secret, identifier, sent_at, got.body)


def test_a_bot_is_woken_for_a_secret_decision_too(
    client: Client, robin: User, bruno: User, receiver: Receiver
) -> None:
    woken(client, robin, receiver)
    robin.refresh_from_db()
    game = asked_game(robin, bruno)
    TargetNotice.objects.exclude(context__game=game.pk).delete()
    Seat.objects.filter(table=game.table, user=robin).update(pending_decision=HIDDEN)
    assert send_due() == 1
    assert receiver.got[0].told["type"] == "your_turn"


def test_people_hear_no_step(client: Client, anna: User, bruno: User, days: Days, receiver: Receiver) -> None:
    client.post("/me/channels/", receiver.form(PROGRAM))
    anna.refresh_from_db()
    asked_game(anna, bruno)
    days.now += MINUTE
    assert send_due() >= 1
    assert {one.told["type"] for one in receiver.got} == {"turn"}
    assert all("step" not in json.dumps(one.told) for one in receiver.got)


def test_a_turn_that_is_over_wakes_no_one(
    client: Client, robin: User, bruno: User, receiver: Receiver
) -> None:
    woken(client, robin, receiver)
    robin.refresh_from_db()
    game = asked_game(robin, bruno)
    Seat.objects.filter(user=robin).update(decision_step=None, pending_decision=None, asked_since=None)
    assert (send_due(), receiver.got) == (0, [])
    assert TargetNotice.objects.filter(context__game=game.pk, done_at__isnull=False).exists()


def test_what_does_not_arrive_is_tried_again_and_later_each_time(
    client: Client, robin: User, bruno: User, days: Days, receiver: Receiver
) -> None:
    woken(client, robin, receiver)
    robin.refresh_from_db()
    game = asked_game(robin, bruno)
    TargetNotice.objects.exclude(context__game=game.pk).delete()
    receiver.answers[PROGRAM] = 503
    waits = []
    for _attempt in range(3):
        assert send_due() == 0
        due = TargetNotice.objects.get().not_before
        waits.append((due - days.now).total_seconds())
        days.now = due
    assert waits == sorted(waits)
    assert waits[0] < waits[-1]
    receiver.answers.clear()
    assert send_due() == 1
    assert len({one.headers["webhook-id"] for one in receiver.got}) == 1


def test_when_it_is_given_up_the_owner_gets_an_email(
    client: Client, anna: User, robin: User, days: Days, receiver: Receiver
) -> None:
    target = woken(client, robin, receiver)
    receiver.answers[PROGRAM] = 404
    for _number in range(MOST_FAILURES):
        queue_test(target)
        send_due()
        days.now += MINUTE
    deliver_due()
    (email,) = mail.outbox
    assert (email.to, email.subject) == ([anna.email], "A notification channel was switched off")
    page = client.get(f"/me/bots/{robin.pk}/").content.decode()
    assert "This channel is switched off." in page
    client.post(f"/me/channels/{target.pk}/switch/", {"to": "on"})
    assert not NoticeTarget.objects.get().is_off


@pytest.mark.parametrize(
    "address", ["", "http://program.example.org/", "https://anna:secret@example.org/", "https://x.org:22/"]
)
def test_an_address_must_be_https_and_public(
    client: Client, robin: User, receiver: Receiver, address: str
) -> None:
    answer = client.post(f"/me/bots/{robin.pk}/waking/", {"endpoint": address})
    assert answer.status_code == 422
    assert not NoticeTarget.objects.exists()


def test_an_address_inside_the_network_is_refused(client: Client, robin: User) -> None:
    answer = client.post(f"/me/bots/{robin.pk}/waking/", {"endpoint": "https://127.0.0.1/hook"})
    assert "We can’t reach this address from here." in answer.content.decode()
    assert not NoticeTarget.objects.exists()


def test_only_the_owner_sees_the_key_and_a_bot_has_one_address(
    client: Client, robin: User, bruno: User, signed_in: Any, receiver: Receiver
) -> None:
    target = woken(client, robin, receiver)
    assert target.secret in client.post(f"/me/channels/{target.pk}/key/").content.decode()
    assert signed_in(bruno).post(f"/me/channels/{target.pk}/key/").status_code == 404
    again = client.post(f"/me/bots/{robin.pk}/waking/", {"endpoint": receiver.address(DISCORD)})
    assert again.status_code == 422
    assert client.post(f"/me/channels/{target.pk}/remove/")["Location"] == f"/me/bots/{robin.pk}/"
    robin.refresh_from_db()
    assert not robin.has_notice_targets
