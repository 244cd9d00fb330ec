"""Daily limits: counted in rows, exact for concurrent requests, and storing nothing about the person."""

import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.code_requests import MOST_FROM_A_CLIENT_TO_AN_ADDRESS
from accounts.mail.models import OutgoingEmail
from accounts.models import RateLimitCounter, User
from accounts.rate_limits import client_key, hit, is_exceeded
from accounts.tasks import delete_old_counts

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def test_a_limit_is_reached_and_no_further_use_is_counted() -> None:
    assert [hit("message", "7", 3) for _ in range(5)] == [True, True, True, False, False]
    assert RateLimitCounter.objects.get().count == 3
    assert is_exceeded("message", "7", 3)
    assert not is_exceeded("message", "7", 4)


def test_actions_and_keys_are_counted_apart() -> None:
    assert hit("message", "7", 1)
    assert hit("message", "8", 1)
    assert hit("invitation", "7", 1)
    assert not hit("message", "7", 1)


def test_a_limit_of_nothing_allows_nothing() -> None:
    assert not hit("message", "7", 0)
    assert not hit("message", "7", 0)


def test_the_next_day_in_utc_begins_again() -> None:
    with time_machine.travel("2026-11-20T23:59:50Z", tick=False):
        assert hit("message", "7", 1)
        assert not hit("message", "7", 1)
    with time_machine.travel("2026-11-21T00:00:01Z", tick=False):
        assert hit("message", "7", 1)


def test_what_is_undone_is_not_counted() -> None:
    with transaction.atomic():
        assert hit("message", "7", 1)
        transaction.set_rollback(True)
    assert hit("message", "7", 1)


def test_no_row_says_whom_it_counts() -> None:
    hit("invitation", "anna@example.org", 5)
    assert "anna" not in str(RateLimitCounter.objects.values().get())


def test_counts_of_past_days_are_forgotten() -> None:
    hit("message", "7", 5)
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        assert delete_old_counts() == 0
    with time_machine.travel(timezone.now() + timedelta(days=2), tick=False):
        hit("message", "7", 5)
        assert delete_old_counts() == 1
        assert RateLimitCounter.objects.count() == 1


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_than_allowed_get_through() -> None:
    start, allowed = threading.Barrier(8), []

    def try_it() -> None:
        start.wait()
        allowed.extend([hit("message", "7", 13) for _ in range(5)])
        connection.close()

    threads = [threading.Thread(target=try_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(allowed), sum(allowed)) == (40, 13)
    assert RateLimitCounter.objects.get().count == 13


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_the_first_of_the_day_are_let_through_however_many_come_at_once() -> None:
    refused = []
    for person in range(25):
        start = threading.Barrier(4)

        def try_it(person: int = person, start: threading.Barrier = start) -> None:
            start.wait()
            if not hit("message", str(person), 4):
                refused.append(person)
            connection.close()

        threads = [threading.Thread(target=try_it) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert refused == []


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_two_requests_in_their_own_transactions_share_the_last_use() -> None:
    start, allowed = threading.Barrier(2), []

    def try_it() -> None:
        start.wait()
        with transaction.atomic():
            allowed.append(hit("message", "7", 1))
        connection.close()

    threads = [threading.Thread(target=try_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(allowed) == [False, True]


def request_from(address: str, **headers: str) -> Any:
    return RequestFactory().get("/", REMOTE_ADDR=address, headers=headers)


def test_a_client_is_known_by_a_hash_of_its_address() -> None:
    key = client_key(request_from("192.0.2.1"))
    assert key == client_key(request_from("192.0.2.1"))
    assert key != client_key(request_from("192.0.2.2"))
    assert "192.0.2.1" not in key


def test_one_ipv6_network_is_one_client() -> None:
    assert client_key(request_from("2001:db8::1")) == client_key(request_from("2001:db8::ffff:1"))
    assert client_key(request_from("2001:db8::1")) != client_key(request_from("2001:db8:0:1::1"))
    assert client_key(request_from("::ffff:192.0.2.1")) == client_key(request_from("192.0.2.1"))


def test_a_proxy_is_believed_only_where_it_was_announced(settings: Any) -> None:
    pretends = request_from("192.0.2.1", **{"X-Forwarded-For": "198.51.100.9"})
    assert client_key(pretends) == client_key(request_from("192.0.2.1"))
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert client_key(pretends) == client_key(request_from("198.51.100.9"))


ENOUGH = "Your network asked for too many codes today."
WAYS_TO_ASK = [
    ("/accounts/login/", "login"),
    ("/accounts/signup/", "email"),
    ("/accounts/password/reset/", "email"),
]


def ask_for_a_code(address: str, page: str = "/accounts/login/", field: str = "login") -> Any:
    cache.clear()  # the limits by the minute are not what is asked about here
    return Client().post(page, {field: address})


def test_one_network_asks_for_so_many_codes_to_an_address_a_day_whether_it_has_an_account_or_not(
    anna: User,
) -> None:
    pages = {}
    for address in (anna.email, "nobody@example.org"):
        for _ in range(MOST_FROM_A_CLIENT_TO_AN_ADDRESS):
            assert ask_for_a_code(address).status_code == 302
        pages[address] = [ask_for_a_code(address, *way) for way in WAYS_TO_ASK]
    for answers in pages.values():
        assert [ENOUGH in answer.content.decode() for answer in answers] == [True] * len(WAYS_TO_ASK)
        assert [answer.status_code for answer in answers[1:]] == [429] * (len(WAYS_TO_ASK) - 1)
        assert 'value="' in answers[0].content.decode()


def test_one_client_causes_so_many_code_emails_a_day_and_no_more_accounts(
    anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.code_requests.MOST_FROM_A_CLIENT", 5)
    for number in range(5):
        assert ask_for_a_code(f"victim{number}@example.org").status_code == 302
    assert ENOUGH in ask_for_a_code("one.more@example.org").content.decode()
    assert ENOUGH in ask_for_a_code(anna.email).content.decode()
    assert OutgoingEmail.objects.count() == 5
    assert not User.objects.filter(email="one.more@example.org").exists()
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        assert ask_for_a_code(anna.email).status_code == 302


def test_emails_that_only_one_browser_can_use_are_limited_by_address_and_a_sign_in_code_still_comes(
    anna: User, code_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.code_requests.MOST_TO_AN_ADDRESS", 4)
    for number in range(4):
        client = Client(REMOTE_ADDR=f"198.51.100.{number}")
        assert client.post("/accounts/password/reset/", {"email": anna.email}).status_code == 302
    refused = Client().post("/accounts/password/reset/", {"email": anna.email})
    assert refused.status_code == 429
    assert "You can still sign in with a code." in refused.content.decode()
    client = Client()
    client.post("/accounts/login/", {"login": anna.email})
    client.post("/accounts/login/code/confirm/", {"code": code_for(anna.email)})
    assert "_auth_user_id" in client.session


@pytest.mark.long
def test_someone_who_has_asked_for_enough_codes_still_signs_in_by_password(anna: User) -> None:
    anna.set_password("seventeen brown mules")
    anna.save()
    for _ in range(MOST_FROM_A_CLIENT_TO_AN_ADDRESS + 1):
        ask_for_a_code(anna.email)
    cache.clear()
    client = Client()
    client.post("/accounts/login/", {"login": anna.email, "password": "seventeen brown mules"})
    assert "_auth_user_id" in client.session
