"""What an operator sees of people and of delivery, and what no one can change there."""

from typing import Any

import pytest
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(anna: User, signed_in: Any) -> Client:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    anna.refresh_from_db()
    client: Client = signed_in(anna)
    return client


def test_the_operator_sees_which_emails_failed_and_why(operator: Client, greet: Any, smtp_sink: Any) -> None:
    smtp_sink.refusals["nobody@example.org"] = "550 5.1.1 no such person"
    greet("nobody@example.org")
    deliver_due()
    page = operator.get("/operator/admin/mail/outgoingemail/?state__exact=failed").content.decode()
    assert "nobody@example.org" in page
    assert "no such person" in page


def test_a_code_that_waits_to_be_sent_is_not_shown(operator: Client, bruno: User) -> None:
    Client().post("/accounts/login/", {"login": bruno.email})
    email = OutgoingEmail.objects.get()
    page = operator.get(f"/operator/admin/mail/outgoingemail/{email.pk}/change/")
    assert page.status_code == 200
    assert email.context["code"] not in page.content.decode()


def test_no_one_changes_an_emails_fate_or_another_ones_address(
    operator: Client, greet: Any, bruno: User
) -> None:
    email = greet()
    assert (
        operator.post(f"/operator/admin/mail/outgoingemail/{email.pk}/change/", {"state": "sent"}).status_code
        == 403
    )
    assert (
        operator.post(f"/operator/admin/mail/outgoingemail/{email.pk}/delete/", {"post": "yes"}).status_code
        == 403
    )
    form = {"email": "x@example.org", "name": "Bruno", "language": "en", "time_zone": "UTC"}
    form["chat_emails"] = "at once"
    operator.post(f"/operator/admin/accounts/user/{bruno.pk}/change/", form)
    bruno.refresh_from_db()
    assert (bruno.email, bruno.is_active) == ("bruno@example.org", False)
