"""What a message to a return path says about the email: failed, delayed, or nothing."""

import contextlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.failure_reasons import ADDRESS_FAILS
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import Unreadable, receive
from tests.bounces.reports import EXCHANGE, EXIM, HIDDEN_INSIDE, POSTFIX, VACATION, report, sent_to
from tests.mail import watchers

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State


def fate(email: OutgoingEmail) -> tuple[str, bool]:
    """Return the email's state, and whether its address is suppressed."""
    email.refresh_from_db()
    return email.state, SuppressedAddress.objects.filter(address=email.to_address).exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (EXIM, "550-Callback setup failed while verifying <anna@example.org> 550 Unknown user"),
        (EXCHANGE, "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup"),
    ],
    ids=["exim", "exchange"],
)
def test_reports_of_every_make_are_understood(went: Any, path_of: Any, text: str, words: str) -> None:
    email = went()
    receive(path_of(email), sent_to(path_of(email), text))
    assert fate(email) == (State.BOUNCED, True)
    assert email.last_error == words
    assert SuppressedAddress.objects.get().reason == words
    assert SuppressedAddress.objects.get().email == email


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("5.1.1", "550 rejected"),
        ("5.2.1", "550 rejected"),
        ("5.1.1 (unknown user)", ""),
        ("5.0.0", "550 no such user"),
        ("5.4.4", "550 5.1.1 rejected"),
        ("5.5.0", "550 Requested action not taken: mailbox unavailable"),
    ],
)
def test_an_email_refused_for_good_marks_its_address(
    went: Any, path_of: Any, status: str, words: str
) -> None:
    email = went()
    receive(path_of(email), report(status=status, words=words))
    assert fate(email) == (State.BOUNCED, True)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("5.0.0", "550 Rejected: your IP 192.0.2.9 is on a block list"),
        ("5.5.0", "550 Bad SPF records"),
        ("5.0.0", "554 Message not allowed"),
        ("5.5.3", "552 Too many recipients"),
        ("5.1.1", "550 5.7.1 rejected"),
        ("5.1.1", "550 Your server is on a block list"),
        ("5.0.0", "550 rejected"),
    ],
)
def test_an_email_refused_for_its_sender_came_back_alone(
    went: Any, path_of: Any, status: str, words: str
) -> None:
    email = went()
    receive(path_of(email), report(status=status, words=words))
    assert fate(email) == (State.BOUNCED, False)


@pytest.mark.parametrize("status", ["5.7.1", "5.6.0", "5.3.4", "5.2.3", "5.1.8", "5.4.4", "4.4.1", "4.2.2"])
@pytest.mark.parametrize("words", ["550 rejected", "550 Not today", ""])
def test_an_email_refused_for_what_it_is_or_given_up_after_days_came_back_alone(
    went: Any, path_of: Any, status: str, words: str
) -> None:
    email = went()
    receive(path_of(email), report(status=status, words=words))
    assert fate(email) == (State.BOUNCED, False)


def came_back(went: Any, path_of: Any, days: list[int], **columns: Any) -> tuple[str, bool]:
    """Let an email come back on each of these days, whatever was said; return the fate of the last one."""
    begin = timezone.now()
    for day in days:
        with time_machine.travel(begin + timedelta(days=day), tick=False):
            email = went(**columns)
            receive(path_of(email), report(status="5.7.1", words="550 5.7.1 rejected"))
    return fate(email)


def test_emails_that_came_back_on_three_days_mark_the_address_whatever_was_said(
    went: Any, path_of: Any
) -> None:
    assert came_back(went, path_of, [0, 0, 0, 0]) == (State.BOUNCED, False)
    assert came_back(went, path_of, [1, 1, 1]) == (State.BOUNCED, False)
    went("bruno@example.org")
    assert came_back(went, path_of, [2]) == (State.BOUNCED, True)


def test_an_email_that_arrived_or_was_never_sent_is_no_failure(went: Any, path_of: Any) -> None:
    assert came_back(went, path_of, [0, 1]) == (State.BOUNCED, False)
    went()
    assert came_back(went, path_of, [2]) == (State.BOUNCED, False)
    went(state=State.FAILED, last_error=ADDRESS_FAILS, created_at=timezone.now() + timedelta(days=3))
    assert came_back(went, path_of, [4]) == (State.BOUNCED, False)
    assert came_back(went, path_of, [5]) == (State.BOUNCED, True)


@pytest.mark.parametrize(
    "source",
    [
        report("delayed", "4.4.1"),
        report("delayed", "5.4.1"),
        report("relayed", "2.0.0"),
        report("delivered", "2.1.5"),
        report("expanded", "2.0.0"),
        report("failed", "2.0.0"),
        report("failed", "who knows"),
        report("", ""),
        sent_to("x", VACATION),
        sent_to("x", HIDDEN_INSIDE),
        sent_to("x", POSTFIX.replace("message/delivery-status", "text/plain")),
        sent_to("x", POSTFIX.replace("message/delivery-status", "message/rfc822")),
        b"Subject: nothing\r\n\r\n",
    ],
)
def test_other_mail_changes_nothing(went: Any, path_of: Any, source: bytes) -> None:
    email = went()
    receive(path_of(email), source)
    assert fate(email) == (State.SENT, False)


def test_a_report_hidden_in_what_is_sent_back_is_not_read(went: Any, path_of: Any) -> None:
    email = went()
    inside = report().decode().replace("4F1B2.1/mx.example.net", "innermost")
    outside = report("delayed", "4.4.1").decode()
    source = outside.replace("Play a card or pass.", inside)
    receive(path_of(email), source.encode())
    assert fate(email) == (State.SENT, False)


def test_one_recipient_reached_is_reached(went: Any, path_of: Any) -> None:
    email = went()
    both = report().replace(
        b"Final-Recipient: rfc822; anna@example.org",
        b"Final-Recipient: rfc822; anna@home.example\r\nAction: delivered\r\nStatus: 2.0.0\r\n\r\n"
        b"Final-Recipient: rfc822; anna@work.example",
    )
    receive(path_of(email), both)
    assert fate(email) == (State.SENT, False)


def test_the_same_report_again_changes_nothing_and_brings_no_lifted_mark_back(
    went: Any, path_of: Any
) -> None:
    email = went()
    receive(path_of(email), report())
    SuppressedAddress.objects.all().delete()
    for _ in range(3):
        receive(path_of(email), report())
    assert fate(email) == (State.BOUNCED, False)


def test_an_email_may_come_back_before_its_worker_has_recorded_that_it_went(went: Any, path_of: Any) -> None:
    email = went(state=State.QUEUED, sent_at=None)
    receive(path_of(email), report())
    assert fate(email) == (State.BOUNCED, True)


@pytest.mark.parametrize("state", [State.OVERTAKEN, State.UNSUBSCRIBED, State.FAILED])
def test_an_email_that_never_went_cannot_come_back(went: Any, path_of: Any, state: str) -> None:
    email = went(state=state)
    receive(path_of(email), report())
    assert fate(email) == (state, False)


def test_an_email_never_tried_cannot_come_back(went: Any, path_of: Any) -> None:
    email = went(state=State.QUEUED, attempts=0)
    receive(path_of(email), report())
    assert fate(email) == (State.QUEUED, False)


def test_an_email_that_was_deleted_is_nobodys(went: Any, path_of: Any) -> None:
    email = went()
    path = path_of(email)
    email.delete()
    receive(path, report())
    assert not SuppressedAddress.objects.exists()


def test_the_notice_of_a_deleted_account_leaves_no_address_behind(went: Any, path_of: Any) -> None:
    email = went("", forgets_address=True)
    receive(path_of(email), report())
    assert not SuppressedAddress.objects.exists()


def test_someone_who_asked_is_told_that_an_email_came_back(
    went: Any, path_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = replace(EMAIL_KINDS["your_turn"], on_outcome=watchers.note)
    monkeypatch.setitem(EMAIL_KINDS, "your_turn", noted)
    watchers.told.clear()
    email = went()
    for _ in range(2):
        receive(path_of(email), report())
    assert watchers.told == [(email.pk, State.BOUNCED, False)]


@pytest.mark.parametrize(
    "forge",
    [
        lambda path: path.replace("bounces+", "bounces+1"),
        lambda path: path.replace("@", "a@"),
        lambda path: path.replace("games.example.net", "evil.example"),
        lambda path: path.split("-")[0] + "-aaaaaaaaaaaaaaaa@games.example.net",
        lambda path: "bounces+@games.example.net",
        lambda path: "bounces+٣-" + path.split("-")[1],
        lambda path: f"x{path}",
        lambda path: path.replace("+", "+0"),
        lambda path: "",
        lambda path: "@",
        lambda path: "\0" + path,
        lambda path: path * 500,
    ],
)
def test_a_forged_address_is_nobodys(went: Any, path_of: Any, forge: Any) -> None:
    email = went()
    with pytest.raises(NotOurs):
        receive(forge(path_of(email)), report())
    assert fate(email) == (State.SENT, False)


def test_a_return_path_survives_servers_that_change_emails_or_add_brackets(went: Any, path_of: Any) -> None:
    email = went()
    receive(f" <{path_of(email).upper()}> ", report())
    assert fate(email) == (State.BOUNCED, True)


@pytest.mark.parametrize("source", [b"", b"\n", b"\0\0\0", b"no header\r\nnone\r\n", b"\xff\xfe" * 100])
def test_what_is_no_message_is_unreadable(went: Any, path_of: Any, source: bytes) -> None:
    with pytest.raises(Unreadable):
        receive(path_of(went()), source)


def nested(depth: int) -> bytes:
    parts = [f'Content-Type: multipart/report; boundary="b{level}"\n\n--b{level}\n' for level in range(depth)]
    return ("From: a@example.org\n" + "".join(parts)).encode()


@pytest.mark.parametrize(
    "source",
    [
        report() + b"x" * 10_000_000,
        report().replace(b"Play a card or pass.", b"x\r\n" * 3_000_000),
        report().replace(b"Content-Description: Undelivered", b"X-Long: " + b"y" * 5_000_000 + b"\r\nC"),
    ],
    ids=["trailing", "lines", "header"],
)
def test_ten_megabytes_are_read_no_further_than_the_report(went: Any, path_of: Any, source: bytes) -> None:
    email = went()
    receive(path_of(email), source)
    assert fate(email) == (State.BOUNCED, True)


@pytest.mark.parametrize(
    "source",
    [
        nested(50),
        nested(900),
        nested(20_000),
        b"Content-Type: message/rfc822\n\n" * 20_000,
        report()[:700],
        report().replace(b'boundary="4F1B2.1/mx.example.net"', b"boundary="),
        report().replace(b'boundary="4F1B2.1/mx.example.net"', b'boundary="none of these"'),
        report().replace(b"Content-Type: message/delivery-status", b"Content-Type: \xff\xfe; =?x?y?z?="),
        report(action="=?utf-8?b?////?=", status="\u202e5.1.1"),
        report().replace(b"Action:", b"Action\xc3\x28:"),
        report().replace(b"multipart/report", b"multipart/\xff\xff"),
        b"Content-Type: multipart/report; boundary*0*=x''%ff; boundary*1=;;\n\n--\n--\n",
        b": \n" * 50_000,
        b"A: b\n " * 50_000,
    ],
)
@pytest.mark.long
def test_hostile_mail_ends_quietly(went: Any, path_of: Any, source: bytes) -> None:
    email = went()
    with contextlib.suppress(Unreadable):
        receive(path_of(email), source, sender="anna@example.org")
    assert fate(email) == (State.SENT, False)
    with contextlib.suppress(Unreadable):
        receive(path_of(email), source)  # from a null sender: some of it is an older report
    assert not fate(email)[1]


@pytest.mark.parametrize(
    "words",
    [b"smtp; 550 5.1.1 \xff\xfe unbekannt", b"smtp; 550 =?no-such?q?charset?=", "smtp; 550 ünknöwn".encode()],
)
def test_words_in_a_charset_no_one_knows_are_kept_as_far_as_they_can_be_read(
    went: Any, path_of: Any, words: bytes
) -> None:
    email = went()
    receive(path_of(email), report(words="HERE").replace(b"smtp; HERE", words))
    assert fate(email) == (State.BOUNCED, True)
    assert email.last_error.startswith("550")
    email.last_error.encode("utf-8")
    assert "\n" not in email.last_error


def test_control_characters_and_length_of_the_words_are_bounded(went: Any, path_of: Any) -> None:
    email = went()
    receive(path_of(email), report(words="550 \x1b[31mred\x07 " + "long " * 500))
    email.refresh_from_db()
    assert "\x1b" not in email.last_error
    assert len(email.last_error) <= 500
