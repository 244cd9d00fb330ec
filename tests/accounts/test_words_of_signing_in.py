"""The site's own words replace allauth's: refusals, messages, names of fields."""

import re
from pathlib import Path
from typing import Any

import allauth
import pytest
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.test import Client

from accounts.adapter import AccountAdapter, SecondStepAdapter

NOT_USED = re.compile("phone|username")


@pytest.mark.parametrize(
    ("theirs", "ours"), [(DefaultAccountAdapter, AccountAdapter), (DefaultMFAAdapter, SecondStepAdapter)]
)
def test_every_refusal_is_in_this_sites_words(theirs: Any, ours: Any) -> None:
    left = {
        code
        for code, text in ours.error_messages.items()
        if text is theirs.error_messages[code] and not NOT_USED.search(code)
    }
    assert left == set()


def test_every_message_is_in_this_sites_words() -> None:
    package = Path(allauth.__file__).parent / "templates"
    apps = ("account", "mfa", "usersessions")
    names = {path.relative_to(package) for app in apps for path in package.glob(f"{app}/messages/*.txt")}
    assert len(names) > 10
    ours = Path(settings.BASE_DIR) / "templates"
    assert [name for name in names if not (NOT_USED.search(name.name) or (ours / name).exists())] == []


@pytest.mark.django_db
def test_a_mistyped_address_is_refused_in_this_sites_spelling() -> None:
    page = Client().post("/accounts/login/", {"login": "anna at home", "by": "code"}).content.decode()
    assert "Enter a valid email address." in page


@pytest.mark.django_db
def test_adding_a_key_is_told_in_this_sites_words(anna: Any, sign_in_by_code: Any) -> None:
    page = sign_in_by_code(anna.email).get("/accounts/2fa/webauthn/add/").content.decode()
    assert "Sign in with only this key" in page
    assert "Passwordless" not in page
    assert "Enabling" not in page
    assert 'value="Key 1"' in page


@pytest.mark.django_db
def test_a_wrong_code_of_the_app_is_refused_as_one_by_mail_is(anna: Any, sign_in_by_code: Any) -> None:
    client = sign_in_by_code(anna.email)
    page = client.post("/accounts/2fa/totp/activate/", {"code": "000000"}).content.decode()
    assert "not the right code." in page
    assert "Incorrect code" not in page
