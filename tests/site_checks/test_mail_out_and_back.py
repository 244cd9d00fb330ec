"""An email out and back: by outbox, mail server and the receiving part, and what it shows."""

import smtplib
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from accounts.mail.check_emails import queue_check_email
from accounts.mail.delivery import deliver_due
from accounts.mail.models import CheckEmail, OutgoingEmail
from condottiere_site.site_checks.check_results import CheckOutcome
from condottiere_site.site_checks.mail_server_checks import check_mail_server
from condottiere_site.site_checks.round_trip import round_trip, wait_for_own, wait_for_person
from condottiere_site.site_checks.site_facts import SiteFacts
from tests.servers import free_port
from tests.site_checks.conftest import HOST, SERVICE
from tests.site_checks.nameserver import NameServer
from tests.site_checks.post import FIELDS, Post, new_key, report_of, worker

Lines = Callable[..., dict[str, tuple[str, str]]]

pytestmark = pytest.mark.django_db(transaction=True)

LONG_ENOUGH = ("--wait", "120")
RECEIVED = b"Received: from relay.example.net (relay.example.net [9.9.9.9])\r\n\tby mx.example.org; now\r\n"


def _outcomes(found: dict[str, tuple[str, str]], *names: str) -> list[str]:
    return [found[name][0] for name in names]


def test_an_email_comes_back_signed_and_with_its_return_path(lines: Lines, mailing: Post) -> None:
    with worker():
        found = lines("--sends-from", "203.0.113.5", *LONG_ENOUGH)
    names = ("mail server", "incoming mail", "SPF", "DMARC", "reverse name")
    assert set(_outcomes(found, *names, "out and back", "DKIM", "one click", "return path")) == {"ok"}
    assert _outcomes(found, "SPF on the way", "receiver") == ["skipped", "skipped"]
    assert not CheckEmail.objects.exists()


def test_without_a_worker_it_says_so(lines: Lines, mailing: Post) -> None:
    found = lines("--wait", "0.3")
    assert found["out and back"][0] == "failed"
    assert "Start a worker and beat" in found["out and back"][1]
    assert found["DKIM"][0] == "skipped"
    assert found["exit"][0] == "1"


def test_an_email_whose_check_is_over_is_not_sent(mailing: Post) -> None:
    check, _email = queue_check_email("you@example.net")
    check.delete()
    deliver_due()
    assert mailing.taken == []
    assert OutgoingEmail.objects.get().state == OutgoingEmail.State.OVERTAKEN


def test_mail_that_does_not_come_back_says_what_to_look_at(
    asked: NameServer, facts: Callable[..., SiteFacts], mailing: Post, settings: Any
) -> None:
    mailing.loses = True
    with round_trip(facts()) as trip:
        deliver_due()
        [line, *more] = wait_for_own(facts(), trip, time.monotonic(), 0)
        assert (line.outcome, "receive_mail --lmtp" in line.advice) == (CheckOutcome.FAILED, True)
        assert {one.outcome for one in more} == {CheckOutcome.SKIPPED}
        settings.MAILBOX_URL = "imaps://name:password@mail.example.org/INBOX"
        assert "MAILBOX_URL" in wait_for_own(facts(), trip, time.monotonic(), 0)[0].advice


def _change_text(source: bytes) -> bytes:
    return source.replace(b"arrive", b"arrived")


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"key": b""}, "without a signature"),
        ({"changes": _change_text}, "doesn't fit the email"),
        ({"domain": b"example.net"}, "isn't in the DNS"),
        ({"key": new_key()[0]}, "doesn't fit the key"),
    ],
)
def test_a_signature_that_is_missing_or_wrong_fails(
    lines: Lines, mailing: Post, broken: dict[str, Any], told: str
) -> None:
    for name, value in broken.items():
        setattr(mailing, name, value)
    with worker():
        found = lines(*LONG_ENOUGH)
    assert found["DKIM"][0] == "failed"
    assert told in found["DKIM"][1]
    assert found["one click"][0] == "skipped"


def test_a_valid_signature_of_someone_else_does_not_count(
    lines: Lines, mailing: Post, nameserver: NameServer, signing_key: tuple[bytes, str]
) -> None:
    nameserver.records["mail._domainkey.example.net", "TXT"] = [signing_key[1]]
    mailing.domain = b"example.net"
    with worker():
        found = lines(*LONG_ENOUGH)
    assert found["DKIM"][0] == "failed"
    assert "signed by example.net, which isn't the sender's domain" in found["DKIM"][1]


def test_a_signature_that_leaves_out_one_click_fails(lines: Lines, mailing: Post) -> None:
    mailing.fields = [*FIELDS, b"list-unsubscribe"]
    with worker():
        found = lines(*LONG_ENOUGH)
    assert _outcomes(found, "DKIM", "one click") == ["ok", "failed"]
    assert "SignHeaders" in found["one click"][1]


def test_a_service_that_replaces_the_return_path_is_a_warning(lines: Lines, mailing: Post) -> None:
    mailing.sender = "bounce+1234@mailservice.example.net"
    with worker():
        found = lines(*LONG_ENOUGH)
    assert found["return path"][0] == "warning"
    assert mailing.sender in found["return path"][1]


def test_the_server_that_handed_it_over_must_be_allowed(
    lines: Lines, mailing: Post, nameserver: NameServer
) -> None:
    mailing.received = RECEIVED
    with worker():
        assert lines(*LONG_ENOUGH)["SPF on the way"][0] == "warning"
        nameserver.records[HOST, "TXT"] = ['"v=spf1 ip4:9.9.9.0/24 -all"']
        assert lines(*LONG_ENOUGH)["SPF on the way"][0] == "ok"


@pytest.mark.parametrize(
    ("findings", "outcome"),
    [("spf=pass dkim=pass dmarc=pass", "ok"), ("spf=softfail dkim=pass dmarc=pass", "failed")],
)
def test_what_the_receiving_server_found_is_told(
    lines: Lines, mailing: Post, findings: str, outcome: str
) -> None:
    mailing.received = f"Authentication-Results: mx.example.org; {findings}\r\n".encode()
    with worker():
        assert lines(*LONG_ENOUGH)["receiver"][0] == outcome


def _reply(source: bytes, *more: bytes) -> bytes:
    return b"\r\n".join((b"From: you@example.net", b"Subject: Re: check", *more, b"", b"Yes"))


@pytest.mark.parametrize(
    ("more", "told"),
    [((), "A reply to the email"), ((b"Auto-Submitted: auto-replied",), "An automatic answer")],
)
def test_a_reply_of_the_person_is_read(
    lines: Lines, mailing: Post, more: tuple[bytes, ...], told: str
) -> None:
    mailing.answer = lambda source: _reply(source, *more)
    with worker():
        found = lines("--email", "you@example.net", *LONG_ENOUGH)
    assert found["email"][0] == "ok"
    assert told in found["email"][1]
    assert b"Reply with any word" in mailing.taken[-1][1]


def test_a_forwarded_email_tells_what_the_persons_server_found(lines: Lines, mailing: Post) -> None:
    def forward(source: bytes) -> bytes:
        found = b"Authentication-Results: mx.example.net; spf=pass; dkim=none; dmarc=fail\r\n"
        return (
            b'From: you@example.net\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n'
            b"--x\r\nContent-Type: message/rfc822\r\n\r\n" + found + source + b"\r\n--x--\r\n"
        )

    mailing.answer = forward
    with worker():
        found = lines("--email", "you@example.net", *LONG_ENOUGH)
    assert found["email"][0] == "ok"
    assert "dkim=none, dmarc=fail, spf=pass" in found["receiver"][1]


def test_an_email_that_is_returned_fails_with_the_servers_words(
    lines: Lines, mailing: Post, settings: Any
) -> None:
    mailing.answer = lambda _source: report_of(settings)
    with worker():
        found = lines("--email", "you@example.net", *LONG_ENOUGH)
    assert found["email"][0] == "failed"
    assert "550 5.1.1 no such user here" in found["email"][1]


def test_without_an_answer_the_mailbox_is_named(facts: Callable[..., SiteFacts], mailing: Post) -> None:
    with round_trip(facts(), "you@example.net") as trip:
        deliver_due()
        [line] = wait_for_person(facts(), trip, time.monotonic(), 0)
    assert (line.outcome, "also among spam" in line.sentence) == (CheckOutcome.OK, True)


def test_ctrl_c_ends_the_waiting_and_the_lines_are_printed(
    lines: Lines, mailing: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("condottiere_site.site_checks.round_trip.time.sleep", interrupt)
    assert "Start a worker" in lines("--wait", "3600")["out and back"][1]


def test_without_a_database_the_other_lines_are_printed(
    lines: Lines, mailing: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_to: str) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("condottiere_site.site_checks.round_trip.queue_check_email", fail)
    found = lines("--email", "you@example.net", "--sends-from", "203.0.113.5")
    assert _outcomes(found, "out and back", "DKIM", "email") == ["skipped"] * 3
    assert "No email can be queued" in found["email"][1]
    assert found["SPF"][0] == "ok"


def test_a_mail_server_that_is_down_or_refuses_the_password_is_told_apart(
    facts: Callable[..., SiteFacts], mailing: Post, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_mail_server(facts()).outcome == CheckOutcome.OK

    def refuse(*_args: Any) -> None:
        raise smtplib.SMTPAuthenticationError(535, b"5.7.8 no")

    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = "x"
    with monkeypatch.context() as patch:
        patch.setattr(smtplib.SMTP, "login", refuse)
        found = check_mail_server(facts())
    assert (found.outcome, "5.7.8 no" in found.sentence) == (CheckOutcome.FAILED, True)
    settings.EMAIL_PORT = free_port()
    assert check_mail_server(facts()).outcome == CheckOutcome.FAILED


def test_a_mail_service_without_encryption_is_a_warning(
    facts: Callable[..., SiteFacts], mailing: Post
) -> None:
    assert check_mail_server(facts(mail_server=SERVICE)).outcome == CheckOutcome.WARNING
