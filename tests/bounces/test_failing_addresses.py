"""A suppressed address: what is still sent there, who hears of it, and how it is unsuppressed."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.mail import suppression
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.mail.outbox import not_reached
from accounts.mail.privacy import delete_old_emails, erase, export
from accounts.mail.receiving import receive
from accounts.models import User
from tests.bounces.greeting import code_in, greeted
from tests.bounces.reports import report
from tests.journeys.playing import begun_game, made_table

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
TOLD = "have failed since"
HOST_TOLD = "Our emails do not reach these players."


@pytest.fixture(autouse=True)
def no_rate_is_used_up(db: None) -> None:
    cache.clear()


def mark(address: str = "anna@example.org", **columns: Any) -> SuppressedAddress:
    return SuppressedAddress.objects.create(address=address, reason="550 5.1.1 no such person", **columns)


def marked(address: str = "anna@example.org") -> bool:
    return bool(suppression.fails([address]))


@pytest.mark.parametrize(
    ("answer", "is_marked"),
    [
        ("550 5.1.1 no such person", True),
        ("550 5.2.1 mailbox disabled", True),
        ("551 user not local", True),
        ("553 5.1.3 bad address", True),
        ("550 no such user here", True),
        ("550 5.7.1 you are on a list", False),
        ("554 5.7.1 relay access denied", False),
        ("552 5.3.4 too large", False),
        ("552 5.2.3 too long", False),
        ("553 5.1.8 sender's domain not found", False),
        ("450 4.2.1 try later", False),
    ],
)
def test_refusals_of_the_address_mark_it_and_others_do_not(
    one_kind_more: None, smtp_sink: Any, answer: str, is_marked: bool
) -> None:
    smtp_sink.refusals["anna@example.org"] = answer
    email = greeted()
    assert email.state == (State.QUEUED if answer.startswith("4") else State.FAILED)
    assert marked() == is_marked


def test_a_refusal_of_our_own_address_marks_nobodys(one_kind_more: None, smtp_sink: Any) -> None:
    async def refuse(*args: Any) -> str:
        return "550 5.1.8 we do not know you"

    smtp_sink.handle_MAIL = refuse
    assert greeted().state == State.QUEUED
    assert not SuppressedAddress.objects.exists()


def test_nothing_but_account_emails_is_sent_to_it(one_kind_more: None, smtp_sink: Any, anna: User) -> None:
    mark()
    email = greeted(anna)
    assert email.state == State.FAILED
    overtaken = greeted(anna, answered=True)
    assert overtaken.state == State.OVERTAKEN
    greeted("bruno@example.org")
    Client().post("/accounts/login/", {"login": anna.email})
    deliver_due()
    assert sorted(smtp_sink.recipients) == [["anna@example.org"], ["bruno@example.org"]]


def test_it_is_tried_again_after_seven_days_and_marked_again_when_it_fails_again(
    one_kind_more: None, smtp_sink: Any
) -> None:
    mark()
    week = timezone.now() + timedelta(days=7, minutes=1)
    with time_machine.travel(week, tick=False):
        assert not marked()
        smtp_sink.refusals["anna@example.org"] = "550 5.1.1 still nobody"
        assert greeted().state == State.FAILED
        assert SuppressedAddress.objects.get().reason == "550 5.1.1 still nobody"
        assert greeted().state == State.FAILED
        assert marked()
    assert OutgoingEmail.objects.get(last_error__contains="still nobody")


def test_old_marks_are_forgotten(db: None) -> None:
    mark("old@example.org", since=timezone.now() - timedelta(days=8))
    mark("new@example.org")
    delete_old_emails()
    assert SuppressedAddress.objects.get().address == "new@example.org"


def test_its_owner_is_told_where_they_look_and_no_one_else(anna: User, bruno: User, signed_in: Any) -> None:
    mark()
    for path in ("/", "/games/", "/me/", "/me/emails/"):
        page = signed_in(anna).get(path).content.decode()
        assert TOLD in page
        assert "no such person" in page
        assert TOLD not in signed_in(bruno).get(path).content.decode()
        assert TOLD not in Client().get(path, follow=True).content.decode()


def test_its_owner_lifts_it_by_a_button_a_few_times_a_day(anna: User, bruno: User, signed_in: Any) -> None:
    client = signed_in(anna)
    mark()
    assert client.get("/mail/try-again/").status_code == 405
    signed_in(bruno).post("/mail/try-again/")
    assert marked()
    for _ in range(3):
        assert (
            "send emails to your address again"
            in client.post("/mail/try-again/", follow=True).content.decode()
        )
        assert not marked()
        mark()
    assert "too often today" in client.post("/mail/try-again/", follow=True).content.decode()
    assert marked()


def test_pressing_the_button_twice_says_that_emails_go_there_already(anna: User, signed_in: Any) -> None:
    client = signed_in(anna)
    assert "already" in client.post("/mail/try-again/", follow=True).content.decode()


def test_signing_in_by_a_code_that_arrived_lifts_it(anna: User, smtp_sink: Any) -> None:
    mark()
    client = Client()
    client.post("/accounts/login/", {"login": anna.email})
    assert marked()
    deliver_due()
    client.post("/accounts/login/code/confirm/", {"code": code_in(smtp_sink)})
    assert "_auth_user_id" in client.session
    assert not marked()


@pytest.mark.long
def test_signing_in_by_a_password_lifts_nothing(anna: User, smtp_sink: Any) -> None:
    words = "seventeen brown mules"
    anna.set_password(words)
    anna.save()
    mark()
    client = Client()
    client.post("/accounts/login/", {"login": anna.email, "password": words})
    assert marked()


@pytest.mark.long
def test_a_changed_address_gets_emails_and_a_code_lifts_what_was_thought_of_it(
    anna: User, signed_in: Any, smtp_sink: Any
) -> None:
    mark()
    mark("anna@home.example")
    client = signed_in(anna)
    session = client.session
    session["account_authentication_methods"] = [{"method": "code", "at": timezone.now().timestamp()}]
    session["account_authentication_methods_user"] = str(anna.pk)
    session.save()
    client.post("/accounts/email/", {"action_add": "", "email": "anna@home.example"})
    deliver_due()
    client.post("/accounts/confirm-email/", {"code": code_in(smtp_sink)})
    anna.refresh_from_db()
    assert anna.email == "anna@home.example"
    assert not marked("anna@home.example")
    assert TOLD not in client.get("/").content.decode()


def test_the_host_and_no_one_else_is_told_whose_mail_fails(
    anna: User, bruno: User, carla: User, signed_in: Any, smtp_sink: Any
) -> None:
    game = begun_game([anna, bruno, carla])
    pages = (f"/tables/{game.table_id}/", f"/games/{game.pk}/")
    for page in pages:
        assert HOST_TOLD not in signed_in(anna).get(page).content.decode()
    mark("bruno@example.org")
    for page in pages:
        told = signed_in(anna).get(page).content.decode()
        assert f"<li>{bruno.name}</li>" in told.partition(HOST_TOLD)[2]
        assert bruno.email not in told
        assert f"<li>{carla.name}</li>" not in told.partition(HOST_TOLD)[2].partition("</ul>")[0]
        assert HOST_TOLD not in signed_in(carla).get(page).content.decode()
        assert HOST_TOLD not in signed_in(bruno).get(page).content.decode()


def test_the_host_is_told_while_the_table_gathers(
    anna: User, bruno: User, carla: User, signed_in: Any
) -> None:
    table = made_table([anna, bruno, carla])
    mark("bruno@example.org")
    assert HOST_TOLD in signed_in(anna).get(f"/tables/{table.pk}/").content.decode()


def test_an_invitation_that_came_back_did_not_reach_its_address(went: Any, path_of: Any) -> None:
    email = went(kind="invitation")
    assert not not_reached([email.key])
    receive(path_of(email), report())
    assert not_reached([email.key]) == {email.key}


def test_the_list_of_emails_says_what_came_back_and_why(
    anna: User, went: Any, path_of: Any, signed_in: Any
) -> None:
    email = went(to_user=anna)
    receive(path_of(email), report(words="550 5.1.1 <b>unknown</b>"))
    page = signed_in(anna).get("/me/emails/").content.decode()
    assert "Bounced" in page
    assert "550 5.1.1 &lt;b&gt;unknown&lt;/b&gt;" in page


def test_what_is_known_of_ones_address_is_exported_and_forgotten(anna: User) -> None:
    mark()
    mark("bruno@example.org")
    [row] = export(anna)["emails_that_fail"]
    assert (row["address"], row["reason"]) == ("anna@example.org", "550 5.1.1 no such person")
    erase(anna)
    assert SuppressedAddress.objects.get().address == "bruno@example.org"


def test_an_operator_looks_at_marks_and_lifts_them_and_changes_nothing_else(
    anna: User, signed_in: Any
) -> None:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    anna.refresh_from_db()
    found, client = mark("bruno@example.org"), signed_in(anna)
    listed = "/operator/admin/mail/suppressedaddress/"
    assert "bruno@example.org" in client.get(listed).content.decode()
    client.post(f"{listed}{found.pk}/change/", {"address": "carla@example.org"})
    assert client.post(f"{listed}{found.pk}/delete/", {"post": "yes"}).status_code == 403
    assert marked("bruno@example.org")
    client.post(listed, {"action": "unsuppress", "_selected_action": [str(found.pk)]})
    assert not marked("bruno@example.org")
