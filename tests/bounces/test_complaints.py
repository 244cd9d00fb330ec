"""A reader marks an email as spam: how the site hears of it, what it does then, and how that ends."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.mail import suppression
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail, SetAsideMessage, SuppressedAddress
from accounts.mail.outbox import queue
from accounts.mail.own_addresses import NotOurs, tag_of
from accounts.mail.privacy import delete_old_emails, export
from accounts.mail.receiving import receive, recipient_in_headers
from accounts.mail.reported_outcomes import record_bounce, record_unwanted
from accounts.mail.return_paths import BOUNCES, HEADER, return_path
from accounts.mail.set_aside import take
from accounts.mail.suppression import Cause
from accounts.models import User
from tests.bounces.feedback import REDACTED, SHORTENED, SPARSE, WHOLE, feedback
from tests.bounces.greeting import code_in, greeted
from tests.bounces.reports import POSTFIX, VACATION, report, sent_to
from tests.bounces.test_failing_addresses import HOST_TOLD, TOLD
from tests.journeys.playing import begun_game

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
MAILBOX = "bounces@games.example.net"
SAID = "marked one of our emails as spam"
AFTER_YEARS = timedelta(days=800)

Report = Callable[..., bytes]


@pytest.fixture(autouse=True)
def no_rate_is_used_up(db: None) -> None:
    cache.clear()


def about(email: OutgoingEmail, text: str, **more: Any) -> bytes:
    """Return a report about this email, to the mailbox's own address unless `to` says otherwise."""
    told = {"to": MAILBOX, "path": return_path(email.pk), "tag": tag_of(BOUNCES, email.pk)} | more
    return feedback(text, **told)


def complain(email: OutgoingEmail) -> None:
    assert record_unwanted(email.pk, Cause.COMPLAINT)


def cause_of(address: str = "anna@example.org") -> str | None:
    row = suppression.suppression_of(address)
    return None if row is None else row.cause


@pytest.mark.parametrize(
    "text", [WHOLE, SPARSE, REDACTED, SHORTENED], ids=["whole", "sparse", "redacted", "short"]
)
@pytest.mark.parametrize("kind", ["abuse", "Fraud", "other", "opt-out"])
def test_a_report_to_the_return_path_ends_emails_to_the_address(went: Any, text: str, kind: str) -> None:
    email, other = went(), went("bruno@example.org")
    path = return_path(email.pk)
    receive(path, about(email, text, to=path, kind=kind))
    email.refresh_from_db()
    assert email.state == State.BOUNCED
    assert cause_of() == Cause.COMPLAINT
    assert cause_of(other.to_address) is None


@pytest.mark.parametrize("text", [WHOLE, SPARSE, REDACTED], ids=["whole", "sparse", "redacted"])
def test_a_report_to_the_mailbox_itself_names_the_email_inside(went: Any, text: str) -> None:
    email = went()
    source = about(email, text)
    assert recipient_in_headers(source) == MAILBOX
    receive(MAILBOX, source)
    assert cause_of() == Cause.COMPLAINT


@pytest.mark.parametrize("kind", ["not-spam", "auth-failure", "virus", "dmarc", "", "abuses"])
@pytest.mark.parametrize("text", [WHOLE, SPARSE, SHORTENED], ids=["whole", "sparse", "short"])
def test_a_report_in_which_no_reader_complains_changes_nothing(went: Any, text: str, kind: str) -> None:
    email = went()
    receive(return_path(email.pk), about(email, text, kind=kind))
    email.refresh_from_db()
    assert (email.state, cause_of()) == (State.SENT, None)


@pytest.mark.parametrize(
    "forged",
    [
        {"path": "bounces+1-aaaaaaaaaaaaaaaa@games.example.net", "tag": "1-aaaaaaaaaaaaaaaa"},
        {"path": "nobody@example.org", "tag": "'; DROP TABLE"},
        {"path": "@", "tag": "-"},
        {"path": "x" * 5000, "tag": "1-" * 5000},
    ],
)
@pytest.mark.parametrize("text", [WHOLE, SPARSE, REDACTED, SHORTENED])
def test_who_does_not_have_the_email_reports_nothing(went: Any, text: str, forged: Any) -> None:
    email = went()
    with pytest.raises(NotOurs):
        receive(MAILBOX, about(email, text, **forged))
    email.refresh_from_db()
    assert (email.state, cause_of()) == (State.SENT, None)


def test_a_name_of_another_email_in_the_subject_or_text_counts_for_nothing(went: Any) -> None:
    email, reported = went(), went("bruno@example.org")
    text = SPARSE.replace("Your turn: Friday game", f"{return_path(email.pk)} {tag_of(BOUNCES, email.pk)}")
    text = text.replace("This is an abuse report.", f"X-Condottiere-Email: {tag_of(BOUNCES, email.pk)}")
    receive(MAILBOX, about(reported, text))
    assert cause_of() is None
    assert cause_of("bruno@example.org") == Cause.COMPLAINT


def test_other_mail_to_the_mailbox_itself_is_left_to_whoever_reads_it(went: Any) -> None:
    for text in (VACATION, POSTFIX):
        with pytest.raises(NotOurs):
            recipient_in_headers(sent_to(MAILBOX, text))
        receive(MAILBOX, sent_to(MAILBOX, text))  # from a mail server that asks no more
    assert not SuppressedAddress.objects.exists()


@pytest.mark.parametrize("source", [b"", b"\r\n", b"Content-Type: x; boundary=b\r\n" * 60, b"\xff" * 999])
def test_what_cannot_be_read_is_not_kept_where_anyone_may_write(source: bytes) -> None:
    with pytest.raises(NotOurs):
        take(MAILBOX, source)
    assert not SetAsideMessage.objects.exists()


def test_without_a_mailbox_nothing_is_ours(went: Any, settings: Any) -> None:
    source = about(went(), WHOLE)
    settings.BOUNCE_ADDRESS = ""
    for address in (MAILBOX, "", "<>"):
        with pytest.raises(NotOurs):
            receive(address, source)
    with pytest.raises(NotOurs):
        recipient_in_headers(source)


@pytest.mark.parametrize("cut_at", range(0, 1400, 35))
def test_a_report_cut_anywhere_breaks_nothing(went: Any, cut_at: int) -> None:
    email = went()
    for text in (WHOLE, SPARSE, REDACTED):
        take(return_path(email.pk), about(email, text)[:cut_at])
        with suppress(NotOurs):
            take(MAILBOX, about(email, text)[:cut_at])
    assert cause_of() in {None, Cause.COMPLAINT}


@pytest.mark.parametrize(
    "order", sorted(set(permutations(["bounced", "complained", "unsubscribed", "complained"])))
)
def test_reports_in_any_order_and_twice_end_the_same(went: Any, order: tuple[str, ...]) -> None:
    email = went()
    todo: dict[str, Callable[[], bool]] = {
        "bounced": lambda: record_bounce(email.pk, "550 5.1.1 no such person", of_address=True),
        "complained": lambda: record_unwanted(email.pk, Cause.COMPLAINT),
        "unsubscribed": lambda: record_unwanted(email.pk, Cause.UNSUBSCRIBED),
    }
    for one in order:
        todo[one]()
    email.refresh_from_db()
    assert (email.state, cause_of()) == (State.BOUNCED, Cause.COMPLAINT)
    assert SuppressedAddress.objects.count() == 1
    assert not any(act() for act in todo.values())


def test_the_same_complaint_comes_again_after_its_reader_wanted_emails_again(
    went: Any, signed_in: Any, anna: User
) -> None:
    email = went(to_user=anna)
    complain(email)
    assert (
        "send emails to your address again"
        in signed_in(anna).post("/mail/try-again/", follow=True).content.decode()
    )
    receive(MAILBOX, about(email, WHOLE))
    assert cause_of() is None


@pytest.mark.parametrize("state", [State.FAILED, State.OVERTAKEN, State.UNSUBSCRIBED, State.QUEUED])
def test_no_one_complains_of_an_email_that_was_never_sent(went: Any, state: str) -> None:
    email = went(state=state, attempts=0)
    assert not record_unwanted(email.pk, Cause.COMPLAINT)
    assert cause_of() is None


def test_a_complaint_does_not_run_out_and_a_failure_takes_nothing_from_it(went: Any) -> None:
    complain(went())
    record_bounce(went().pk, "550 5.1.1 no such person", of_address=True)
    assert cause_of() == Cause.COMPLAINT
    with time_machine.travel(timezone.now() + AFTER_YEARS, tick=False):
        delete_old_emails()
        assert cause_of() == Cause.COMPLAINT


def test_only_sign_in_codes_are_sent_and_using_one_asks_for_no_emails(
    one_kind_more: None, smtp_sink: Any, anna: User, went: Any
) -> None:
    complain(went())
    skipped = greeted(anna)
    assert skipped.state == State.FAILED
    client = Client()
    client.post("/accounts/login/", {"login": anna.email})
    deliver_due()
    assert smtp_sink.recipients == [["anna@example.org"]]
    client.post("/accounts/login/code/confirm/", {"code": code_in(smtp_sink)})
    assert "_auth_user_id" in client.session
    assert cause_of() == Cause.COMPLAINT
    page = client.get("/").content.decode()
    assert SAID in page
    assert "Send me emails again" in page


def test_its_owner_reads_of_it_and_ends_it_by_a_button(
    one_kind_more: None, smtp_sink: Any, anna: User, bruno: User, went: Any, signed_in: Any
) -> None:
    complain(went(to_user=anna))
    assert greeted(anna).state == State.FAILED
    client = signed_in(anna)
    for path in ("/", "/games/", "/me/", "/me/emails/"):
        page = client.get(path).content.decode()
        assert SAID in page
        assert TOLD not in page
        assert SAID not in signed_in(bruno).get(path).content.decode()
    listed = client.get("/me/emails/").content.decode()
    assert "Marked as spam" in listed
    assert "because you marked an email as spam" in listed
    assert ">Bounced" not in listed
    client.post("/mail/try-again/")
    assert SAID not in client.get("/").content.decode()
    assert greeted(anna).state == State.SENT


def test_whoever_unsubscribed_at_the_mail_service_reads_so(anna: User, went: Any, signed_in: Any) -> None:
    assert record_unwanted(went(to_user=anna).pk, Cause.UNSUBSCRIBED)
    page = signed_in(anna).get("/me/emails/").content.decode()
    assert "that you unsubscribed from all our emails" in page
    assert SAID not in page


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_it_is_said_in_every_language(anna: User, went: Any, signed_in: Any, language: str) -> None:
    complain(went(to_user=anna))
    User.objects.filter(pk=anna.pk).update(language=language)
    anna.refresh_from_db()
    assert signed_in(anna).get("/").status_code == 200


def test_the_host_sees_that_emails_do_not_arrive_but_not_why(
    anna: User, bruno: User, carla: User, went: Any, signed_in: Any
) -> None:
    game = begun_game([anna, bruno, carla])
    complain(went("bruno@example.org", to_user=bruno))
    for page in (f"/tables/{game.table_id}/", f"/games/{game.pk}/"):
        told = signed_in(anna).get(page).content.decode()
        assert f"<li>{bruno.name}</li>" in told.partition(HOST_TOLD)[2]
        assert "spam" not in told
        assert HOST_TOLD not in signed_in(carla).get(page).content.decode()
    assert SAID in signed_in(bruno).get(f"/games/{game.pk}/").content.decode()


def test_an_email_that_was_marked_as_spam_arrived_so_its_address_does_not_fail(went: Any) -> None:
    for days in (3, 2, 1):
        marked = went(created_at=timezone.now() - timedelta(days=days))
        assert record_unwanted(marked.pk, Cause.COMPLAINT)
    assert not suppression.keeps_failing(went())


def test_an_export_says_so_and_operators_see_it(anna: User, went: Any, signed_in: Any) -> None:
    complain(went(to_user=anna))
    [row] = export(anna)["emails_that_fail"]
    assert (row["address"], row["cause"]) == ("anna@example.org", "complaint")
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    anna.refresh_from_db()
    listed = "/operator/admin/mail/suppressedaddress/?cause__exact=complaint"
    assert "Marked as spam" in signed_in(anna).get(listed).content.decode()


def test_a_complaint_about_a_closed_account_or_a_lost_email_is_no_error(went: Any, anna: User) -> None:
    email = went(to_user=anna)
    OutgoingEmail.objects.filter(pk=email.pk).delete()
    receive(MAILBOX, about(email, WHOLE))
    assert not SuppressedAddress.objects.exists()
    forgotten = went("", forgets_address=True)
    receive(MAILBOX, about(forgotten, WHOLE))
    receive(MAILBOX, about(forgotten, WHOLE))
    assert not SuppressedAddress.objects.exists()


def test_each_email_carries_its_name_in_a_header(one_kind_more: None, smtp_sink: Any) -> None:
    email = queue("greeting", to="anna@example.org", key="named", context={})
    deliver_due()
    [message] = smtp_sink.messages
    assert message[HEADER] == tag_of(BOUNCES, email.pk)
    receive(MAILBOX, feedback(SPARSE, to=MAILBOX, path="", tag=message[HEADER]))
    assert cause_of() == Cause.COMPLAINT


def test_a_report_of_failure_is_still_one(went: Any) -> None:
    email = went()
    receive(return_path(email.pk), report())
    assert cause_of() == Cause.FAILURE
