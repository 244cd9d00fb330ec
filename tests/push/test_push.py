"""Notifications: what reaches a browser, when the email comes as well, and services that fail."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.push import public_hosts, public_requests, queueing
from accounts.push.forms import public_key
from accounts.push.models import Push, PushSubscription
from accounts.push.queueing import Notice
from accounts.push.sending import send_due
from games.chat.services import write
from games.models import Game
from games.services.notifications import notify_asked
from tests.digests.days import MINUTE, Days
from tests.games.playing import answer, decision_of, legal_texts
from tests.push.services import PushService

pytestmark = pytest.mark.django_db

PROFILE, ADD, KINDS = "/me/", "/me/push/", "/me/push/kinds/"
SIGN_OUT, SESSIONS = reverse("account_logout"), reverse("usersessions_list")


def told(game: Game, service: PushService, client: Client) -> User:
    """Let the player who is asked turn notifications on, and be asked; return them."""
    seat = game.table.seats.get(number=decision_of(game).seat)
    client.force_login(seat.person, backend=settings.AUTHENTICATION_BACKENDS[0])
    assert client.post(ADD, service.form).status_code == 302
    seat = game.table.seats.select_related("user").get(pk=seat.pk)
    OutgoingEmail.objects.all().delete()
    notify_asked(game, seat, seat.decision_step or 0)
    return seat.person


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def player(game: Game, service: PushService, client: Client) -> User:
    return told(game, service, client)


def payloads(service: PushService) -> list[dict[str, str]]:
    return [json.loads(one["payload"]) for one in service.got]


def test_a_browser_that_was_added_hears_of_a_turn_and_the_email_comes_as_well(
    days: Days, game: Game, player: User, service: PushService
) -> None:
    assert send_due() == 0  # held for a moment
    days.now += timedelta(seconds=10)
    assert (send_due(), send_due()) == (1, 0)
    (shown,) = payloads(service)
    assert shown["title"] == "Your turn: Table 42"
    assert shown["path"] == f"/games/{game.pk}/"
    assert shown["waiting"] == 1
    assert set(shown) == {"title", "path", "tag", "shown", "waiting"}
    (got,) = service.got
    assert got["key"] == public_key()
    assert (got["headers"]["urgency"], got["headers"]["ttl"]) == ("high", "43200")
    days.now += MINUTE
    assert [email.to for email in days.tick()] == [[player.email]]


def test_no_email_comes_once_the_browser_has_shown_it_if_so_chosen(
    days: Days, game: Game, player: User, service: PushService, client: Client
) -> None:
    client.post(KINDS, {"kinds": ["turn", "message"], "instead": "on"})
    days.now += timedelta(seconds=10)
    send_due()
    (shown,) = payloads(service)
    assert Client(enforce_csrf_checks=True).post(shown["shown"]).status_code == 204
    days.now += MINUTE
    assert days.tick() == []
    assert OutgoingEmail.objects.get().state == OutgoingEmail.State.OVERTAKEN


def test_the_email_comes_if_the_push_service_took_it_and_no_browser_showed_it(
    days: Days, game: Game, player: User, service: PushService, client: Client
) -> None:
    client.post(KINDS, {"kinds": ["turn"], "instead": "on"})
    days.now += 2 * MINUTE
    assert send_due() == 1
    assert len(days.tick()) == 1


def test_the_email_comes_if_it_says_more_than_the_browser_showed(
    days: Days, game: Game, player: User, service: PushService, client: Client
) -> None:
    client.post(KINDS, {"kinds": ["message"], "instead": "on"})
    other = game.table.seats.exclude(user=player).first()
    assert other is not None
    write(other, "Shall we?")
    days.now += timedelta(seconds=10)
    send_due()
    (shown,) = payloads(service)
    client.post(shown["shown"])
    write(other, "Or not?")
    days.now += 10 * MINUTE
    subjects = [email.subject for email in days.tick() if email.to == [player.email]]
    assert f"Chat ({other.person.shown_name}): Table 42" in subjects


def test_a_notification_that_is_asked_for_twice_comes_once(
    days: Days, game: Game, player: User, service: PushService
) -> None:
    seat = game.table.seats.get(user=player)
    notify_asked(game, seat, seat.decision_step or 0)
    days.now += timedelta(seconds=10)
    assert send_due() == 1


def test_a_move_made_meanwhile_needs_no_notification(
    days: Days, game: Game, player: User, service: PushService
) -> None:
    number = decision_of(game).seat
    while decision_of(game).seat == number:
        answer(game, legal_texts(game)[0])
    days.now += 2 * MINUTE
    send_due()
    assert payloads(service) == []
    assert not Push.objects.filter(done_at=None, subscription__user=player).exists()


def test_each_kind_is_turned_off_by_itself(
    days: Days, game: Game, player: User, service: PushService, client: Client
) -> None:
    page = client.get(PROFILE).content.decode()
    assert page.count('name="kinds"') == 3
    client.post(KINDS, {"kinds": ["message"]})
    other = game.table.seats.exclude(user=player).first()
    assert other is not None
    write(other, "Shall we?")
    days.now += 2 * MINUTE
    send_due()
    (shown,) = payloads(service)
    assert shown["title"] == f"Chat ({other.person.shown_name}): Table 42"
    assert "Shall we" not in json.dumps(shown)
    assert "waiting" not in shown  # turns are turned off


def test_a_service_that_hangs_holds_up_nothing_and_hears_it_later(
    days: Days, anna: User, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_requests, "ENDS_WITHIN", 0.2)
    released = threading.Event()
    service.answer = lambda _request: released.wait(60)
    for _number in range(2):
        due(days, anna, service, monkeypatch)
        days.now += MINUTE
    assert send_due() == 0
    assert service.asked == 1  # the other one waits for the same service without trying it
    released.set()
    service.answer = 201
    days.now += MINUTE
    assert send_due() == 2


def due(days: Days, person: User, service: PushService, monkeypatch: pytest.MonkeyPatch) -> Push:
    """Return a notification to this person that is due, whatever it is about."""
    monkeypatch.setitem(queueing.BUILDERS, Push.Kind.TURN, lambda _push: Notice("Your turn", "/", ""))
    person.push_kinds = [Push.Kind.TURN]
    person.save()
    browser, _made = PushSubscription.objects.get_or_create(user=person, **service.form)
    return Push.objects.create(subscription=browser, kind="turn", key=str(days.now), not_before=days.now)


def test_what_a_service_answers_decides_what_follows(
    days: Days, anna: User, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, later = {}, {}
    for service.answer in (404, 410, 503, 429, 302, 403):
        push = due(days, anna, service, monkeypatch)
        assert send_due() == 0
        kept[service.answer] = PushSubscription.objects.exists()
        later[service.answer] = Push.objects.filter(pk=push.pk, done_at=None).exists()
        Push.objects.all().delete()
    assert service.asked == 6  # a redirect is not followed
    assert [status for status in kept if not kept[status]] == [404, 410]
    assert [status for status in later if later[status]] == [503, 429]


def test_a_name_that_leads_inside_later_is_forgotten_unasked(
    days: Days, anna: User, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    due(days, anna, service, monkeypatch)
    monkeypatch.setattr(public_hosts, "is_public", lambda _address: False)
    assert send_due() == 0
    assert service.asked == 0
    assert not PushSubscription.objects.exists()


def test_broken_keys_are_refused_and_a_browser_belongs_to_its_last_person(
    anna: Any, bruno: Any, signed_in: Any, service: PushService
) -> None:
    for name, wrong in (("p256dh", "A" * 87), ("p256dh", "%"), ("auth", "AAAA"), ("auth", "")):
        signed_in(anna).post(ADD, {**service.form, name: wrong})
    assert not PushSubscription.objects.exists()
    for person in (anna, anna, bruno):
        signed_in(person).post(ADD, service.form)
    browser = PushSubscription.objects.get()
    assert browser.user == bruno
    assert signed_in(anna).post(f"/me/push/{browser.pk}/remove/").status_code == 404
    assert signed_in(bruno).post(f"/me/push/{browser.pk}/remove/").status_code == 302
    assert not PushSubscription.objects.exists()


def test_signing_out_ends_notifications_in_that_browser_alone(
    anna: Any, bruno: Any, signed_in: Any, service: PushService
) -> None:
    home, shared = signed_in(anna), signed_in(anna)
    at_home = {**service.form, "endpoint": f"{service.form['endpoint']}&home"}
    home.post(ADD, at_home)
    shared.post(ADD, service.form)
    shared.post(SIGN_OUT)
    assert [browser.endpoint for browser in anna.push_subscriptions.all()] == [at_home["endpoint"]]
    shared.force_login(anna, backend=settings.AUTHENTICATION_BACKENDS[0])
    assert anna.push_subscriptions.count() == 1
    shared.post(ADD, service.form)
    assert anna.push_subscriptions.count() == 2
    shared.force_login(bruno, backend=settings.AUTHENTICATION_BACKENDS[0])
    shared.post(ADD, service.form)
    shared.post(SIGN_OUT)
    assert not bruno.push_subscriptions.exists()
    assert anna.push_subscriptions.count() == 1


def test_signing_out_everywhere_else_ends_their_notifications(
    anna: Any, signed_in: Any, service: PushService
) -> None:
    home, shared = signed_in(anna), signed_in(anna)
    at_home = {**service.form, "endpoint": f"{service.form['endpoint']}&home"}
    home.post(ADD, at_home)
    shared.post(ADD, service.form)
    for client in (home, shared):
        key = client.session.session_key
        UserSession.objects.create(user=anna, session_key=key, ip="127.0.0.1", user_agent="a browser")
    home.post(SESSIONS)
    assert shared.get(PROFILE).status_code == 302
    assert [browser.endpoint for browser in anna.push_subscriptions.all()] == [at_home["endpoint"]]


def test_nothing_is_asked_of_people_without_notifications(
    days: Days, game: Game, django_assert_num_queries: Any
) -> None:
    from accounts.push.queueing import notify

    seat = game.table.seats.select_related("user")[0]
    with django_assert_num_queries(0):
        notify(Push.Kind.TURN, seat.person, key="1", email_key="1", context={})
    assert mail.outbox == []
