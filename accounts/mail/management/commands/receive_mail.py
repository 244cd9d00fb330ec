"""`manage.py receive_mail`: receive replies and bounces from a mail server's pipe or by LMTP."""

import logging
import re
import sys
from argparse import ArgumentParser
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import MOST_READ, Unreadable, is_configured, recipient_in_headers
from accounts.mail.set_aside import TryLater, take

logger = logging.getLogger(__name__)

# sysexits.h, which mail servers understand
_TAKEN, _USAGE, _NO_USER, TRY_AGAIN, _CONFIG = 0, 64, 67, 75, 78
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})")
_CHUNK = 64 * 1024


class Command(BaseCommand):
    """Read one message on standard input, or serve LMTP; exit codes are those of sysexits.h."""

    help = (
        "Takes in mail sent to REPLY_ADDRESS or BOUNCE_ADDRESS: one message on standard input, "
        "or with --lmtp as a server. "
        "Exit codes: 0 taken, ignored or set aside, 67 not an address of ours, 75 try again later."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the recipient and the LMTP address."""
        parser.add_argument("recipient", nargs="?", help="whom it was sent to; else its headers are asked")
        parser.add_argument("--lmtp", metavar="HOST:PORT", help="serve LMTP there until SIGTERM")

    def handle(self, *, recipient: str | None, lmtp: str | None, **options: Any) -> None:
        """Exit with the code that tells a mail server what to do with the message."""
        if not is_configured():
            code = TRY_AGAIN if lmtp is None else _CONFIG  # a mail server keeps the message until it's set
            raise CommandError("Set REPLY_ADDRESS or BOUNCE_ADDRESS: no mail comes here.", returncode=code)
        if lmtp is not None:
            self._serve(lmtp)
        elif code := _take(recipient, _read(sys.stdin.buffer)):
            sys.exit(code)

    def _serve(self, address: str) -> None:
        from accounts.mail import lmtp as lmtp_server

        found = _ADDRESS.fullmatch(address)
        if found is None or int(found[2]) > 65535:
            raise CommandError("--lmtp takes host and port, such as 127.0.0.1:2525.", returncode=_USAGE)
        try:
            lmtp_server.serve(found[1].strip("[]"), int(found[2]), self._started)
        except OSError as error:
            raise CommandError(f"Cannot listen on {address}: {error.strerror}.") from error

    def _started(self, port: int) -> None:
        self.stdout.write(f"Taking mail by LMTP on port {port}.")
        self.stdout.flush()


def _take(recipient: str | None, source: bytes) -> int:
    """Process one message and return the exit code.

    The mail server keeps a message only where the site is to blame for a failure. It writes to the sender,
    who may be forged, only if the recipient's address is not the site's.
    """
    try:
        take(recipient or recipient_in_headers(source), source)
    except NotOurs:
        return _NO_USER
    except Unreadable as error:
        logger.info("a message was left aside: %s", error)
        return _TAKEN
    except TryLater as error:
        logger.warning("a message was not taken: %s", error)
        return TRY_AGAIN
    return _TAKEN


def _read(stream: BinaryIO) -> bytes:
    """Read the first MOST_READ bytes and drop the rest, because a closed pipe would look like a failure."""
    kept = b""
    while chunk := stream.read(_CHUNK):
        if len(kept) < MOST_READ:
            kept += chunk
    return kept
