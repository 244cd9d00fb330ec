"""How the mail server is, told from process to process by a row: who takes nothing is asked by one at a time.

Connections that break may be a letter's fault or the server's; several in a row are the server's.
"""

import logging
from datetime import datetime, timedelta

from django.db.models import F, Q

from accounts.post.models import Letter, MailServer

logger = logging.getLogger(__name__)

PAUSE = timedelta(seconds=10)  # between two looks whether it takes letters again
MOST_BREAKS = 3
_ROW = 1
_LONGEST_ERROR = 1000


def may_be_asked(server: MailServer | None, now: datetime) -> bool:
    """Whether this tick may try a letter: always if the server is well, else one tick in every PAUSE."""
    if server is None or server.failing_since is None:
        return True
    rested = Q(rests_until__lte=now) | Q(rests_until__gt=now + 2 * PAUSE)  # the clock may have been put back
    return bool(MailServer.objects.filter(rested, pk=server.pk).update(rests_until=now + PAUSE))


def present_state() -> MailServer | None:
    """The row, or None if the server is well."""
    return MailServer.objects.first()


def is_down(now: datetime, error: str) -> None:
    """It takes no letter at all: it rests."""
    logger.warning("the mail server takes no letters: %s", error)
    _note(error)
    _rest(now)


def has_broken(now: datetime, error: str) -> None:
    """A connection broke under a letter; often enough in a row, and the server rests."""
    logger.warning("the connection to the mail server broke: %s", error)
    _note(error)
    MailServer.objects.filter(pk=_ROW).update(breaks=F("breaks") + 1)
    if MailServer.objects.filter(pk=_ROW, breaks__gte=MOST_BREAKS).exists():
        _rest(now)


def is_well(now: datetime) -> None:
    """It answered for a letter: what waited for its sake goes at once."""
    recovered = MailServer.objects.exclude(failing_since=None).exists()
    MailServer.objects.all().delete()
    if recovered:
        waiting = Letter.objects.filter(state=Letter.State.QUEUED, waits_for_server=True, not_before__gt=now)
        waiting.update(not_before=now)
        logger.warning("the mail server takes letters again")


def _note(error: str) -> None:
    MailServer.objects.update_or_create(pk=_ROW, defaults={"last_error": error[:_LONGEST_ERROR]})


def _rest(now: datetime) -> None:
    MailServer.objects.filter(pk=_ROW, failing_since=None).update(failing_since=now)
    MailServer.objects.filter(pk=_ROW).update(rests_until=now + PAUSE)
