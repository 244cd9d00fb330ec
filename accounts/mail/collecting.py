"""Digests: emails that collect several events until they are due."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import giving_way, queue
from accounts.models import User

WAITING = "waiting"  # collects games where it is the reader's turn, at the frequency they chose
MOVED = "moved"  # collects other players' moves
CHAT = "message"  # collects the messages of one channel
DAILY = "daily"  # collects a day's messages, for readers without the daily email about their turns
KINDS = (WAITING, MOVED, CHAT, DAILY)


def collecting_email(
    kind: str, *, to: User, key_prefix: str, context: Mapping[str, Any], due: datetime
) -> OutgoingEmail:
    """Return the open digest with this key prefix; if there is none, queue a new one due at `due`.

    Its row stays locked until the caller's transaction ends, so that the sender sees what the caller wrote.
    To collect for several people, go through them in order of primary key, which avoids deadlocks.
    """
    while (email := newest(key_prefix)) is None or not is_open(email):
        # Two callers that find the same sent email make the same key, and the outbox accepts only one.
        key = f"{key_prefix}{email.pk if email else 0}"
        with giving_way():  # many people's digests are due at one hour of the day
            queue(kind, to=to, key=key, context=context, hold=due - clock.now())
    return email


def newest(key_prefix: str) -> OutgoingEmail | None:
    """Return the latest email whose key starts with `key_prefix`, locked."""
    found = OutgoingEmail.objects.select_for_update(of=("self",)).filter(key__startswith=key_prefix)
    return found.order_by("-pk").first()


def is_open(email: OutgoingEmail) -> bool:
    """Return whether no worker is sending this email and it is not closed.

    A worker whose lease ran out may still wake up and record the email as sent.
    An email whose connection broke may have arrived.
    """
    is_free = email.leased_until is None and not email.waits_for_server
    return email.state == OutgoingEmail.State.QUEUED and is_free


def is_being_written(email: OutgoingEmail) -> bool:
    """Return whether an open transaction is still adding to this digest, so that sending must wait.

    The worker sends other emails first.
    """
    if email.kind not in KINDS:
        return False
    with transaction.atomic():
        row = OutgoingEmail.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=email.pk)
        return not list(row.values_list("pk"))
