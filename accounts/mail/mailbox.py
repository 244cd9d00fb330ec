"""Fetch received mail from a mailbox at a provider, by IMAP (RFC 3501) or POP3 (RFC 1939).

A message is deleted once it was taken, never before. Taking one again changes nothing.
"""

import imaplib
import logging
import poplib
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from django.conf import settings

from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import MOST_READ, Unreadable, is_configured, recipient_in_headers
from accounts.mail.set_aside import TryLater, take

logger = logging.getLogger(__name__)

ANSWERS_WITHIN = 20.0  # seconds; a server that hangs is left until the next tick
LARGEST = 10 * 1024 * 1024  # bytes; of a larger message, POP3 fetches the beginning
_LINES = 5000
_UID = re.compile(rb"\d+")

# One long line would end every connection; no provider takes a message that is longer.
poplib._MAXLINE = 64 * 1024 * 1024  # type: ignore[attr-defined]


def fetch_mail(is_over: Callable[[], bool]) -> int:
    """Take the messages in the mailbox of MAILBOX_URL; return how many were taken.

    Once `is_over` returns True, the rest is left to the next tick, and also while the server or the database
    cannot be reached.
    """
    if not settings.MAILBOX_URL or not is_configured():
        return 0
    is_imap = urlsplit(settings.MAILBOX_URL).scheme.startswith("imap")
    try:
        return _fetch_by_imap(is_over) if is_imap else _fetch_by_pop3(is_over)
    except ssl.SSLCertVerificationError as error:
        logger.warning(
            "the mailbox cannot be read: its certificate is not trusted (%s). Use the name it is for, or "
            "set SSL_CERT_FILE (see docs/EMAIL.md)",
            error.verify_message,
        )
    except (OSError, EOFError, imaplib.IMAP4.error, poplib.error_proto) as error:
        # The error may repeat what the server said, never the password.
        logger.warning("the mailbox cannot be read: %s: %s", type(error).__name__, error)
    except TryLater as error:
        logger.warning("the mailbox is not read: %s", error)
    return 0


def _try_to_take(source: bytes) -> bool:
    """Take one message, or set it aside; return False for mail to others.

    Raises TryLater, after which it must come again.
    """
    try:
        take(recipient_in_headers(source), source)
    except (NotOurs, Unreadable) as error:
        logger.info("a message in the mailbox was left aside: %s", error)
        return False
    return True


@contextmanager
def _imap_connection() -> Iterator[imaplib.IMAP4]:
    parts = urlsplit(settings.MAILBOX_URL)
    host, context = parts.hostname or "", ssl.create_default_context()
    server = (
        imaplib.IMAP4_SSL(host, parts.port or 993, ssl_context=context, timeout=ANSWERS_WITHIN)
        if parts.scheme == "imaps"
        else imaplib.IMAP4(host, parts.port or 143, timeout=ANSWERS_WITHIN)
    )
    with server:
        server.login(unquote(parts.username or ""), unquote(parts.password or ""))
        folder = unquote(parts.path.strip("/")) or "INBOX"
        status, said = server.select('"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"')
        if status != "OK":
            raise imaplib.IMAP4.error(f"no such folder: {said!r}")
        yield server


def _fetch_by_imap(is_over: Callable[[], bool]) -> int:
    """Take new messages by IMAP. Those taken are deleted; other mail stays, marked as read."""
    with _imap_connection() as server:
        _status, found = server.uid("SEARCH", "UNSEEN", "UNDELETED")
        taken = 0
        try:
            for uid in _UID.findall(found[0] or b""):
                if is_over():
                    break
                taken += _take_from_imap(server, uid.decode("ascii"))
        finally:
            server.expunge()
    return taken


def _take_from_imap(server: imaplib.IMAP4, uid: str) -> bool:
    _status, answer = server.uid("FETCH", uid, f"(BODY.PEEK[]<0.{MOST_READ}>)")
    source = next((bytes(part[1]) for part in answer if isinstance(part, tuple)), None)
    if source is None:
        return False  # another program has deleted it
    is_taken = _try_to_take(source)
    server.uid("STORE", uid, "+FLAGS.SILENT", r"(\Seen \Deleted)" if is_taken else r"(\Seen)")
    return is_taken


@contextmanager
def _pop3_connection() -> Iterator[poplib.POP3]:
    parts = urlsplit(settings.MAILBOX_URL)
    host, context = parts.hostname or "", ssl.create_default_context()
    server = (
        poplib.POP3_SSL(host, parts.port or 995, timeout=ANSWERS_WITHIN, context=context)
        if parts.scheme == "pop3s"
        else poplib.POP3(host, parts.port or 110, timeout=ANSWERS_WITHIN)
    )
    try:
        server.user(unquote(parts.username or ""))
        server.pass_(unquote(parts.password or ""))
        yield server
    finally:
        server.quit()


def _fetch_by_pop3(is_over: Callable[[], bool]) -> int:
    """Take all messages by POP3, and delete all of them, because none can be marked as read.

    The server deletes them at the end of the connection.
    """
    taken = 0
    with _pop3_connection() as server:
        for line in server.list()[1]:
            if is_over():
                break
            number, size = map(int, line.split()[:2])
            lines = server.retr(number)[1] if size <= LARGEST else server.top(number, _LINES)[1]
            taken += _try_to_take(b"\r\n".join(lines))
            server.dele(number)
    return taken
