"""`manage.py play`: run the whole site in one process, starting from an empty folder."""

import errno
import os
import shlex
import socket
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from condottiere_site import __version__
from condottiere_site.bootstrap import HIGHEST_PORT
from condottiere_site.running import SiteRuns, begin_to_play, begin_to_run
from condottiere_site.upgrading import Upgrade, UpgradeError

NOT_COLLECTED = ["admin", "ext", "htmax-*", "htmx-2*"]


class Command(BaseCommand):
    """Upgrade, start web, worker and beat, and print the site's URL."""

    help = "Runs the whole site in one process: web, worker and beat."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the host and port to listen on."""
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="the port to listen on (8000)")

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        """Run until interrupted."""
        from condottiere_site.embedded import Site

        self._say(f"Condottiere by email {__version__}")
        self._be_the_only_one()
        with _errors_in_a_sentence(host, port):  # before the migrations, which take some seconds
            socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET).close()
        self._bring_up()
        with _errors_in_a_sentence(host, port):
            site = Site(host, port)
        self._greet()
        connections.close_all()
        site.serve()
        self.stdout.write("Stopped.")

    def _be_the_only_one(self) -> None:
        try:
            begin_to_play()
        except SiteRuns as error:
            raise CommandError(str(error)) from error

    def _bring_up(self) -> None:
        """Upgrade if this is a newer release. Of static files, those that players' pages need are enough."""
        try:
            Upgrade(self._say, not_collected=NOT_COLLECTED).run()
            begin_to_run()
        except (UpgradeError, SiteRuns) as error:
            raise CommandError(str(error)) from error

    def _greet(self) -> None:
        from accounts.mail.capture import emails_are_captured
        from accounts.own_name import site_name
        from condottiere_site.operators import operator, sign_in_url

        self._say(f"{site_name()}: {settings.SITE_URL}/")
        self._say(f"Sign in as the operator (works once, for one day): {sign_in_url(operator())}")
        if emails_are_captured():
            self._say("No mail server is set (EMAIL_URL): read all emails at /operator/emails/.")
        if found := _readable_by_others():
            self._say(f"Warning: other users of this machine can read the database. Run: chmod go= {found}")
        self._say("Ctrl-C stops it; everything is kept.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _readable_by_others() -> str:
    """Return the SQLite files that other users can read, as the shell names them; empty if they can't."""
    database = settings.DATABASES["default"]
    if os.name == "nt" or not database["ENGINE"].endswith("sqlite3"):
        return ""
    path = Path(database["NAME"]).absolute()
    is_open = path.stat().st_mode & 0o044 and path.parent.stat().st_mode & 0o011
    return f"{shlex.quote(str(path))}*" if is_open else ""  # with its -wal and -shm


@contextmanager
def _errors_in_a_sentence(host: str, port: int) -> Iterator[None]:
    """Turn errors about the address or port into a one-sentence CommandError."""
    if not 1 <= port <= HIGHEST_PORT:
        raise CommandError(f"--port must be between 1 and {HIGHEST_PORT}.")
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(f"Port {port} is in use: choose another with --port.") from error
        raise CommandError(f"Cannot listen on {host}, port {port}: {error.strerror}.") from error
