"""The profile: name, language, zone, emails; and every sign-in page under the site's policy."""

import html
import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone, translation

from accounts.mail.models import Unsubscription
from accounts.models import User
from tests.tidy import tidy

pytestmark = pytest.mark.django_db

GOOD = {"name": "Anna", "language": "en", "time_zone": "Europe/Warsaw"}
PREFERENCES = "/me/emails/preferences/"


def test_a_stranger_is_asked_to_sign_in() -> None:
    answer = Client().get("/me/")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/login/?next=/me/"


def test_anna_changes_what_others_call_her_and_where_she_lives(anna: User, signed_in: Any) -> None:
    client = signed_in(anna)
    answer = client.post("/me/", {**GOOD, "name": "  Anna  di Siena "}, follow=True)
    assert "Saved." in answer.content.decode()
    anna.refresh_from_db()
    assert (anna.name, anna.time_zone) == ("Anna di Siena", "Europe/Warsaw")
    assert anna.name_chosen


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "This is missing."),
        ("x" * 41, "A name can have at most 40 characters; this one has 41. Shorten it."),
        ("\u202eannA", "Remove the invisible or control characters."),
        ("\u0301", "Enter a name that others can see."),
        ("Montefeltro (bot)", "could be mistaken for the site"),
        ("Anna (Bot)", "could be mistaken for the site"),
        ("A former  player", "could be mistaken for the site"),
        ("guest", "could be mistaken for the site"),
        ("Gu\u200dest", "invisible or control"),
        ("Anna (2)", "could be mistaken for the site"),
        ("Anna \uff08\uff12\uff09", "could be mistaken for the site"),
    ],
)
@pytest.mark.long
def test_a_bad_name_is_refused_in_a_sentence_and_what_was_typed_stays(
    anna: User, signed_in: Any, name: str, sentence: str
) -> None:
    answer = signed_in(anna).post("/me/", {**GOOD, "name": name, "time_zone": "Asia/Tokyo"})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert sentence in page
    assert f'value="{name}"' in page or not name
    assert '<option value="Asia/Tokyo" selected>' in page
    anna.refresh_from_db()
    assert (anna.name, anna.time_zone) == ("Anna", "UTC")


@pytest.mark.parametrize(
    ("field", "value"), [("time_zone", "Mars/Olympus"), ("language", "tlh"), ("time_zone", "../x")]
)
def test_a_language_or_zone_that_does_not_exist_is_refused(
    anna: User, signed_in: Any, field: str, value: str
) -> None:
    answer = signed_in(anna).post("/me/", {**GOOD, field: value})
    assert answer.status_code == 422
    anna.refresh_from_db()
    assert getattr(anna, field) != value


def test_no_one_makes_themselves_an_operator(anna: User, signed_in: Any) -> None:
    signed_in(anna).post("/me/", {**GOOD, "is_staff": "on", "is_superuser": "on", "email": "x@example.org"})
    anna.refresh_from_db()
    assert (anna.is_staff, anna.is_superuser, anna.email) == (False, False, "anna@example.org")


def test_pages_are_in_the_readers_own_zone_and_no_one_elses_afterwards(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Asia/Tokyo")
    from accounts.middleware import ReaderMiddleware

    seen: list[str] = []
    request = type("Request", (), {"user": User.objects.get(pk=anna.pk), "path_info": "/me/"})()

    class Answer:
        headers: dict[str, str] = {}

    middleware = ReaderMiddleware(lambda _: (seen.append(timezone.get_current_timezone_name()), Answer())[1])
    before = timezone.get_current_timezone_name(), translation.get_language()
    middleware(request)
    assert seen == ["Asia/Tokyo"]
    assert (timezone.get_current_timezone_name(), translation.get_language()) == before


def test_emails_turned_off_are_listed_and_can_be_turned_on_again(
    anna: User, bruno: User, signed_in: Any
) -> None:
    for person in (anna, bruno):
        Unsubscription.objects.create(address=person.email, list_id="game-42", list_name="Table 42")
    client = signed_in(anna)
    assert "Table 42" in client.get(PREFERENCES).content.decode()
    client.post("/me/emails/turn-on/", {"list_id": "game-42"})
    assert list(Unsubscription.objects.values_list("address", flat=True)) == [bruno.email]


def test_next_to_emails_turned_off_stands_what_is_missed_by_it(anna: User, signed_in: Any) -> None:
    Unsubscription.objects.create(address=anna.email, list_id="chat-42", list_name="the chat at Table 42")
    page = signed_in(anna).get(PREFERENCES).content.decode()
    assert "we don’t tell you what the others write there" in page
    assert "nobody tells you that it is your move" not in page


def test_the_switch_for_the_hand_does_not_promise_what_the_emails_link_breaks(
    anna: User, signed_in: Any
) -> None:
    assert (
        "Anyone who can open your emails can still see your hand"
        in signed_in(anna).get(PREFERENCES).content.decode()
    )


ENTRANCE = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
OWN = [
    "/me/",
    "/me/?welcome=1",
    PREFERENCES,
    "/accounts/email/",
    "/accounts/password/set/",
    "/accounts/sessions/",
    "/accounts/logout/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/webauthn/add/",
    "/accounts/2fa/recovery-codes/generate/",
]


def assert_in_our_layout(answer: Any) -> None:
    page = tidy(answer.content.decode())
    assert answer.status_code == 200, answer.headers
    assert 'class="site-header"' in page
    assert 'id="main"' in page
    assert " style=" not in page
    assert "<style" not in page
    scripts = [piece.split(">")[0] for piece in page.split("<script")[1:]]
    assert all("src=" in script or 'type="application/json"' in script for script in scripts), scripts
    assert "'unsafe-inline'" not in answer["Content-Security-Policy"]
    for words in re.findall(r"<(?:title|h1|h2|button|label|th|legend|summary)\b[^>]*>\s*([^<]+)", page):
        _first, *others = html.unescape(words).split(" · ")[0].split()
        assert [word for word in others if word[0].isupper() and word != "I"] == [], words
    for foreign in ("contact us", "Two-Factor", "two-factor", "expires shortly"):
        assert foreign not in re.sub(r"<[^>]+>", " ", page), foreign


@pytest.mark.parametrize("path", ENTRANCE)
def test_every_way_in_is_shown_in_our_layout_under_our_policy(path: str) -> None:
    assert_in_our_layout(Client().get(path))


@pytest.mark.parametrize("path", OWN)
def test_every_page_about_ones_account_is_shown_in_our_layout_under_our_policy(
    anna: User, sign_in_by_code: Any, path: str
) -> None:
    assert_in_our_layout(sign_in_by_code(anna.email).get(path, follow=True))


def test_an_address_waiting_to_be_confirmed_is_shown_in_our_layout(anna: User, sign_in_by_code: Any) -> None:
    client = sign_in_by_code(anna.email)
    answer = client.post("/accounts/email/", {"action_add": "", "email": "anna.new@example.org"}, follow=True)
    assert_in_our_layout(answer)
    assert "anna.new@example.org" in answer.content.decode()
    EmailAddress.objects.create(user=anna, email="anna.other@example.org")
    answer = sign_in_by_code(anna.email).get("/accounts/email/")
    assert_in_our_layout(answer)
    assert "anna.other@example.org" in answer.content.decode()


def test_looking_at_pages_makes_no_session_for_a_stranger() -> None:
    Client().get("/accounts/login/")
    Client().get("/accounts/signup/")
    assert Session.objects.count() == 0
