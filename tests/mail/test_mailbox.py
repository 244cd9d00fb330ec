"""Mail is fetched from a mailbox at a provider: a real Dovecot, by IMAP and by POP3."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts import clock
from accounts.mail import mailbox, set_aside
from accounts.mail.models import OutgoingEmail
from accounts.mail.return_paths import return_path
from tests.bounces.feedback import WHOLE, feedback
from tests.bounces.reports import VACATION, report, sent_to
from tests.mail.dovecot import Mailbox, program, running

pytestmark = [pytest.mark.django_db, pytest.mark.once]

State = OutgoingEmail.State


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Mailbox]:
    found = program()
    if found is None:
        pytest.skip("no Dovecot here: install dovecot-imapd and dovecot-pop3d")
    here = Path(tempfile.mkdtemp(prefix="dovecot"))  # short: the paths of sockets are limited
    with running(found, here) as box:
        yield box
    shutil.rmtree(here)


@pytest.fixture(params=["imap", "pop3"])
def box(request: Any, dovecot: Mailbox, settings: Any) -> Mailbox:
    settings.BOUNCE_ADDRESS = "bounces@games.example.net"
    settings.MAILBOX_URL = dovecot.url(request.param)
    dovecot.empty()
    return dovecot


def sent(number: int) -> tuple[OutgoingEmail, bytes]:
    """Return an email that went out, and the report that it failed."""
    email = OutgoingEmail.objects.create(
        kind="your_turn",
        to_address=f"anna{number}@example.org",
        key=f"went-{number}",
        state=State.SENT,
        attempts=1,
        not_before=timezone.now(),
    )
    return email, b"Delivered-To: " + return_path(email.pk).encode() + b"\r\n" + report()


def fetched() -> int:
    return mailbox.fetch_mail(lambda: False)


def bounced() -> int:
    return OutgoingEmail.objects.filter(state=State.BOUNCED).count()


def test_what_is_for_the_site_is_taken_and_deleted(box: Mailbox, settings: Any) -> None:
    sources = [sent(number)[1] for number in range(5)]
    long_line = sources[4] + b"x" * 50_000 + b"\r\n"
    other = sent_to("postmaster@games.example.net", VACATION)
    box.put(*sources[:2], other, b"", *sources[2:4], long_line)
    assert fetched() == 5
    assert bounced() == 5
    assert box.left == (2 if settings.MAILBOX_URL.startswith("imap") else 0)
    assert fetched() == 0


def test_feedback_about_our_emails_is_taken_and_what_is_someones_stays(box: Mailbox, settings: Any) -> None:
    email, _report = sent(1)
    own = settings.BOUNCE_ADDRESS
    told = feedback(WHOLE, to=own, path=return_path(email.pk), tag="")
    others = feedback(WHOLE, to=own, path="someone@games.example.net", tag="")
    box.put(sent_to(own, VACATION), others, told)
    assert fetched() == 1
    assert bounced() == 1
    assert box.left == (2 if settings.MAILBOX_URL.startswith("imap") else 0)


def test_nothing_is_deleted_before_it_is_recorded(box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    box.put(*(sent(number)[1] for number in range(3)))
    real, seen = set_aside.receive, list[str]()

    def failing(recipient: str, source: bytes, sender: str | None) -> None:
        seen.append(recipient)
        if len(seen) == 2:
            raise OperationalError("gone")
        real(recipient, source, sender)

    monkeypatch.setattr(set_aside, "receive", failing)
    monkeypatch.setattr(set_aside, "_is_database_there", lambda: False)
    assert fetched() == 0
    assert bounced() == 1
    assert box.left == 2
    assert fetched() == 2
    assert (bounced(), box.left) == (3, 0)


def test_one_message_that_cannot_be_taken_holds_up_no_other(
    box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, one), (_second, two) = sent(1), sent(2)
    box.put(one, two)
    real = set_aside.receive

    def failing(recipient: str, source: bytes, sender: str | None) -> None:
        if recipient == return_path(first.pk):
            raise RuntimeError("a mistake of ours")
        real(recipient, source, sender)

    monkeypatch.setattr(set_aside, "receive", failing)
    assert (fetched(), bounced(), box.left) == (2, 1, 0)
    monkeypatch.undo()
    later = clock.now() + set_aside.DELAYS[0]
    with clock.use_clock(lambda: later):
        assert set_aside.try_again(lambda: False) == 1
    assert bounced() == 2


def test_a_wrong_password_or_no_server_is_a_warning(box: Mailbox, settings: Any, caplog: Any) -> None:
    box.put(sent(1)[1])
    right = settings.MAILBOX_URL
    settings.MAILBOX_URL = right.replace("%40", "")
    with socket.create_server(("127.0.0.1", 0)) as nowhere:
        closed = nowhere.getsockname()[1]
    assert fetched() == 0
    settings.MAILBOX_URL = f"{right.partition(':')[0]}://games:se%2Fcr%40t@127.0.0.1:{closed}/INBOX"
    assert fetched() == 0
    assert caplog.text.count("the mailbox cannot be read") == 2
    assert "se/cr" not in caplog.text
    assert box.left == 1


def test_only_a_trusted_certificate_gets_the_password(
    box: Mailbox, settings: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAILBOX_URL = secure = box.url(settings.MAILBOX_URL.partition(":")[0] + "s")
    box.put(sent(1)[1])
    assert (fetched(), box.left) == (0, 1)
    assert "its certificate is not trusted (self-signed certificate)" in caplog.text
    assert "SSL_CERT_FILE" in caplog.text
    monkeypatch.setenv("SSL_CERT_FILE", str(box.certificate))
    settings.MAILBOX_URL = secure.replace("@localhost:", "@127.0.0.1:")
    assert (fetched(), box.left) == (0, 1)
    assert "IP address mismatch, certificate is not valid for '127.0.0.1'" in caplog.text
    settings.MAILBOX_URL = secure
    assert (fetched(), bounced(), box.left) == (1, 1, 0)


@pytest.mark.parametrize("scheme", ["imap", "pop3", "imaps", "pop3s"])
def test_a_server_that_hangs_is_left(settings: Any, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setattr(mailbox, "ANSWERS_WITHIN", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.MAILBOX_URL = f"{scheme}://games:x@127.0.0.1:{silent.getsockname()[1]}/INBOX"
        assert fetched() == 0


def test_without_a_mailbox_nothing_is_fetched(settings: Any) -> None:
    settings.MAILBOX_URL = ""
    assert fetched() == 0
