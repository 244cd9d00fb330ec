"""The sign-in page as an email's link opens it: it knows the address and goes on to a page."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.reader_links import sign_in_path

pytestmark = pytest.mark.django_db

TRIES_A_MINUTE = 30
CODE_PAGE = "/accounts/login/code/confirm/"


def link_in_notice(to: str, **context: str) -> str:
    """Return the path of the link in the notice of a change to an account."""
    queue("account", to=to, key="notice", context={"notice": "totp_activated", "email": to, **context})
    deliver_due()
    found = re.search(r"http://testserver(/accounts/\S+)", mail.outbox.pop().body)
    assert found is not None
    return found[1]


def type_in_the_code(client: Client, page: Any) -> Any:
    """Press the button of a sign-in page as it came, and type in the code that is sent."""
    form = page.context["form"]
    following = page.context["redirect_field_value"]
    client.post("/accounts/login/", {"login": form["login"].value(), "next": following, "by": "code"})
    deliver_due()
    code = re.search(r"[A-Z0-9]{4}-[A-Z0-9]{4}", mail.outbox.pop().body)
    assert code is not None
    return client.post(CODE_PAGE, {"code": code[0], "next": following}, follow=True)


def test_a_notices_link_has_the_address_filled_in_and_ends_at_the_account(anna: User) -> None:
    client = Client()
    page = client.get(link_in_notice(anna.email))
    assert b"Sign in to see and change your account." in page.content
    assert f'value="{anna.email}"' in page.content.decode()
    answer = type_in_the_code(client, page)
    assert (answer.status_code, answer.request["PATH_INFO"]) == (200, "/me/")


def test_looking_sends_nothing_signs_no_one_in_and_is_no_try_to_sign_in(anna: User) -> None:
    client, path = Client(), sign_in_path(anna, "/me/")
    for method, status in (("get", 200), ("head", 200), ("options", 405), ("post", 405)):
        for _look in range(TRIES_A_MINUTE + 1):
            assert getattr(client, method)(path).status_code == status
    deliver_due()
    assert mail.outbox == []
    assert client.get("/me/").status_code == 302
    assert client.post("/accounts/login/", {"login": anna.email}).status_code == 302


def test_readers_who_are_signed_in_go_straight_on(anna: User, signed_in: Any) -> None:
    answer = signed_in(anna).get(link_in_notice(anna.email))
    assert (answer.status_code, answer["Location"]) == (302, "/me/")


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/", "//elsewhere.example/"])
def test_it_leads_to_no_other_site(anna: User, signed_in: Any, elsewhere: str) -> None:
    answer = signed_in(anna).get(sign_in_path(anna, elsewhere))
    assert answer["Location"] == "/"


def test_a_token_that_was_tampered_with_fills_in_nothing(anna: User) -> None:
    path = sign_in_path(anna, "/me/")
    page = Client().get(path.replace("/?", "x/?"))
    assert page.status_code == 200
    assert anna.email not in page.content.decode()


@pytest.mark.parametrize(("name", "is_said"), [("", False), ("Ada Rossi", True)])
def test_the_notice_of_a_changed_address_says_whom_to_write_to(
    settings: Any, name: str, is_said: bool
) -> None:
    settings.OPERATOR_NAME, settings.OPERATOR_EMAIL = name, "ada@example.org"
    old, new = "old@example.org", "new@example.org"
    context = {"notice": "email_changed", "email": old, "from_email": old, "to_email": new}
    queue("account", to=old, key="notice", context=context)
    deliver_due()
    message: Any = mail.outbox.pop()
    page = message.alternatives[0][0]
    assert "because this address belonged to an account at" in page
    assert ("write to Ada Rossi <ada@example.org>." in " ".join(message.body.split())) is is_said
    assert ("write to Ada Rossi &lt;ada@example.org&gt;." in page) is is_said
    assert "ada@example.org" not in message.body + page or is_said
