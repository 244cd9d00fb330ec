"""Signing up and in by a code out of an email; what a stranger cannot find out; sessions that end."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.tasks import delete_unconfirmed_accounts
from tests.accounts.test_profile import assert_in_our_layout

pytestmark = pytest.mark.django_db

ANNA = "anna@example.org"


def text_of(email: Any) -> str:
    return str(email.get_body(("plain",)).get_content()).replace("\r\n", "\n")


def test_anna_makes_an_account_with_nothing_but_her_address_and_the_code_in_the_email(code_for: Any) -> None:
    client = Client()
    answer = client.post("/accounts/signup/", {"email": "Anna@Example.org"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/confirm-email/"
    answer = client.post("/accounts/confirm-email/", {"code": code_for(ANNA)}, follow=True)
    assert answer.redirect_chain[-1][0] == "/me/?welcome=1"
    assert "What should others call you?" in answer.content.decode()
    anna = User.objects.get()
    assert anna.email == ANNA
    assert not anna.has_usable_password()
    assert "anna" not in anna.shown_name.lower()


def test_no_request_talks_to_the_mail_server(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = Client().post("/accounts/signup/", {"email": ANNA})
    assert answer.status_code == 302
    assert OutgoingEmail.objects.get().state == OutgoingEmail.State.QUEUED


def test_anna_signs_in_by_a_code_and_goes_where_she_was_going(anna: User, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "ANNA@example.org", "next": "/accounts/sessions/"})
    answer = client.post(
        "/accounts/login/code/confirm/", {"code": code_for(ANNA), "next": "/accounts/sessions/"}
    )
    assert answer["Location"] == "/accounts/sessions/"


def test_a_wrong_code_opens_nothing(anna: User, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": ANNA})
    code_for(ANNA)
    answer = client.post("/accounts/login/code/confirm/", {"code": "WRONGX"})
    assert "not the right code." in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_the_third_wrong_code_ends_the_attempt_and_leads_to_where_a_new_one_is_asked_for(
    anna: User, code_for: Any
) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": ANNA})
    code = code_for(ANNA)
    for _ in range(3):
        answer = client.post("/accounts/login/code/confirm/", {"code": "WRONGX"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/login/"
    page = answer.content.decode()
    assert "the right code. Ask for a new one here." in page
    assert "Email me a code" in page
    client.post("/accounts/login/code/confirm/", {"code": code})
    assert "_auth_user_id" not in client.session
    client.post("/accounts/login/", {"login": ANNA})
    client.post("/accounts/login/code/confirm/", {"code": code_for(ANNA)})
    assert "_auth_user_id" in client.session


def test_an_expired_code_leads_to_the_sign_in_page_too(anna: User, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": ANNA})
    code = code_for(ANNA)
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        answer = client.post("/accounts/login/code/confirm/", {"code": code}, follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/login/"


def test_the_page_for_the_code_says_how_long_it_works_and_the_email_why_it_came(email_to: Any) -> None:
    answer = Client().post("/accounts/login/", {"login": "new@example.org"}, follow=True)
    assert_in_our_layout(answer)
    assert "It works for 15 minutes." in answer.content.decode()
    email = " ".join(text_of(email_to("new@example.org")).split())
    assert "because someone asked for a code for this address" in email
    assert "have an account" not in email


def test_a_filled_in_password_is_no_answer_to_someone_who_asks_for_a_code(anna: User) -> None:
    client = Client()
    answer = client.post("/accounts/login/", {"login": ANNA, "password": "of another site", "by": "code"})
    assert answer["Location"] == "/accounts/login/code/confirm/"


@pytest.mark.long
def test_a_forgotten_password_is_replaced_by_a_code(anna: User, code_for: Any) -> None:
    client = Client()
    pages = [client.post("/accounts/password/reset/", {"email": ANNA}, follow=True)]
    pages.append(client.post("/accounts/password/reset/confirm/", {"code": code_for(ANNA)}, follow=True))
    words = "seventeen brown mules"
    path = "/accounts/password/reset/complete/"
    pages.append(client.post(path, {"password1": words, "password2": words}, follow=True))
    for page in pages:
        assert_in_our_layout(page)
    assert "You set a new password." in pages[-1].content.decode()
    anna.refresh_from_db()
    assert anna.check_password(words)


def test_the_code_stands_large_in_the_email_and_not_in_its_subject(
    anna: User, email_to: Any, code_for: Any
) -> None:
    Client().post("/accounts/login/", {"login": ANNA})
    code = code_for(ANNA)
    email = email_to(ANNA)
    assert email["Subject"] == "Your sign-in code for Condottiere by email"
    assert not [name for name, value in email.items() if code in value]
    assert code in email.get_body(("html",)).get_content()
    assert "within 15 minutes" in text_of(email)
    assert email["List-Unsubscribe"] is None


def test_a_code_is_forgotten_once_its_email_is_sent(anna: User, code_for: Any) -> None:
    Client().post("/accounts/login/", {"login": ANNA})
    code = OutgoingEmail.objects.get().context["code"]
    assert code_for(ANNA) == code
    assert OutgoingEmail.objects.get().context == {}


def test_a_code_that_would_arrive_expired_is_not_sent(anna: User, smtp_sink: Any) -> None:
    Client().post("/accounts/login/", {"login": ANNA})
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        assert deliver_due() == 0
    email = OutgoingEmail.objects.get()
    assert (email.state, email.context) == (OutgoingEmail.State.OVERTAKEN, {})
    assert smtp_sink.messages == []


def test_a_stranger_cannot_find_out_whether_an_address_has_an_account(anna: User, email_to: Any) -> None:
    answers = {}
    for address in (ANNA, "nobody@example.org"):
        for page, field in (("/accounts/login/", "login"), ("/accounts/signup/", "email")):
            answer = Client().post(page, {field: address}, follow=True)
            page_text = answer.content.decode().replace(address, "ADDRESS")
            answers.setdefault(page, []).append(
                (answer.status_code, answer.redirect_chain, _without_tokens(page_text))
            )
    for page, (known, unknown) in answers.items():
        assert known == unknown, page


def _without_tokens(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", page)


def test_anyone_who_has_an_account_already_is_told_so_by_email_only(anna: User, email_to: Any) -> None:
    Client().post("/accounts/signup/", {"email": ANNA})
    email = email_to(ANNA)
    assert email["Subject"] == "You already have an account"
    assert "http://testserver/accounts/login/" in text_of(email)


def test_a_newcomer_signs_in_as_everyone_does_and_has_an_account(sign_in_by_code: Any) -> None:
    client = sign_in_by_code("new@example.org", "/me/hours/")
    newcomer = User.objects.get(email="new@example.org")
    assert newcomer.emailaddress_set.get().verified
    assert f"other people see you as {newcomer.name}" in client.get("/me/hours/").content.decode()
    client.post("/me/", {"name": "Nina", "language": "en", "time_zone": "UTC"})
    assert "other people see you as" not in client.get("/me/hours/").content.decode()


@pytest.mark.parametrize(("typed", "shown"), [(" Nina ", "Nina"), ("", None), ("x" * 200, None)])
def test_a_newcomer_gives_a_name_with_the_code_and_a_bad_one_costs_no_code(
    typed: str, shown: str | None, code_for: Any
) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "new@example.org", "next": "/me/hours/"})
    sent = {"code": code_for("new@example.org"), "new_name": typed, "next": "/me/hours/"}
    assert client.post("/accounts/login/code/confirm/", sent)["Location"] == "/me/hours/"
    newcomer = User.objects.get(email="new@example.org")
    assert newcomer.name_chosen == bool(shown)
    assert shown in (None, newcomer.name)


def test_the_name_of_an_account_is_not_changed_by_signing_in(anna: User, code_for: Any) -> None:
    client = Client()
    for asks in (True, False):  # later the browser is known, and needs no name
        page = client.post("/accounts/login/", {"login": ANNA}, follow=True).content.decode()
        assert ('name="new_name"' in page) == asks
        client.post("/accounts/login/code/confirm/", {"code": code_for(ANNA), "new_name": "Eve"})
        client.post("/accounts/logout/")
    anna.refresh_from_db()
    assert anna.shown_name == "Anna"


def test_an_address_that_was_only_typed_is_forgotten_after_a_day(anna: User, sign_in_by_code: Any) -> None:
    Client().post("/accounts/login/", {"login": "typed@example.org"})
    sign_in_by_code("new@example.org")
    delete_unconfirmed_accounts()
    assert User.objects.filter(email="typed@example.org").exists()
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        delete_unconfirmed_accounts()
    assert not User.objects.filter(email="typed@example.org").exists()
    assert User.objects.count() == 2


def test_a_closed_account_gets_no_code(anna: User, smtp_sink: Any) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert (
        "We’ve sent a code"
        in Client().post("/accounts/login/", {"login": ANNA}, follow=True).content.decode()
    )
    assert deliver_due() == 0
    assert User.objects.count() == 1


@pytest.mark.long
def test_a_password_may_be_set_and_then_opens_the_account(anna: User, sign_in_by_code: Any) -> None:
    client = sign_in_by_code(ANNA)
    words = "seventeen brown mules"
    answer = client.post("/accounts/password/set/", {"password1": words, "password2": words}, follow=True)
    assert answer.redirect_chain[-1][0] == "/me/"
    other = Client()
    answer = other.post("/accounts/login/", {"login": ANNA, "password": words})
    assert "_auth_user_id" in other.session
    wrong = Client()
    answer = wrong.post("/accounts/login/", {"login": ANNA, "password": "wrong"})
    assert "The email address or the password is wrong." in answer.content.decode()
    assert "_auth_user_id" not in wrong.session


def test_a_change_to_the_account_is_told_by_email(anna: User, sign_in_by_code: Any, email_to: Any) -> None:
    words = "seventeen brown mules"
    client = sign_in_by_code(ANNA)
    client.post("/accounts/password/set/", {"password1": words, "password2": words})
    assert "A password was set for your account." in text_of(email_to(ANNA))


def test_the_address_is_changed_by_a_code_sent_to_the_new_one(
    anna: User, sign_in_by_code: Any, code_for: Any, email_to: Any
) -> None:
    client = sign_in_by_code(ANNA)
    client.post("/accounts/email/", {"action_add": "", "email": "Anna.New@example.org"})
    anna.refresh_from_db()
    assert anna.email == ANNA
    client.post("/accounts/confirm-email/", {"code": code_for("anna.new@example.org")})
    anna.refresh_from_db()
    assert anna.email == "anna.new@example.org"
    assert "was changed from anna@example.org to anna.new@example.org" in " ".join(
        text_of(email_to(ANNA)).split()
    )


def test_sessions_are_listed_and_the_others_can_be_ended(anna: User, sign_in_by_code: Any) -> None:
    phone, desk = sign_in_by_code(ANNA), sign_in_by_code(ANNA)
    assert phone.get("/me/").status_code == 200
    page = desk.get("/accounts/sessions/").content.decode()
    assert "This browser" in page
    desk.post("/accounts/sessions/")
    assert phone.get("/me/").status_code == 302
    assert desk.get("/me/").status_code == 200


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/logout/"])
@pytest.mark.parametrize("to", ["http://[", "//[", "https://elsewhere.example/", "javascript:alert(1)"])
def test_a_strange_place_to_go_to_breaks_nothing(path: str, to: str, anna: Any, signed_in: Any) -> None:
    assert Client().get(path, {"next": to}).status_code in (200, 302)
    answer = signed_in(anna).get(path, {"next": to})
    assert answer.get("Location", "/").startswith("/")
