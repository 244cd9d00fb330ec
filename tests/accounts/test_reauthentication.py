"""People prove who they are before they change how they sign in; without a password, by a code."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from accounts.models import User

pytestmark = pytest.mark.django_db
NEW = "anna.new@example.org"
ADD = {"action_add": "", "email": NEW}
WORDS = "seventeen brown mules"
PROOF = "/accounts/reauthenticate/code/"


@pytest.fixture
def later(anna: User, signed_in: Any) -> Client:
    """Return Anna's browser, where no code or password was typed for a long time."""
    client: Client = signed_in(anna)
    return client


def is_unchanged(anna: User) -> bool:
    """Check that the account opens as before, and that nothing was sent to the new address."""
    anna.refresh_from_db()
    others = EmailAddress.objects.filter(user=anna).exclude(email=anna.email)
    return not (
        others.exists()
        or OutgoingEmail.objects.filter(to_address=NEW).exists()
        or anna.has_usable_password()
        or Authenticator.objects.filter(user=anna).exists()
    )


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/accounts/email/", ADD),
        ("/accounts/password/set/", {"password1": WORDS, "password2": WORDS}),
        ("/accounts/2fa/totp/activate/", {"code": "000000"}),
        ("/accounts/2fa/webauthn/add/", {"name": "Key", "credential": "{}"}),
    ],
)
def test_nothing_that_opens_an_account_changes_before(
    later: Client, anna: User, path: str, form: dict[str, str]
) -> None:
    answer = later.post(path, form)
    assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, PROOF)
    assert is_unchanged(anna)


def test_an_address_is_not_removed_before(later: Client, anna: User) -> None:
    EmailAddress.objects.create(user=anna, email=NEW, verified=False)
    answer = later.post("/accounts/email/", {"action_remove": "", "email": NEW})
    assert answer["Location"].startswith(PROOF)
    assert EmailAddress.objects.filter(email=NEW).exists()


def test_a_code_to_the_present_address_lets_the_change_go_on(
    later: Client, anna: User, code_for: Any
) -> None:
    page = later.post("/accounts/email/", ADD, follow=True)
    assert "We’ll email a code to <strong>anna@example.org</strong>." in page.content.decode()
    assert not OutgoingEmail.objects.exists()
    where = page.redirect_chain[-1][0]
    page = later.post(where, {"action": "send", "next": "/accounts/email/"}, follow=True)
    assert "We’ve sent a code to <strong>anna@example.org</strong>." in page.content.decode()

    where = page.redirect_chain[-1][0]
    wrong = later.post(where, {"code": "WRONG", "next": "/accounts/email/"})
    assert "not the right code." in wrong.content.decode()
    assert is_unchanged(anna)

    right = later.post(where, {"code": code_for(anna.email), "next": "/accounts/email/"}, follow=True)
    assert right.redirect_chain[-1][0] == "/accounts/confirm-email/"
    later.post("/accounts/confirm-email/", {"code": code_for(NEW)})
    anna.refresh_from_db()
    assert anna.email == NEW


def test_five_minutes_after_signing_in_a_code_is_needed_again(anna: User, sign_in_by_code: Any) -> None:
    client = sign_in_by_code(anna.email)
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        assert client.post("/accounts/email/", ADD)["Location"].startswith(PROOF)
    assert is_unchanged(anna)


def test_a_password_is_asked_for_where_there_is_one(later: Client, anna: User) -> None:
    anna.set_password(WORDS)
    anna.save()
    later.force_login(anna, backend=settings.AUTHENTICATION_BACKENDS[0])
    answer = later.post("/accounts/email/", ADD)
    assert answer["Location"].startswith("/accounts/reauthenticate/?")
    assert not EmailAddress.objects.filter(email=NEW).exists()
    assert later.get(PROOF)["Location"].startswith("/accounts/reauthenticate/")


def test_strangers_are_sent_to_the_sign_in_page() -> None:
    assert Client().get(PROOF)["Location"].startswith("/accounts/login/")
