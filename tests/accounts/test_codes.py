"""Codes by email when others ask for them too: no one is locked out, and no mailbox is flooded."""

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.adapter import AccountAdapter
from accounts.code_requests import MOST_FROM_A_CLIENT_TO_AN_ADDRESS
from accounts.known_browsers import COOKIE, names_of
from accounts.mail.models import OutgoingEmail
from accounts.models import RateLimitCounter, SignInCode, User
from accounts.sign_in_codes import (
    MOST_WRONG_FROM_A_NETWORK,
    MOST_WRONG_TRIES,
    SENT_AT_ONCE,
    CodeCheck,
    issue,
    use,
)

pytestmark = pytest.mark.django_db

ANNA = "anna@example.org"
SIGN_IN = "/accounts/login/"
CODE_PAGE = "/accounts/login/code/confirm/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"


def browser(network: str) -> Client:
    return Client(REMOTE_ADDR=network)


def ask(client: Client, address: str = ANNA) -> Any:
    return client.post(SIGN_IN, {"login": address}, follow=True)


def ask_again(client: Client) -> Any:
    return client.post(CODE_PAGE, {"action": "resend"}, follow=True)


def type_in(client: Client, code: str) -> Any:
    return client.post(CODE_PAGE, {"code": code}, follow=True)


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def few_from_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that is reached before the other limits of the same minute."""
    monkeypatch.setattr("accounts.code_requests.MOST_FROM_A_CLIENT", 5)


def use_up_this_network() -> None:
    for number in range(6):
        ask(Client(), f"victim{number}@example.org")


def ask_as_often_as_possible(networks: int) -> None:
    """Strangers on many networks ask for Anna's codes until no more are sent."""
    for number in range(networks):
        sent = -1
        while sent != OutgoingEmail.objects.count():
            sent = OutgoingEmail.objects.count()
            client = browser(f"198.51.100.{number}")
            ask(client)
            for _ in range(3):
                ask_again(client)


def test_no_one_can_lock_anna_out_by_asking_for_her_codes(anna: User, code_for: Any) -> None:
    ask_as_often_as_possible(networks=5)
    hers = browser("192.0.2.1")
    page = ask(hers).content.decode()
    assert "Use the code in the newest one." in page
    type_in(hers, code_for(ANNA))
    assert is_signed_in(hers)


@pytest.mark.long
def test_no_one_can_flood_annas_mailbox_with_codes(anna: User) -> None:
    ask_as_often_as_possible(networks=5)
    assert OutgoingEmail.objects.count() == SENT_AT_ONCE
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        ask(browser("192.0.2.1"))
    assert OutgoingEmail.objects.count() == SENT_AT_ONCE + 1


@pytest.mark.long
def test_one_network_causes_so_many_emails_to_one_address_a_day_however_they_are_asked_for(
    anna: User,
) -> None:
    start = (timezone.now() + timedelta(days=1)).replace(hour=6)  # all on one day
    for quarter in range(12):
        with time_machine.travel(start + timedelta(minutes=16 * quarter), tick=False):
            client = browser("198.51.100.1")
            last = ask(client).content.decode()
            ask_again(client)
    assert OutgoingEmail.objects.count() == MOST_FROM_A_CLIENT_TO_AN_ADDRESS < 24
    assert "Your network asked for too many codes today." in last


@pytest.mark.usefixtures("few_from_a_network")
@pytest.mark.long
def test_a_browser_that_has_signed_in_before_has_an_allowance_of_its_own(
    anna: User, code_for: Any, sign_in_by_code: Any
) -> None:
    hers = sign_in_by_code(ANNA)
    hers.post("/accounts/logout/")
    use_up_this_network()
    assert "Your network asked for too many codes today." in ask(Client()).content.decode()
    ask(hers)
    type_in(hers, code_for(ANNA))
    assert is_signed_in(hers)


@pytest.mark.usefixtures("few_from_a_network")
def test_the_allowance_of_a_known_browser_is_for_the_account_it_signed_in_to(
    anna: User, bruno: User, sign_in_by_code: Any
) -> None:
    his = sign_in_by_code(bruno.email)
    his.post("/accounts/logout/")
    use_up_this_network()
    assert "asked for too many codes" in ask(his, ANNA).content.decode()
    his.cookies[COOKIE] = his.cookies[COOKIE].value + "x"
    assert "asked for too many codes" in ask(his, bruno.email).content.decode()


@pytest.mark.long
def test_a_code_works_once_in_any_browser_that_asked_for_this_address(anna: User, code_for: Any) -> None:
    phone, desk, stranger = browser("192.0.2.1"), browser("192.0.2.2"), browser("198.51.100.1")
    ask(phone)
    code = code_for(ANNA)
    ask(desk)
    assert code_for(ANNA) == code
    assert type_in(stranger, code).redirect_chain[-1][0] == SIGN_IN
    ask(stranger, "stranger@example.org")
    type_in(stranger, code)
    assert not is_signed_in(stranger)
    type_in(phone, code)
    assert is_signed_in(phone)
    page = type_in(desk, code).content.decode()
    assert "not the right code. Use the one in the newest email." in page
    assert not is_signed_in(desk)
    ask_again(desk)
    assert code_for(ANNA) != code
    type_in(desk, code_for(ANNA))
    assert is_signed_in(desk)


def test_a_code_that_is_sent_again_works_for_fifteen_minutes_from_then(anna: User, code_for: Any) -> None:
    start = timezone.now()
    client = browser("192.0.2.1")
    ask(client)
    code = code_for(ANNA)
    with time_machine.travel(start + timedelta(minutes=14), tick=False):
        desk = browser("192.0.2.2")
        ask(desk)
        assert code_for(ANNA) == code
    with time_machine.travel(start + timedelta(minutes=28), tick=False):
        type_in(desk, code)
    assert is_signed_in(desk)


@pytest.mark.long
def test_guessing_ends_with_the_code_and_keeps_only_strangers_out_for_some_minutes(
    anna: User, code_for: Any, sign_in_by_code: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.sign_in_codes.MOST_WRONG_TRIES", 6)  # far below what anyone can reach
    known = sign_in_by_code(ANNA)
    known.post("/accounts/logout/")
    ask(known)
    code = code_for(ANNA)
    for number in range(6):
        if number % 3 == 0:
            guesser = browser(f"198.51.100.{number}")
            ask(guesser)
        type_in(guesser, "WRNG-CDXX")
    unknown = browser("192.0.2.1")
    ask(unknown)
    page = type_in(unknown, code).content.decode()
    assert not is_signed_in(unknown)
    assert "Someone entered too many wrong codes for this address. Ask for a new code in 15 minutes." in page
    type_in(known, code)
    assert is_signed_in(known)


def guess_from(network: str, browsers: int) -> Any:
    """Type three wrong codes in each of so many browsers of a network; return the last one's first answer."""
    for _ in range(browsers):
        guesser = browser(network)
        ask(guesser)
        answers = [type_in(guesser, "WRNG-CDXX") for _ in range(3)]
    return answers[0]


@pytest.mark.parametrize("networks", [5, pytest.param(60, marks=pytest.mark.long)])
def test_no_stranger_shuts_annas_new_browsers_out(anna: User, code_for: Any, networks: int) -> None:
    for number in range(networks):
        cache.clear()
        guess_from(f"198.51.100.{number}", browsers=1)
    assert SignInCode.objects.get().wrong_tries == 3 * networks
    hers = browser("192.0.2.1")
    ask(hers)
    type_in(hers, code_for(ANNA))
    assert is_signed_in(hers)


IPV6 = "2001:db8:1:1::1"


@pytest.mark.parametrize("network", [IPV6, pytest.param("198.51.100.1", marks=pytest.mark.long)])
def test_a_network_may_try_so_many_wrong_codes_and_shuts_out_only_itself(
    anna: User, code_for: Any, sign_in_by_code: Any, network: str
) -> None:
    known = sign_in_by_code(ANNA)
    known.post("/accounts/logout/")
    start = timezone.now()
    with time_machine.travel(start, tick=False):
        guess_from(network, browsers=MOST_WRONG_FROM_A_NETWORK // 3)
        there, elsewhere = browser(network), browser("192.0.2.1")
        for client in (there, elsewhere, known):
            ask(client)
        page = type_in(there, code_for(ANNA)).content.decode()
        assert "Someone on your network entered too many wrong codes for this address." in page
        assert "Ask for a new code in 15 minutes." in page
        assert not is_signed_in(there)
        type_in(elsewhere, code_for(ANNA))
        assert is_signed_in(elsewhere)
    with time_machine.travel(start + timedelta(minutes=16), tick=False):
        there = browser(network)
        ask(there)
        type_in(there, code_for(ANNA))
        assert is_signed_in(there)


def test_all_addresses_of_an_ipv6_network_count_as_one(anna: User) -> None:
    for number in range(MOST_WRONG_FROM_A_NETWORK // 3):
        guess_from(f"2001:db8:1:1::{number}", browsers=1)
    assert "too many wrong codes" in guess_from("2001:db8:1:1:ffff::1", browsers=1).content.decode()
    assert "too many wrong codes" not in guess_from("2001:db8:1:2::1", browsers=1).content.decode()


def test_the_networks_of_one_customer_count_together_too(anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.sign_in_codes.MOST_WRONG_FROM_A_WIDE_NETWORK", 6)
    for number in range(2):
        guess_from(f"2001:db8:1:{number}::1", browsers=1)
    assert "too many wrong codes" in guess_from("2001:db8:1:9::1", browsers=1).content.decode()
    assert "too many wrong codes" not in guess_from("2001:db8:2:1::1", browsers=1).content.decode()
    assert "too many wrong codes" not in guess_from("198.51.100.1", browsers=1).content.decode()


def test_guessing_a_code_has_no_chance_worth_a_try() -> None:
    codes = 20**8
    assert MOST_WRONG_TRIES / codes < 1 / 250_000
    assert len({AccountAdapter().generate_login_code() for _ in range(1000)}) == 1000
    assert {*AccountAdapter().generate_login_code()} <= {*"BCDFGHJKLMNPQRSTVWXZ-"}


def full_width(code: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) for one in code)


WAYS_TO_TYPE = [
    str.lower,
    full_width,
    lambda code: full_width(code.lower()),
    lambda code: code.replace("-", ""),
    lambda code: code.replace("-", " \u2013 "),
    lambda code: f"  {code}\u200b\n",
    "\u00a0".join,
    lambda code: code.replace("-", "\u30fc"),
    lambda code: "".join(chr(ord(one) - ord("A") + 0x1D400) if one != "-" else one for one in code),
    lambda code: f"\u201c{code}\u201d.",
]


@pytest.mark.parametrize("way", WAYS_TO_TYPE)
def test_a_code_is_accepted_however_a_keyboard_writes_it(anna: User, code_for: Any, way: Any) -> None:
    client = browser("192.0.2.1")
    ask(client)
    type_in(client, way(code_for(ANNA)))
    assert is_signed_in(client)


@pytest.mark.parametrize("typed", ["BCDF", "BCDF-GHJK-L", "123456", "-- --", "\u0412CDF-GHJK"])
def test_what_can_be_no_code_is_no_wrong_code_of_the_address(anna: User, typed: str) -> None:
    client = browser("192.0.2.1")
    ask(client)
    assert "not the right code" in type_in(client, typed).content.decode()
    assert SignInCode.objects.get().wrong_tries == 0
    assert not RateLimitCounter.objects.filter(action="wrong code").exists()


def test_every_other_code_is_read_in_the_same_way(anna: User, sign_in_by_code: Any, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/signup/", {"email": "new@example.org"})
    client.post("/accounts/confirm-email/", {"code": full_width(code_for("new@example.org"))})
    assert EmailAddress.objects.get(email="new@example.org").verified
    client = Client()
    client.post("/accounts/password/reset/", {"email": ANNA})
    answer = client.post("/accounts/password/reset/confirm/", {"code": full_width(code_for(ANNA))})
    assert answer.status_code == 302


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_wrong_codes_typed_at_once_all_count() -> None:
    issue(ANNA, "GOODCODE", by_known_browser=False)
    start, answers = threading.Barrier(8), []

    def guess() -> None:
        connection.ensure_connection()
        start.wait()
        answers.append(use(ANNA, "BDGXSSXX", by_known_browser=False, networks=()))
        connection.close()

    threads = [threading.Thread(target=guess) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [CodeCheck.WRONG] * 8
    assert SignInCode.objects.get().wrong_tries == 8


@pytest.mark.long
def test_wrong_passwords_typed_elsewhere_do_not_keep_a_known_browser_out(
    anna: User, sign_in_by_code: Any
) -> None:
    known = sign_in_by_code(ANNA)
    known.post("/accounts/logout/")
    anna.refresh_from_db()
    anna.set_password("seventeen brown mules")
    anna.save()
    for number in range(6):
        browser(f"198.51.100.{number}").post(SIGN_IN, {"login": ANNA, "password": f"guess {number}"})
    stranger = browser("192.0.2.1")
    stranger.post(SIGN_IN, {"login": ANNA, "password": "seventeen brown mules"})
    assert not is_signed_in(stranger)
    known.post(SIGN_IN, {"login": ANNA, "password": "seventeen brown mules"})
    assert is_signed_in(known)


def without_tokens(answer: Any) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", answer.content.decode())


def test_an_address_without_an_open_account_is_answered_in_the_same_way(anna: User) -> None:
    User.objects.create_user("closed@example.org", is_active=False)
    pages = []
    for address in (ANNA, "closed@example.org", "nobody@example.org"):
        client = browser("192.0.2.1")
        answers = [ask(client, address) for _ in range(5)]
        answers += [ask_again(client) for _ in range(3)]
        answers += [type_in(client, "WRONG-CODE")]
        tokens = [
            answer.content.decode().partition('name="csrfmiddlewaretoken" value="')[2][:64]
            for answer in answers
        ]
        texts = [answer.content.decode().replace(address, "ADDRESS") for answer in answers]
        pages.append([text.replace(token, "") for text, token in zip(texts, tokens, strict=True)])
    assert pages[0] == pages[1] == pages[2]


def test_a_code_email_says_when_and_from_what_it_was_requested(anna: User, email_to: Any) -> None:
    with time_machine.travel("2026-11-20T13:10:00Z", tick=False):
        client = Client(REMOTE_ADDR="192.0.2.77", headers={"User-Agent": FIREFOX})
        ask(client)
        email = email_to(ANNA)
    for part in ("plain", "html"):
        text = " ".join(email.get_body((part,)).get_content().split())
        assert "Requested on Friday 20 November, 13:10 (UTC) from Firefox on Linux." in text
        assert "192.0.2.77" not in text
        assert "Gecko" not in text


IN_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
IN_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"


@pytest.mark.parametrize(
    ("user_agent", "names"),
    [
        (FIREFOX, ("Firefox", "Linux")),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {IN_CHROME}", ("Chrome", "Windows")),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {IN_CHROME} Edg/140.0", ("Edge", "Windows")),
        (f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {IN_CHROME} OPR/120.0", ("Opera", "ChromeOS")),
        (f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {IN_CHROME}", ("Chrome", "Android")),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {IN_SAFARI}", ("Safari", "macOS")),
        (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {IN_SAFARI}", ("Safari", "iOS")),
        ("Visit evil.example now", ("", "")),
        ("", ("", "")),
    ],
)
def test_a_browser_is_named_by_its_family_and_never_by_its_own_words(
    user_agent: str, names: tuple[str, str]
) -> None:
    assert names_of(user_agent) == names


def test_an_unknown_browser_is_called_so(anna: User, email_to: Any) -> None:
    Client(headers={"User-Agent": "Visit evil.example now"}).post(SIGN_IN, {"login": ANNA})
    text = " ".join(email_to(ANNA).get_body(("plain",)).get_content().split())
    assert "from a browser we don’t recognise." in text
    assert "evil" not in text
