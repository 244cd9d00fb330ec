"""Putting emails into the outbox, inside the caller's own transaction.

Nothing here may chat to a mail server or a broker; delivery.py does the first, and a tick finds the rows.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts import clock
from accounts.addresses import normal_address
from accounts.mail.models import OutgoingEmail
from accounts.models import User

NO_HOLD = timedelta(0)


def queue(
    kind: str,
    *,
    to: User | str,
    key: str,
    about: Mapping[str, Any],
    hold: timedelta = NO_HOLD,
    forgets: bool = False,
    forgets_address: bool = False,
) -> OutgoingEmail:
    """Queues one email, sent `hold` from now at the earliest if its reason still stands then.

    The same key again returns the first row, whoever asks and however many at once. `about` holds ids, as
    plain JSON, from which the kind's builder writes the email; with `forgets` it is emptied once the fate
    is known, with `forgets_address` the address too. A str is the address of someone without an account.
    """
    user = to if isinstance(to, User) else None
    address = to.email if isinstance(to, User) else normal_address(to)
    try:
        with transaction.atomic():
            return OutgoingEmail.objects.create(
                kind=kind,
                to_user=user,
                to_address=address,
                key=key,
                about=dict(about),
                forgets=forgets,
                forgets_address=forgets_address,
                not_before=clock.now() + hold,
            )
    except IntegrityError:
        known = OutgoingEmail.objects.filter(key=key).first()
        if known is None:
            raise  # not this key but another constraint: the caller's error
        return known


def clock_was_put_back(by: timedelta, now: datetime) -> None:
    """What was queued by a clock that was ahead waits as long as it was to wait, and not until that clock's
    moment comes again."""
    ahead = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, created_at__gt=now)
    ahead.update(not_before=F("not_before") - by)


def delayed(keys: Iterable[str]) -> frozenset[str]:
    """Those of these keys whose email was not accepted yet and is tried again."""
    waiting = OutgoingEmail.objects.filter(key__in=keys, state=OutgoingEmail.State.QUEUED).exclude(
        last_error=""
    )
    return frozenset(waiting.values_list("key", flat=True))


def not_reached(keys: Iterable[str]) -> frozenset[str]:
    """Those of these keys whose email will not arrive: given up, come back, or turned off.

    Which of them is nobody's business but the reader's.
    """
    fates = (OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED, OutgoingEmail.State.UNSUBSCRIBED)
    return frozenset(
        OutgoingEmail.objects.filter(key__in=keys, state__in=fates).values_list("key", flat=True)
    )
