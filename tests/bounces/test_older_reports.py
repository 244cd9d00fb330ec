"""Reports that are not RFC 3464 are read too: only from a null sender, and whatever they hold."""

import contextlib
from email import message_from_bytes
from typing import Any

import pytest
from flufl.bounce import all_failures

from accounts.mail import unstructured_reports
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.mail.receiving import Unreadable, receive
from accounts.mail.unstructured_reports import DEEPEST, LONGEST_LINE, MOST_LINES, MOST_PARTS
from tests.bounces.older_reports import DELAYED, OLDER, QMAIL, older
from tests.bounces.reports import VACATION, sent_to

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State


def fate(email: OutgoingEmail) -> tuple[str, bool]:
    """Return the email's state, and whether its address is suppressed."""
    email.refresh_from_db()
    return email.state, SuppressedAddress.objects.filter(address=email.to_address).exists()


@pytest.mark.parametrize("name", OLDER)
@pytest.mark.parametrize(
    ("words", "blamed"),
    [
        ("550 no such user here", True),
        ("550 5.1.1 unknown or illegal alias", True),
        ("554 Message looks like spam", False),
        ("550 5.7.1 Your IP address is on a block list", False),
        ("552 5.2.2 Mailbox full", False),
        ("550 5.1.1 5.7.26 DMARC says no", False),
    ],
)
def test_a_report_of_each_make_is_understood(
    went: Any, path_of: Any, name: str, words: str, blamed: bool
) -> None:
    email = went()
    receive(path_of(email), older(OLDER[name], words))
    assert fate(email) == (State.BOUNCED, blamed)
    assert words.partition(" ")[2].partition(" <")[0] in email.last_error
    assert "Play a card" not in email.last_error


@pytest.mark.parametrize("name", OLDER)
@pytest.mark.parametrize("sender", [b"<anna@example.org>", b"<bounces+1@games.example.net>", b"", b"anna"])
def test_it_counts_from_a_null_sender_only(went: Any, path_of: Any, name: str, sender: bytes) -> None:
    email = went()
    receive(path_of(email), older(OLDER[name]).replace(b"<>", sender, 1))
    assert fate(email) == (State.SENT, False)


@pytest.mark.parametrize(("sender", "state"), [("", State.BOUNCED), ("anna@example.org", State.SENT)])
def test_the_envelope_says_more_than_a_header_that_anyone_may_write(
    went: Any, path_of: Any, sender: str, state: str
) -> None:
    email = went()
    written = b"<>" if sender else b"<anna@example.org>"
    receive(path_of(email), older(QMAIL).replace(b"<>", written, 1), sender)
    assert fate(email)[0] == state


@pytest.mark.parametrize(
    ("author", "state"),
    [
        (b"MAILER-DAEMON@mx.example.net", State.BOUNCED),
        (b"Mail Delivery <Postmaster@mx.example.net>", State.BOUNCED),
        (b"MAILER-DAEMON", State.BOUNCED),
        (b"Anna <anna@example.org>", State.SENT),
        (b"", State.SENT),
    ],
)
def test_where_no_server_wrote_down_the_sender_the_author_tells(
    went: Any, path_of: Any, author: bytes, state: str
) -> None:
    email = went()
    source = older(QMAIL).replace(b"Return-Path: <>\r\n", b"")
    receive(path_of(email), source.replace(b"MAILER-DAEMON@mx.example.net", author))
    assert fate(email)[0] == state


def test_a_delay_is_no_failure(went: Any, path_of: Any) -> None:
    email = went()
    receive(path_of(email), older(DELAYED, "550 no such user"))
    assert fate(email) == (State.SENT, False)


@pytest.mark.parametrize(
    "text",
    [VACATION, VACATION + "\nUntil then write to, bruno@example.org, please. No such user, unknown user.\n"],
)
def test_an_absence_note_of_the_recipient_is_no_failure(went: Any, path_of: Any, text: str) -> None:
    email = went()
    receive(path_of(email), sent_to("x", "Return-Path: <>\n" + text))
    assert fate(email) == (State.SENT, False)


HOSTILE = {
    "brackets": b"From: " + b"(" * 5000 + b"\r\nX-Failed-Recipients: " + b"(" * 5000 + b"\r\n\r\nx\r\n",
    "no text": b"From: mailer-daemon@yale.edu\r\n\r\n",
    "a broken part": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n--b--\r\n",
    "parts": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    + b"--b\r\n\r\nx,@@,\r\n" * 20_000
    + b"--b--",
    "commas": b"From: a@b.example\r\n\r\n" + (b"," * 100 + b"@" * 5000 + b"\r\n") * 90,
    "letters": b"From: a@b.example\r\n\r\nfailed addresses follow:\r\n" + (b"x" * 70 + b"\r\n") * 7000,
    "one line": b"From: a@b.example\r\n\r\nfailed addresses follow:\r\n" + b"x" * 500_000,
    "base64": b"Content-Transfer-Encoding: base64\r\n\r\n" + b"=" * 100_000,
    "other letters": "From: a@b.example\r\n\r\n,\xfc@\xfc, \u2028 \U0001f600\r\n".encode(),
    "types": b"Content-Type: multipart/report; boundary*0*=x''%ff\r\nFrom: @@@\r\n\r\n--\r\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_it_holds_little_of_it_is_read(
    went: Any, path_of: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[Any]()
    monkeypatch.setattr(
        unstructured_reports, "all_failures", lambda copy: given.append(copy) or all_failures(copy)
    )
    email = went()
    with contextlib.suppress(Unreadable):
        receive(path_of(email), b"Return-Path: <>\r\n" + HOSTILE[name])
    assert not SuppressedAddress.objects.exists()
    for copy in given:
        texts = [str(part.get_payload()).split("\n") for part in copy.walk() if not part.is_multipart()]
        assert len(texts) <= MOST_PARTS ** (DEEPEST - 1)
        assert all(len(lines) <= MOST_LINES for lines in texts)
        assert all(len(line) <= LONGEST_LINE for lines in texts for line in lines)
        assert all(len(value) <= LONGEST_LINE for _name, value in copy.items())


@pytest.mark.parametrize("error", [RecursionError, ValueError, IndexError, TypeError])
def test_whatever_the_library_does_the_message_is_ignored(
    went: Any, path_of: Any, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    def stumble(_copy: Any) -> Any:
        raise error

    monkeypatch.setattr(unstructured_reports, "all_failures", stumble)
    email = went()
    receive(path_of(email), older(QMAIL))
    assert fate(email) == (State.SENT, False)


def test_no_report_is_read_from_what_comes_back_with_it(went: Any, path_of: Any) -> None:
    email = went()
    inside = older(QMAIL).decode()
    source = (
        "Return-Path: <>\r\nFrom: MAILER-DAEMON@x.example\r\n"
        "Content-Type: multipart/mixed; boundary=o\r\n\r\n"
        f"--o\r\nContent-Type: message/rfc822\r\n\r\n{inside}\r\n--o--\r\n"
    )
    assert message_from_bytes(source.encode()).is_multipart()
    receive(path_of(email), source.encode())
    assert fate(email) == (State.SENT, False)
