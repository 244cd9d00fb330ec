"""The site's LMTP server as a process of its own, and what a mail server says to it."""

from __future__ import annotations

import os
import smtplib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from tests.conftest import test_database_url
from tests.servers import HANGS, free_port


@contextmanager
def lmtp_server(**more: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Run it on this test's database; keywords are further environment variables."""
    port = free_port()
    program = [sys.executable, "manage.py", "receive_mail", "--lmtp", f"127.0.0.1:{port}"]
    environment = os.environ | {"DATABASE_URL": test_database_url()} | more
    with subprocess.Popen(program, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert b"LMTP" in process.stdout.readline()
            yield port, process
        finally:
            process.kill()


@contextmanager
def sent_by_lmtp(port: int) -> Iterator[Callable[[str, bytes], None]]:
    """Return what delivers a message to a recipient, all of them in one session."""
    with smtplib.LMTP("127.0.0.1", port, timeout=HANGS) as chat:
        chat.ehlo()

        def send(recipient: str, source: bytes) -> None:
            assert chat.sendmail("anna@example.org", [recipient], source) == {}

        yield send
