"""`manage.py receive_mail`: the mail app's command, but only with a database that may be served.

With another key the site would not know its own addresses, and mail servers would send answers back.
"""

from typing import Any

from django.core.management.base import CommandError

from accounts.mail.management.commands import receive_mail
from condottiere_site.database_state import unusable
from condottiere_site.startup import DatabaseAway, begin_to_serve, why_not_to_serve


class Command(receive_mail.Command):
    """Look at the database first. Until it may be served, a mail server keeps each message."""

    def handle(self, *, lmtp: str | None, **options: Any) -> None:
        """Receive mail, or say in a sentence why not."""
        if lmtp is not None:
            begin_to_serve()
        elif problem := _why_not_now():
            raise CommandError(problem, returncode=receive_mail.TRY_AGAIN)
        super().handle(lmtp=lmtp, **options)


def _why_not_now() -> str:
    try:
        return why_not_to_serve()
    except DatabaseAway as error:
        return unusable(error)
