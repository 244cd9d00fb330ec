"""What tests about people share: reading a code out of the email that arrived, and signing in with it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.mail.delivery import deliver_due


@pytest.fixture(autouse=True)
def no_rate_is_used_up(db: None) -> None:
    cache.clear()


@pytest.fixture
def email_to(smtp_sink: Any) -> Callable[[str], Any]:
    """Deliver due emails and return the newest one to an address."""

    def newest(address: str) -> Any:
        deliver_due()
        return smtp_sink.to(address)[-1]

    return newest


@pytest.fixture
def code_for(email_to: Callable[[str], Any]) -> Callable[[str], str]:
    """Return the code in the newest email to an address, as its reader would find it."""

    def code(address: str) -> str:
        text = email_to(address).get_body(("plain",)).get_content().replace("\r\n", "\n")
        found = re.search(r"^ {4}(\S+)$", text, re.M)
        assert found, text
        return found[1]

    return code


@pytest.fixture
def sign_in_by_code(code_for: Callable[[str], str]) -> Callable[..., Client]:
    """A client that signed in by typing a code."""

    def sign_in(address: str, next_page: str = "") -> Client:
        client = Client()
        client.post("/accounts/login/", {"login": address, "next": next_page})
        client.post("/accounts/login/code/confirm/", {"code": code_for(address), "next": next_page})
        assert "_auth_user_id" in client.session
        return client

    return sign_in
