"""Emails captured without a mail server, and the pages on which only the operator reads them."""

from typing import Any

import pytest
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.mail.views import EMAILS_ON_A_PAGE
from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_mail_server(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"


@pytest.fixture
def operator(anna: User, signed_in: Any) -> Client:
    anna.is_staff = True
    anna.save()
    client: Client = signed_in(anna)
    return client


def test_an_email_is_kept_whole_and_counts_as_sent(greet: Any) -> None:
    email = greet(list_id="game-42", words="Your move.")
    assert deliver_due() == 1
    kept = CapturedEmail.objects.get()
    assert (kept.to, kept.subject) == ("anna@example.org", "Good day")
    assert "Your move." in kept.text
    assert "Your move." in kept.html
    assert ["Message-ID", email.message_id] in kept.headers
    email.refresh_from_db()
    assert email.state == OutgoingEmail.State.SENT


@pytest.mark.parametrize("path", ["/operator/emails/", "/operator/emails/{}/", "/operator/emails/{}/html/"])
def test_anyone_who_is_no_operator_cannot_know_that_the_pages_exist(
    greet: Any, bruno: User, signed_in: Any, path: str
) -> None:
    greet()
    deliver_due()
    address = path.format(CapturedEmail.objects.get().pk)
    for client in (Client(), signed_in(bruno)):
        assert client.get(address).status_code == 404
    User.objects.filter(pk=bruno.pk).update(is_staff=True, is_active=False)
    assert signed_in(bruno).get(address).status_code == 404


def test_the_operator_clicks_the_links_in_the_text(operator: Client, greet: Any) -> None:
    greet(
        link="http://testserver/answer/abc:def_-x/?a=1&b=2.",
        words="<script>alert(1)</script> \"http://x.example'",
    )
    deliver_due()
    page = operator.get(f"/operator/emails/{CapturedEmail.objects.get().pk}/").content.decode()
    assert '<a href="http://testserver/answer/abc:def_-x/?a=1&amp;b=2">' in page
    assert '<a href="http://x.example">' in page
    assert "<script>alert" not in page


def test_the_html_is_shown_where_nothing_can_run_and_its_picture_with_it(
    operator: Client, greet: Any
) -> None:
    greet(picture=True)
    deliver_due()
    answer = operator.get(f"/operator/emails/{CapturedEmail.objects.get().pk}/html/")
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    page = answer.content.decode()
    assert "cid:" not in page
    assert 'src="data:image/png;base64,iVBOR' in page
    assert '<base target="_top">' in page


def test_emails_are_listed_newest_first_by_pages_and_found_by_address(operator: Client, greet: Any) -> None:
    for number in range(EMAILS_ON_A_PAGE + 2):
        greet("bruno@example.org" if number == 1 else "anna@example.org", subject=f"Email number {number}.")
    deliver_due()
    page = operator.get("/operator/emails/").content.decode()
    assert page.index("Email number 51.") < page.index("Email number 50.")
    assert "Email number 1." not in page
    assert "Email number 1." in operator.get("/operator/emails/?page=2").content.decode()
    found = operator.get("/operator/emails/?to=BRUNO").content.decode()
    assert found.count("Email number") == 1
    for odd in ("page=x", "page=999", "page=-1", "to=%00", "to=%F0%9F%98%80"):
        assert operator.get(f"/operator/emails/?{odd}").status_code == 200


def test_the_page_says_whether_emails_are_kept_or_sent(operator: Client, settings: Any) -> None:
    assert "No mail server is configured" in operator.get("/operator/emails/").content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert "Emails go to a mail server" in operator.get("/operator/emails/").content.decode()


def test_an_email_that_does_not_exist_is_not_found(operator: Client) -> None:
    assert operator.get("/operator/emails/987654/").status_code == 404
    assert operator.get("/operator/emails/99999999999999999999999/").status_code == 404
